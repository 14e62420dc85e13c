//===- chosen_engine.h - The engine that the options name -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_CHOSEN_ENGINE_H
#define PAGETIDE_RUNTIME_ENGINES_CHOSEN_ENGINE_H

#include "engines/engine.h"

namespace pagetide {

const Engine &ChosenEngine();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_CHOSEN_ENGINE_H
