//===- control_server.h - Keeps in touch with the processes being recorded ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/trace_files.h"
#include "record/harvest.h"
#include "record/run_socket.h"
#include "support/unique_fd.h"

#include "pagetide/shadow_file.h"

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// The control socket of pagetide/shadow_file.h. It receives the Hello of every
/// recording process. When such a process has ended, it completes the trace.
class ControlServer {
public:
  /// A trace whose process has ended.
  struct Trace {
    pid_t pid = 0;
    std::string path;
    bool gives_way = false; ///< as the process said (Hello)
    std::uint64_t bytes = 0;
    HarvestResult harvest;
    std::string failure; ///< why it could not be completed; empty if it was
    std::string missing; ///< what it lacks (Completeness::sentence)
  };
  struct Live {
    pid_t pid = 0;
    std::string path; ///< empty if it records without a trace
  };

  /// A process that said why it is not recorded.
  struct Unrecorded {
    pid_t pid = 0;
    shadow_file::NoticeKind kind = shadow_file::NoticeKind::kRefused;
    std::string name; ///< as it was started; printable
  };

  /// Throws Failure if there can be no socket.
  ControlServer();
  ControlServer(const ControlServer &) = delete;

  const std::string &socket_path() const { return socket_.path(); }

  /// Descriptors to poll before the next call of serve(), and the longest time
  /// to wait (-1: no limit).
  void add_poll_fds(std::vector<pollfd> &fds) const;
  int poll_timeout_ms() const;
  /// Handles all that has arrived. Does not wait.
  void serve();
  /// Takes processes whose connection has closed for ended, without waiting any
  /// longer for proof.
  void finish_hung_up();
  /// At the end: removes traces that lack nothing, because their processes were
  /// killed before they began to record.
  void remove_unbegun() const;

  /// The place of the run's traces, if it has any. Must outlive the server.
  void set_output(TraceOutput *output) { output_ = output; }
  /// The command. The caller waits for its end, and calls command_ended().
  void set_command(pid_t pid) { command_pid_ = pid; }
  void command_ended(std::uint64_t end_detail) {
    command_end_detail_ = end_detail;
  }

  /// Whether any process ever said Hello.
  bool anyone_came() const { return anyone_came_; }
  /// Whether any process is still connected.
  bool anyone_left() const { return !processes_.empty(); }
  std::vector<Live> live() const;
  const std::vector<Trace> &traces() const { return traces_; }
  const std::vector<Unrecorded> &unrecorded() const { return unrecorded_; }
  /// Whether processes still wait to be accepted because there are not enough
  /// descriptors for all processes at the same time. One that has come since
  /// the last look is none of these.
  bool anyone_waits() const;
  /// Messages for the user. The caller prints and clears them.
  std::vector<std::string> &messages() { return messages_; }

private:
  using Clock = std::chrono::steady_clock;

  struct Process {
    pid_t pid = 0;
    UniqueFd connection;
    UniqueFd pidfd; ///< readable once the process has ended; may be missing
    UniqueFd memfd;
    UniqueFd trace;
    std::string path;
    bool gives_way = false;
    bool introduced = false;
    bool gone = false; ///< it ended before pidfd_open
    std::optional<Clock::time_point> hung_up;
  };

  bool may_accept() const { return processes_.size() < most_processes_; }
  bool accept_one();
  void receive_all(Process &process);
  bool take_notice(const Process &process, const char *bytes, std::size_t size);
  void take_hello(Process &process, const char *bytes, std::size_t size,
                  std::vector<UniqueFd> &fds);
  void name_after_marks(Process &process);
  bool has_ended(const Process &process) const;
  void finish(Process &process);

  TraceOutput *output_ = nullptr;
  RunSocket socket_;
  std::vector<Process> processes_;
  std::vector<Trace> traces_;
  std::vector<Unrecorded> unrecorded_;
  std::vector<std::string> messages_;
  bool anyone_came_ = false;
  bool lacks_descriptors_ = false; ///< at the last look for connections
  std::size_t most_processes_ = 1;
  pid_t command_pid_ = -1;
  std::optional<std::uint64_t> command_end_detail_;
};

/// Tells the `pagetide record` that started this process, if there is one, that
/// the processes started here will record for this one instead.
void notify_outer_record();

} // namespace pagetide::tools
