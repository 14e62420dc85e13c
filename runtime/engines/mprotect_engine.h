//===- mprotect_engine.h - Page sets by faults of a protected program -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_MPROTECT_ENGINE_H
#define PAGETIDE_RUNTIME_ENGINES_MPROTECT_ENGINE_H

#include "engines/engine.h"

namespace pagetide {

const Engine &MprotectEngine();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_MPROTECT_ENGINE_H
