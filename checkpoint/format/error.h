//===- error.h - Why a checkpoint cannot be made or read ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <stdexcept>
#include <string>

namespace pagetide::checkpoint {

enum class Problem {
  kNone,    ///< there is no checkpoint
  kInvalid, ///< an argument
  kBusy,    ///< another process writes
  kIo,
  kDamaged, ///< missing, or not what was written
  kVersion,
  kProgram,
  kRegions, ///< those of the program are others
  kUnsupported,
  kNoCut,
  kNoMemory,
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
