//===- outside_run.cpp - Recording by engines that watch from outside -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/outside_run.h"

#include "control/target_process.h"
#include "engines/process_facts.h"
#include "record/kernel_probe.h"
#include "support/elf_note.h"
#include "support/failure.h"
#include "support/say.h"
#include "support/text_format.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMostListed = 8;

struct Pipe {
  UniqueFd read, write;
  Pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0)
      throw Failure(fmt::format("pipe2: {}; raise the limit of open files "
                                "(ulimit -n)",
                                std::strerror(errno)));
    read.reset(fds[0]);
    write.reset(fds[1]);
  }
};

void say_traces_of(const Watcher &watcher) {
  // FILE first: with it, report finds all traces of the run.
  std::vector<Watcher::Trace> traces = watcher.traces();
  std::ranges::sort(traces, {}, [](const Watcher::Trace &trace) {
    return std::pair(trace.path.size(), trace.path);
  });
  for (std::size_t i = 0; i < traces.size() && i < kMostListed; ++i)
    say("trace: {} ({}){}{}", printable(traces[i].path),
        format_bytes(traces[i].bytes),
        traces[i].missing.empty() ? "" : ", INCOMPLETE: ", traces[i].missing);
  if (traces.size() > kMostListed)
    say("  and {} more", traces.size() - kMostListed);
  if (watcher.longest_pause_ns())
    say("all threads stood still for the end of each period, for {} at most",
        format_duration(watcher.longest_pause_ns()));
  if (!traces.empty())
    say("see {} with: {}", traces.size() == 1 ? "it" : "them",
        report_command(traces.front().path));
}

/// In the watcher's process. `ready` gets a byte when the child may go on.
/// Returns whether anything was recorded.
bool watch(const OutsideRun &run, pid_t child, int ready) {
  try {
    Watcher watcher(run.watch);
    if (child > 0)
      watcher.watch_child(child);
    else
      watcher.attach(run.pid);
    if (child > 0 && ::write(ready, "", 1) != 1)
      return false;
    try {
      watcher.run();
    } catch (const Failure &) {
      if (child > 0 && watcher.traces().empty())
        ::kill(child, SIGKILL); // it has run no instruction of the program
      throw;
    }
    say_traces_of(watcher);
    return !watcher.traces().empty() || !run.watch.output;
  } catch (const Failure &failure) {
    say("{}", failure.what());
  } catch (const std::exception &error) {
    say("recording ends: {}", error.what());
  }
  return false;
}

/// The watcher, as its starter sees it.
class WatcherProcess {
public:
  explicit WatcherProcess(const OutsideRun &run);
  ~WatcherProcess() { wait(); }
  pid_t pid() const { return pid_; }
  void stop() { stop_.write.reset(); }
  /// In the command's process: lets the watcher trace it. Returns an errno.
  int let_trace_this() const;
  /// Readable when it has ended.
  int result_fd() const { return result_.read.get(); }
  /// Returns whether it has recorded.
  bool wait();

private:
  Pipe stop_;   ///< readable for the watcher when this process ends
  Pipe child_;  ///< the number of the process to trace
  Pipe ready_;  ///< a byte, when it is traced
  Pipe result_; ///< a byte, if it has recorded
  pid_t pid_ = -1;
  bool has_ended_ = false;
  bool has_recorded_ = false;
};

WatcherProcess::WatcherProcess(const OutsideRun &run) {
  std::fflush(nullptr);
  pid_ = ::fork();
  if (pid_ < 0)
    throw Failure(fmt::format("fork: {}", std::strerror(errno)));
  if (pid_ > 0) {
    stop_.read.reset();
    child_.read.reset();
    ready_.write.reset();
    result_.write.reset();
    return;
  }
  ::setsid();
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(signal, SIG_IGN);
  stop_.write.reset();
  child_.write.reset();
  ready_.read.reset();
  result_.read.reset();
  OutsideRun mine = run;
  mine.watch.stop_fd = stop_.read.get();
  pid_t child = 0;
  if (!run.command.empty() &&
      ::read(child_.read.get(), &child, sizeof(child)) != sizeof(child))
    ::_exit(1);
  const bool recorded = watch(mine, child, ready_.write.get());
  std::fflush(nullptr);
  ::_exit(recorded && ::write(result_.write.get(), "", 1) == 1 ? 0 : 1);
}

/// After vfork: no memory is written that the parent needs.
int WatcherProcess::let_trace_this() const {
  const pid_t self = ::getpid();
  ::prctl(PR_SET_PTRACER, pid_, 0, 0, 0);
  // The first write to a huge page would count as a write to all of it.
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  char byte;
  if (::write(child_.write.get(), &self, sizeof(self)) != sizeof(self) ||
      ::read(ready_.read.get(), &byte, 1) != 1)
    return ECANCELED;
  return 0;
}

