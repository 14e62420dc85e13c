//===- uffd_engine.h - Page sets by the kernel's account of writes --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/engine.h"

namespace pagetide {

const Engine &UffdEngine();

} // namespace pagetide
