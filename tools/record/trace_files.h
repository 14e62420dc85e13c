//===- trace_files.h - The files of one recorded run ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_RECORD_TRACE_FILES_H
#define PAGETIDE_TOOLS_RECORD_TRACE_FILES_H

#include "trace/trace_records.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// FILE, FILE.<pid> and FILE.<pid>.<n>, as far as they exist: FILE first, then
/// by number. Looks at names only. Throws Failure if FILE's directory cannot be
/// read.
std::vector<std::string> files_named_after(const std::string &path);

enum class FileKind {
  kTrace,  ///< begins with the trace's magic
  kEmpty,  ///< a regular file without content
  kOther,  ///< anything else
  kAbsent, ///< there is no such file
};
FileKind kind_of_file(const std::string &path);

/// What the begin of a trace says.
struct TraceStart {
  std::uint64_t realtime_ns = 0;
  std::uint32_t pid = 0;
  std::optional<RunId>
      run_id; ///< nothing if `pagetide record` had no part in it
};
/// Nothing if the file is no trace that can be read.
std::optional<TraceStart> start_of_trace(const std::string &path);

/// The traces of the run that FILE belongs to.
struct RunFiles {
  std::vector<std::string> traces;
  /// Traces of other runs whose names say that they belong to FILE.
  std::vector<std::string> others;
};
/// If FILE does not say which run that is, the newest of the files named after
/// it does. Throws as files_named_after() does.
RunFiles files_of_run(const std::string &path);

/// Tells the user of the traces of other runs, if there are any.
void say_left_out(const std::string &path, const RunFiles &files);

/// The newest run in the directory, by the time at which it began: the name of
/// its first trace. Throws Failure if there is no trace.
std::string newest_trace(const std::string &directory);

/// The newest in the current directory; tells the user which it is.
std::string newest_trace_here();

/// Whether a process is writing the trace, or `pagetide record` is completing
/// it: they hold a lock on it, which ends with them.
bool is_being_written(const std::string &path);

/// A name for the trace of a run: pagetide.PROGRAM.PID.ptrace, or
/// pagetide.PROGRAM.PID.<n>.ptrace if something has that name.
std::string new_trace_name(const std::string &program, pid_t pid);

/// Random.
RunId new_run_id();

/// The place where a run puts its traces. If a finished trace of an earlier run
/// is there, it stays until the new run has a trace of its own: the runtime
/// does not overwrite files, so the first process of the run then makes
/// FILE.<pid>, which is renamed to FILE.
class TraceOutput {
public:
  /// Throws Failure if no trace can be made at `path`, or if what is there must
  /// not be replaced: it is no trace, or a live run is writing it.
  explicit TraceOutput(std::string path);

  const std::string &path() const { return path_; }

  /// A process of the run has made the trace at `path` (absolute), open at
  /// `fd`. Returns where the trace is from now on. `problem` says why the
  /// earlier trace could not be replaced.
  std::string take(int fd, const std::string &path, std::string &problem);

private:
  /// A file that was there before.
  struct Earlier {
    std::string path;
    dev_t device;
    ino_t inode;
    bool is_still_there() const;
  };
  bool replace(const std::string &path, std::string &problem);

  std::string path_;
  std::vector<Earlier> earlier_; ///< to be replaced, FILE itself first
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_RECORD_TRACE_FILES_H
