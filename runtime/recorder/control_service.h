//===- control_service.h - What pagetide ctl asks of the recorder ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// The pagetide ctl of this number has a request. The recorder answers it, and
/// must run. Async-signal-safe.
void PassControlToRecorder(u32 ctl);

/// On the recorder's thread: answers such a request. False if there is none.
bool AnswerControl();

} // namespace pagetide
