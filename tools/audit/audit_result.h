//===- audit_result.h - What an audit has found ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_reader.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

struct UncoveredPage {
  std::uint64_t address = 0;
  /// Of a file's data: the address as linked, which is the same in every
  /// process.
  std::optional<std::uint64_t> linked;
  std::uint64_t periods = 0; ///< in which it was written and not marked
  std::uint64_t first_period = 0;
  std::uint64_t last_period = 0;
  std::vector<std::string> variables; ///< some of those on it
};

/// Pages of one kind in mappings of one name.
struct AuditGroup {
  PageKind kind = PageKind::kAnonymous;
  std::string name; ///< of the mapping
  /// Pages summed over periods.
  std::uint64_t written = 0; ///< that the kernel saw written
  std::uint64_t covered = 0;
  std::uint64_t periods = 0;        ///< with uncovered pages
  std::uint64_t distinct = 0;       ///< uncovered pages, each once
  std::vector<UncoveredPage> pages; ///< by address; the first kMaxListedPages

  std::uint64_t uncovered() const { return written - covered; }
};

struct LoadedModule {
  std::string path;
  bool instrumented = false;
  bool is_system = false;
  bool is_runtime = false;
  bool is_executable = false;        ///< the program itself
  std::vector<std::string> not_seen; ///< functions, as in ModuleFile
};

struct Audit {
  std::string path;
  trace::FileHeader header = {};
  std::optional<Process> process;
  std::optional<End> end;
  Completeness completeness; ///< of a sum: of its first trace

  /// True if the trace says at all what the kernel saw written.
  bool has_kernel_writes = false;
  std::uint64_t periods = 0;
  std::uint64_t compared = 0; ///< periods for which the trace says it
  std::uint64_t written = 0;  ///< pages summed over compared periods
  std::uint64_t covered = 0;
  std::uint64_t written_by[kConcerns] = {};
  std::uint64_t uncovered_by[kConcerns] = {};
  /// Pages of new shared memory that were read or written: it is not known
  /// which.
  std::uint64_t touched = 0;
  /// Marked as written, mapped, and not seen written by the kernel.
  std::uint64_t marked_only = 0;
  bool tells_writes = true; ///< if not, an accessed page counts as covered

  /// There were too many uncovered pages to list them. `distinct` and the lists
  /// of pages are incomplete. The sums are complete.
  bool pages_left_out = false;
  std::vector<AuditGroup> groups; ///< the most uncovered pages first
  std::vector<LoadedModule> modules;
  std::vector<Region> unseen; ///< mappings that the kernel could not watch
  std::vector<Note> lost;     ///< notes of what is missing from the trace

  std::uint64_t uncovered() const { return written - covered; }
  bool program_is_covered() const {
    return uncovered_by[static_cast<std::size_t>(Concern::kProgram)] == 0;
  }
};

/// Groups in the order of reports: by concern, the most uncovered pages first.
void sort_groups(std::vector<AuditGroup> &groups);

/// Adds the figures of another process. A page of a file that is in both counts
/// once as distinct.
void add_audit(Audit &sum, const Audit &other);

} // namespace pagetide::tools
