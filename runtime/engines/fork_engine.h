//===- fork_engine.h - Page sets by copies that the kernel shares ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_FORK_ENGINE_H
#define PAGETIDE_RUNTIME_ENGINES_FORK_ENGINE_H

#include "engines/engine.h"

namespace pagetide {

const Engine &ForkEngine();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_FORK_ENGINE_H
