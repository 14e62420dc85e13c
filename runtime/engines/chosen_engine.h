//===- chosen_engine.h - The engine that the options name -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/engine.h"

namespace pagetide {

const Engine &ChosenEngine();

} // namespace pagetide
