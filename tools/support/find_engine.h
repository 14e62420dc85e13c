//===- find_engine.h - What the engine of a name can do ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/engines.h"

#include <string_view>

namespace pagetide::tools {

/// Null if no engine of this build has the name.
constexpr const engines::Capabilities *find_engine(std::string_view name) {
  for (const engines::Capabilities &engine : engines::kTable)
    if (name == engine.name)
      return &engine;
  return nullptr;
}

} // namespace pagetide::tools