bool WatcherProcess::wait() {
  char byte;
  while (!has_ended_) {
    const ssize_t got = ::read(result_.read.get(), &byte, 1);
    has_recorded_ |= got == 1;
    has_ended_ = got == 0 || (got < 0 && errno != EINTR);
  }
  return has_recorded_;
}

/// Until the watcher has ended. A signal to this process ends recording.
bool follow(WatcherProcess &watcher) {
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, &before);
  const UniqueFd signals(::signalfd(-1, &set, SFD_CLOEXEC));
  pollfd fds[] = {{signals.get(), POLLIN, 0}, {watcher.result_fd(), POLLIN, 0}};
  while (!fds[1].revents) {
    ::poll(fds, 2, -1);
    signalfd_siginfo info;
    if (fds[0].revents && ::read(signals.get(), &info, sizeof(info)) > 0)
      watcher.stop();
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return watcher.wait();
}

std::string field_of(const std::string &status, std::string_view name) {
  const std::size_t at = status.find(fmt::format("\n{}:\t", name));
  if (at == std::string::npos)
    return {};
  const std::size_t begin = at + name.size() + 3;
  return status.substr(begin, status.find('\n', begin) - begin);
}

} // namespace

OutsideResult run_outside(const OutsideRun &run) {
  OutsideResult result;
  const QuietPipes pipes;
  if (run.command.empty()) {
    WatcherProcess watcher(run);
    result.recorded = follow(watcher);
    return result;
  }
  WatcherProcess watcher(run);
  ChildProcess child(run.command, {}, {}, pipes,
                     [&watcher] { return watcher.let_trace_this(); });
  if (child.pid() < 0) {
    watcher.stop();
    watcher.wait();
    result.start_error = child.start_error();
    return result;
  }
  while (!child.exit_status()) {
    pollfd fd = {child.signal_fd(), POLLIN, 0};
    ::poll(&fd, 1, -1);
    child.handle_signals();
  }
  result.status = *child.exit_status();
  // Processes that it has started may still run, and are recorded.
  watcher.stop();
  result.recorded = watcher.wait();
  return result;
}

std::string why_not_to_attach(pid_t pid) {
  const std::optional<std::string> text =
      read_proc_file(fmt::format("/proc/{}/status", pid));
  const std::optional<ProcessStatus> status =
      text ? read_process_status(*text) : std::nullopt;
  if (!status)
    return fmt::format("there is no process {}; see: ps x", pid);
  const std::string name =
      fmt::format("process {} ({})", pid, printable(status->name));
  if (status->process == ::getpid())
    return fmt::format("{} is this recording itself; give another process",
                       name);
  if (status->process != pid)
    return fmt::format("{0} is a thread of process {1}; give the process: "
                       "--pid {1}",
                       pid, status->process);
  if (status->has_ended() && status->threads < 2)
    return fmt::format("{} has ended, and waits for its parent to take notice",
                       name);
  if (const std::string why = why_not_allowed(*status, ::geteuid());
      !why.empty())
    return fmt::format("{} {}", name, why);
  const std::string tracer = field_of(*text, "TracerPid");
  if (tracer != "0")
    return fmt::format("{} is traced by process {}, a debugger or another "
                       "recording; end that first",
                       name, tracer);
  const std::optional<std::string> maps =
      read_proc_file(fmt::format("/proc/{}/maps", pid));
  if (!maps)
    return fmt::format("{}: /proc/{}/maps cannot be read: {}; it has changed "
                       "its rights, or keeps others from reading its memory "
                       "(PR_SET_DUMPABLE); root may attach to it",
                       name, pid, std::strerror(errno));
  if (maps->empty())
    return fmt::format("{} is a thread of the kernel and has no memory of its "
                       "own; there is nothing to record",
                       name);
  if (read_control_maps(*maps).has_runtime)
    return fmt::format(
        "{} has Pagetide's runtime, which tells more than a look "
        "from outside; use: pagetide ctl {} start",
        name, pid);
  if (!examine_elf(fmt::format("/proc/{}/exe", pid)).is_elf)
    return fmt::format("{} is no x86-64 program of 64 bits; only such programs "
                       "can be recorded",
                       name);
  if (status->state == 'T' || status->state == 't')
    return fmt::format("{} is stopped by a signal; let it run (kill -CONT {}), "
                       "and attach then",
                       name, pid);
  return {};
}

engines::Kind engine_to_attach() {
  const std::string no_bits = probe_soft_dirty();
  if (no_bits.empty())
    return engines::Kind::kSoftDirty;
  const std::string no_uffd = probe_kernel_writes();
  if (no_uffd.empty())
    return engines::Kind::kUffd;
  throw Failure(fmt::format("--pid: {}, and engine uffd cannot work either: {}",
                            no_bits, no_uffd));
}

} // namespace pagetide::tools
