//===- error.h - Why a checkpoint cannot be made or read ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/checkpoint.h"

#include <stdexcept>
#include <string>

namespace pagetide::checkpoint {

/// The library returns it as it is (pagetide/checkpoint.h).
enum class Problem : int {
  kNone = PAGETIDE_CHECKPOINT_NONE,
  kInvalid = PAGETIDE_CHECKPOINT_INVALID,
  kBusy = PAGETIDE_CHECKPOINT_BUSY,
  kIo = PAGETIDE_CHECKPOINT_IO,
  kDamaged = PAGETIDE_CHECKPOINT_DAMAGED,
  kVersion = PAGETIDE_CHECKPOINT_VERSION,
  kProgram = PAGETIDE_CHECKPOINT_PROGRAM,
  kRegions = PAGETIDE_CHECKPOINT_REGIONS,
  kUnsupported = PAGETIDE_CHECKPOINT_UNSUPPORTED,
  kNoCut = PAGETIDE_CHECKPOINT_NO_CUT,
  kNoMemory = PAGETIDE_CHECKPOINT_NO_MEMORY,
};

/// The text says what failed, why, and what to do.
class Error : public std::runtime_error {
public:
  Error(Problem problem, const std::string &text)
      : std::runtime_error(text), problem_(problem) {}
  Problem problem() const { return problem_; }

private:
  Problem problem_;
};

} // namespace pagetide::checkpoint
