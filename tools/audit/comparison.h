//===- comparison.h - Which written pages no mark covers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares, period by period, the pages that the kernel saw written with those
// that were marked as written. The two are not taken at the same moment, and
// the mark of what a system call writes follows the write: a page counts as
// covered if it is marked in the period before, the same or the next one.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_AUDIT_COMPARISON_H
#define PAGETIDE_TOOLS_AUDIT_COMPARISON_H

#include "trace/trace_reader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

//===----------------------------------------------------------------------===//
// Files that are mapped
//===----------------------------------------------------------------------===//

/// What is known of a file that a process has mapped.
struct ModuleFile {
  bool is_elf = false;
  bool instrumented = false;
  std::uint64_t first_address = 0; ///< as linked, of its first segment
  std::uint64_t end_address = 0;   ///< as linked, with .bss
  /// What the loader writes and then makes read-only; empty: nothing.
  std::uint64_t relro_begin = 0;
  std::uint64_t relro_end = 0;
  /// Names of variables in [begin, end), addresses as linked.
  std::function<std::vector<std::string>(std::uint64_t begin,
                                         std::uint64_t end)>
      variables;
};
using ModuleLookup = std::function<ModuleFile(const std::string &path)>;

/// The C library and its parts, and the loader.
bool is_system_library(const std::string &path);
/// libpagetide itself.
bool is_runtime_library(const std::string &path);

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

/// What a page is, and so why it may have been written without a mark.
enum class PageKind {
  kProgram,     ///< data of the executable, instrumented
  kLibrary,     ///< data of an instrumented library
  kPlain,       ///< data of a file that is not instrumented
  kSystem,      ///< data of the C library or the loader
  kLoader,      ///< what the loader relocates, in any file
  kLeaving,     ///< data of instrumented files, while their destructors run
  kHeap,        ///< [heap]
  kAnonymous,   ///< memory without a name
  kShared,      ///< shared memory, or a file's
  kFile,        ///< a private mapping of a file that is no program
  kMainStack,   ///< the first thread's stack
  kThreadStack, ///< another thread's, with its thread-local storage
  kThreadLocal, ///< the first thread's thread-local storage
  kRuntime,     ///< Pagetide's own
};
inline constexpr std::size_t kPageKinds = 14;

/// How much an uncovered page of a kind matters.
enum class Concern {
  kProgram, ///< the program's data: its page sets lack something
  kStacks,  ///< outside by the contract: spills, call frames, thread storage
  kSystem,  ///< the C library's and the loader's own data
  kNone,    ///< Pagetide's own
};
inline constexpr std::size_t kConcerns = 4;
Concern concern_of(PageKind kind);
/// A word for JSON, and one or a few for people.
const char *kind_key(PageKind kind);
const char *kind_text(PageKind kind);

struct UncoveredPage {
  std::uint64_t address = 0;
  /// Of a file's image: the address as linked, the same in every process.
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
  bool is_executable = false; ///< the program itself
};

struct Audit {
  std::string path;
  trace::FileHeader header = {};
  std::optional<Process> process;
  std::optional<End> end;
  Integrity integrity = Integrity::kComplete;
  std::string problem;

  /// Whether the kernel's account is in the trace at all.
  bool has_kernel_writes = false;
  std::uint64_t periods = 0;
  std::uint64_t compared = 0; ///< periods that have the kernel's account
  std::uint64_t written = 0;  ///< pages summed over compared periods
  std::uint64_t covered = 0;
  std::uint64_t written_by[kConcerns] = {};
  std::uint64_t uncovered_by[kConcerns] = {};
  /// Of shared memory, first seen: read or written, not known which.
  std::uint64_t touched = 0;
  /// Marked as written, mapped, and not seen written by the kernel.
  std::uint64_t marked_only = 0;
  bool tells_writes = true; ///< otherwise a page accessed counts as covered

  /// There were too many uncovered pages to tell them apart: `distinct` and the
  /// lists of pages are incomplete, sums are not.
  bool pages_left_out = false;
  std::vector<AuditGroup> groups; ///< the most uncovered pages first
  std::vector<LoadedModule> modules;
  std::vector<Region> unseen; ///< mappings the kernel could not watch
  std::vector<Note> lost;     ///< notes of what is missing from the trace

  std::uint64_t uncovered() const { return written - covered; }
  bool program_is_covered() const {
    return uncovered_by[static_cast<std::size_t>(Concern::kProgram)] == 0;
  }
};

/// Adds another process's figures; of pages, those that can be told apart from
/// the ones there.
void add_audit(Audit &sum, const Audit &other);

/// Reads a whole trace. Throws Failure where the file is none.
Audit audit_trace(TraceReader reader, const ModuleLookup &look_up);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_AUDIT_COMPARISON_H
