//===- uffd_engine.h - Page sets by the kernel's account of writes --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_UFFD_ENGINE_H
#define PAGETIDE_RUNTIME_ENGINES_UFFD_ENGINE_H

#include "engines/engine.h"

namespace pagetide {

const Engine &UffdEngine();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_UFFD_ENGINE_H
