//===- deadly_filter.h - Filters that end recorded processes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// How a process is to be recorded, and whether it may run unrecorded.
enum class Wish {
  kMarksAlways, ///< its marks cannot be off
  kMarks,
  kEngine,         ///< without marks
  kOptionalEngine, ///< `record` has chosen the engine by itself
};

/// Before anything of a recording is made. Returns false, after a message, if
/// the process inherited a system call filter that ends it for a call that
/// recording makes, and if it may run unrecorded (option on_failure). Ends the
/// process if it may not.
bool FilterAllowsRecording(Wish wish);

} // namespace pagetide
