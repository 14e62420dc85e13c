//===- watcher.h - Watches processes from outside and writes traces -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The watcher traces all threads of a process, and of the processes that it
// starts (ptrace). So it learns of new ones, of exec and of ends before the
// memory goes, and can stop all threads that share memory.

#pragma once

#include "analysis/trace_files.h"
#include "engines/outside_engine.h"
#include "engines/outside_trace.h"
#include "support/unique_fd.h"

#include "pagetide/engines.h"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pagetide::tools {

struct WatchRequest {
  engines::Kind engine = engines::Kind::kUffd;
  std::uint64_t period_ns = 0;
  std::uint64_t for_ns = 0; ///< 0: until the end
  std::string options;      ///< for the traces
  TraceOutput *output = nullptr;
  /// Recording ends when it is readable.
  int stop_fd = -1;
};

/// A process's memory, which several processes may share (vfork).
struct WatchedSpace {
  pid_t process = 0;
  std::set<pid_t> tasks; ///< those that run or may run
  std::unique_ptr<OutsideEngine> engine;
  std::unique_ptr<OutsideTrace> trace;
  std::vector<MemoryRange> told; ///< unseen memory that the trace names
  std::uint64_t overruns = 0;
  bool allows_huge_pages = false; ///< again, when recording ends
};

struct TracedTask {
  pid_t tid = 0;
  pid_t process = 0;
  WatchedSpace *space = nullptr; ///< none: it is not recorded
  bool stopped = false;
  bool in_user_mode = false; ///< the stop is not within a system call
  bool listens = false;      ///< stopped by a signal, for all to see
  bool exiting = false;
  bool in_vfork = false;
  bool is_new = false; ///< its first stop is still to come
  int signal = 0;      ///< to deliver when it goes on
  // Of a process that was made by fork.
  std::string parent_trace;
  bool allows_huge_pages = false;
  // Its interrupted call, and when that was made to begin again.
  std::uint64_t call_address = 0, call_left = 0, call_ns = 0;
};

class Watcher {
public:
  explicit Watcher(const WatchRequest &request);
  Watcher(const Watcher &) = delete;

  /// A child that waits before its exec; recording begins with that. Throws
  /// Failure.
  void watch_child(pid_t pid);
  /// All threads of a running process. Throws Failure.
  void attach(pid_t pid);
  /// Until all processes have ended, or recording has.
  void run();

  struct Trace {
    pid_t pid;
    std::string path;
    std::uint64_t bytes;
    std::string missing; ///< empty if it lacks nothing
  };
  const std::vector<Trace> &traces() const { return traces_; }
  std::uint64_t longest_pause_ns() const { return longest_pause_ns_; }

private:
  // Threads: watcher_tasks.cpp.
  void seize(pid_t tid);
  TracedTask &add_task(pid_t tid, pid_t process, WatchedSpace *space);
  void reap();
  void take_status(pid_t tid, int status);
  void take_stop(TracedTask &task, int status);
  void take_new_task(TracedTask &parent, bool is_vfork);
  void adopt_orphans();
  void first_stop(TracedTask &task);
  void take_exec(TracedTask &task);
  void take_exit(TracedTask &task);
  void forget_task(pid_t tid);
  void resume(TracedTask &task);
  bool stop_all(WatchedSpace &space);
  bool is_stuck(const WatchedSpace &space) const;
  void resume_all(WatchedSpace &space);
  void repair_call(TracedTask &task);
  void wait_for_something(int timeout_ms);

  // Memory: watcher.cpp.
  enum class Opened { kAttached, kForked, kExec };
  void open_space(TracedTask &task, Opened how);
  void begin_engine(TracedTask &task, Opened how, WatchedSpace &space);
  void begin_trace(const TracedTask &task, WatchedSpace &space,
                   const Mappings &mappings);
  void leave_space(TracedTask &task, trace::EndReason reason);
  /// `stopped_ns`: since when its threads stand, who then go on as soon as the
  /// kernel has been asked; 0: they do not, or stay as they are.
  void take_period(WatchedSpace &space, std::uint8_t flags,
                   std::uint64_t stopped_ns = 0);
  void end_period(WatchedSpace &space);
  void name_unseen(WatchedSpace &space, const Mappings &now);
  void close_space(WatchedSpace &space, trace::EndReason reason,
                   std::uint64_t detail);
  void lose(WatchedSpace &space, const std::string &why);
  void detach_all();

  WatchRequest request_;
  RunId run_;
  UniqueFd signals_; ///< SIGCHLD
  std::map<pid_t, TracedTask> tasks_;
  /// Stopped before their parents told of them.
  struct EarlyStop {
    int status;
    std::uint64_t since_ns;
  };
  std::map<pid_t, EarlyStop> early_;
  std::vector<std::unique_ptr<WatchedSpace>> spaces_;
  std::vector<std::unique_ptr<WatchedSpace>> ended_; ///< kept while in use
  WatchedSpace *held_ = nullptr; ///< its threads stay stopped
  std::vector<Trace> traces_;
  std::uint64_t longest_pause_ns_ = 0;
  bool stops_ = false;
  bool attached_ = false; ///< to what ran before
};

} // namespace pagetide::tools
