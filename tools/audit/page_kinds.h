//===- page_kinds.h - What a page is, and whether it matters --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <string>

namespace pagetide::tools {

/// What a page is. The reasons for a write without a mark depend on it.
enum class PageKind {
  kProgram,     ///< data of the executable, instrumented
  kLibrary,     ///< data of an instrumented library
  kPlain,       ///< data of a file that is not instrumented
  kSystem,      ///< data of the C library or the loader
  kLoader,      ///< what the loader relocates, in any file
  kExiting,     ///< data of instrumented files, while their destructors run
  kHeap,        ///< [heap]
  kAnonymous,   ///< memory without a name
  kShared,      ///< shared memory, or a file's
  kFile,        ///< a private mapping of a file other than programs
  kMainStack,   ///< the first thread's stack
  kThreadStack, ///< another thread's, with its thread-local storage
  kThreadLocal, ///< the first thread's thread-local storage
  kRuntime,     ///< Pagetide's own
};
inline constexpr std::size_t kPageKinds = 14;

/// How much an uncovered page of a kind matters.
enum class Concern {
  kProgram, ///< the program's data: its page sets lack something
  kStacks,  ///< excluded by the contract: spills, frames, thread storage
  kSystem,  ///< the C library's and the loader's own data
  kNone,    ///< Pagetide's own
};
inline constexpr std::size_t kConcerns = 4;
Concern concern_of(PageKind kind);
/// The word for JSON.
const char *concern_key(Concern concern);
/// The word for JSON, and the text for people.
const char *kind_key(PageKind kind);
const char *kind_text(PageKind kind);
/// What to do about uncovered pages of a kind. Empty if nothing can be done.
std::string advice_for(PageKind kind);

/// The C library and its parts, and the loader.
bool is_system_library(const std::string &path);
/// libpagetide itself.
bool is_runtime_library(const std::string &path);

} // namespace pagetide::tools
