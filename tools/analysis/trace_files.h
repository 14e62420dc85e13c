//===- trace_files.h - The files of one recorded run ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_records.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// The existing ones of FILE, FILE.<pid> and FILE.<pid>.<n>: FILE first, then
/// by number. Looks only at names. Throws Failure if FILE's directory cannot be
/// read.
std::vector<std::string> files_named_after(const std::string &path);

enum class FileKind {
  kTrace,  ///< begins with the trace's magic
  kEmpty,  ///< a regular file without content
  kOther,  ///< anything else
  kAbsent, ///< there is no such file
};
FileKind kind_of_file(const std::string &path);

/// Facts at the begin of a trace.
struct TraceStart {
  std::uint64_t realtime_ns = 0;
  std::uint64_t monotonic_ns = 0;
  std::uint32_t pid = 0;
  /// Nothing if the trace was made without `pagetide record`.
  std::optional<RunId> run_id;
  /// A damaged frame may hold it.
  bool lost_run_id = false;

  bool is_of_run(const TraceStart &other) const {
    return !lost_run_id && !other.lost_run_id && run_id == other.run_id;
  }
};
/// Returns nothing if the file is not a readable trace.
std::optional<TraceStart> start_of_trace(const std::string &path);

/// The traces of the run that FILE belongs to.
struct RunFiles {
  std::vector<std::string> traces;
  /// Traces of other runs whose names say that they belong to FILE.
  std::vector<std::string> others;
  /// Damaged traces with such names. Their run is not known.
  std::vector<std::string> unknown;
};
/// If FILE has no run id, the newest file that is named after it tells the run.
/// Throws as files_named_after() does.
RunFiles files_of_run(const std::string &path);

/// Tells the user which of the traces were left out.
void say_left_out(const std::string &path, const RunFiles &files);

/// The name of the first trace of the run that began last in the directory.
/// Throws Failure if there is no trace.
std::string newest_trace(const std::string &directory);

/// The same for the current directory. Tells the user which trace it is.
std::string newest_trace_here();

/// Whether a process is writing the trace, or `pagetide record` is completing
/// it: they hold a lock on it, which ends with them.
bool is_being_written(const std::string &path);

/// A name for the trace of a run: pagetide.PROGRAM.PID.ptrace, or
/// pagetide.PROGRAM.PID.<n>.ptrace if something has that name.
std::string new_trace_name(const std::string &program, pid_t pid);

/// Throws Failure if no trace can be made at `path`, or if something is there.
void check_new_trace(const std::string &path);

/// A random id.
RunId new_run_id();

/// The place where a run puts its traces. A finished trace of an earlier run
/// stays there until the new run has its own. The runtime overwrites no files,
/// so the first process of the run makes FILE.<pid>. This is then renamed to
/// FILE.
class TraceOutput {
public:
  /// Throws Failure if no trace can be made at `path`. Throws it too if the
  /// file there must not be replaced, because it is no trace or is being
  /// written.
  explicit TraceOutput(std::string path);

  const std::string &path() const { return path_; }

  /// Takes a trace that a process of the run has made. `path` is absolute, and
  /// the trace is open at `fd`. Returns its path from now on. `problem` says
  /// why an earlier trace could not be replaced.
  std::string take(int fd, const std::string &path, std::string &problem);

  /// Gives FILE to the trace that is open at `fd`, whose absolute path is
  /// `path`. Process `holder` has it until now. Returns the path of the
  /// holder's trace from now on; empty: the names are as they were.
  std::string hand_over(pid_t holder, int fd, const std::string &path) const;

  /// Removes the traces of processes that were killed before they began to
  /// record, as children are that live for less than a millisecond. No code of
  /// theirs has run, so these lack nothing and say nothing. `known` are the
  /// absolute paths of the traces whose processes did begin.
  void remove_unbegun(const std::vector<std::string> &known) const;

  /// The traces at the run's path that were made since this object was.
  std::vector<std::string> new_traces() const;

private:
  /// A file that was there before.
  struct Earlier {
    std::string path;
    dev_t device;
    ino_t inode;
    bool is_still_there() const;
  };
  bool replace(const std::string &path, std::string &problem);
  bool has_name_of_run(int fd, const std::string &path) const;
  std::vector<std::string> files_of_name() const;
  std::vector<std::string> new_files() const;

  std::string path_;
  std::vector<Earlier> earlier_; ///< files to replace, FILE itself first
  std::vector<Earlier> present_; ///< all that had names of the run
};

} // namespace pagetide::tools
