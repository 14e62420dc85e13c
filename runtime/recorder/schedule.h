//===- schedule.h - When the open period ends -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Schedules the next end of a period after `from`.
void Schedule(u64 from);

/// Changes the length of periods. The open one begins to count anew.
void ChangePeriod(u64 period_ns);

} // namespace pagetide
