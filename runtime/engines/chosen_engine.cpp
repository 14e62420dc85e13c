//===- chosen_engine.cpp - The engine that the options name ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/chosen_engine.h"

#include "engines/fork_engine.h"
#include "engines/marks_engine.h"
#include "engines/uffd_engine.h"
#include "platform/options.h"

namespace pagetide {

static const Engine &EngineOf(engines::Kind kind) {
  switch (kind) {
  case engines::Kind::kUffd:
    return UffdEngine();
  case engines::Kind::kFork:
    return ForkEngine();
  case engines::Kind::kSoftDirty: // in the tools
  case engines::Kind::kMarks:
  case engines::Kind::kEmulate: // no option names it
    break;
  }
  return MarksEngine();
}

const Engine &ChosenEngine() {
  const Engine &engine = EngineOf(EngineCan().kind);
  CHECK_EQ(EngineCan().cut, engine.collect_standing != nullptr);
  return engine;
}

} // namespace pagetide
