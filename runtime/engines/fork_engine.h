//===- fork_engine.h - Page sets by copies that the kernel shares ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/engine.h"

namespace pagetide {

const Engine &ForkEngine();

} // namespace pagetide
