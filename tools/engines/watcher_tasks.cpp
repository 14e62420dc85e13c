//===- watcher_tasks.cpp - The threads that a watcher traces --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/process_facts.h"
#include "engines/remote_calls.h"
#include "engines/watcher.h"
#include "support/clock.h"
#include "support/failure.h"
#include "support/say.h"

#include <poll.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace pagetide::tools {

namespace {

constexpr unsigned long kTraceOptions =
    PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
    PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT |
    PTRACE_O_TRACESYSGOOD;
constexpr std::uint64_t kMs = 1'000'000;

bool stops_the_process(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
         signal == SIGTTOU;
}

/// The letter of /proc/TID/stat; 0: there is no such thread.
char state_of(pid_t tid) {
  const std::string text =
      read_proc_file(fmt::format("/proc/{}/stat", tid)).value_or("");
  const std::size_t at = text.rfind(')');
  return at == std::string::npos || at + 2 >= text.size() ? '\0' : text[at + 2];
}

pid_t process_of_task(pid_t tid) {
  const std::string text =
      read_proc_file(fmt::format("/proc/{}/status", tid)).value_or("");
  const std::size_t at = text.find("Tgid:");
  return at == std::string::npos ? tid : std::atoi(text.c_str() + at + 5);
}

bool share_memory(pid_t a, pid_t b, bool if_unknown) {
  constexpr int kCompareMemory = 1; // KCMP_VM
  const long result = ::syscall(SYS_kcmp, a, b, kCompareMemory, 0, 0);
  return result < 0 ? if_unknown : result == 0;
}

std::string why_not_seized(pid_t tid, int error) {
  const std::string scope =
      read_proc_file("/proc/sys/kernel/yama/ptrace_scope").value_or("0\n");
  if (error == EPERM && scope[0] != '0')
    return fmt::format("thread {} cannot be traced: {}; kernel.yama."
                       "ptrace_scope is {}, so only root may trace a process "
                       "that it did not start (3: nobody); run as root, or set "
                       "it to 0",
                       tid, std::strerror(error), scope.substr(0, 1));
  return fmt::format("thread {} cannot be traced: {}; a container may forbid "
                     "ptrace, or a debugger is attached",
                     tid, std::strerror(error));
}

unsigned long event_message(pid_t tid) {
  unsigned long message = 0;
  ::ptrace(PTRACE_GETEVENTMSG, tid, nullptr, &message);
  return message;
}

} // namespace

void Watcher::seize(pid_t tid) {
  if (::ptrace(PTRACE_SEIZE, tid, nullptr, kTraceOptions) != 0)
    throw Failure(why_not_seized(tid, errno));
}

TracedTask &Watcher::add_task(pid_t tid, pid_t process, WatchedSpace *space) {
  TracedTask &task = tasks_[tid];
  task.tid = tid;
  task.process = process;
  task.space = space;
  if (space)
    space->tasks.insert(tid);
  return task;
}

void Watcher::watch_child(pid_t pid) {
  seize(pid);
  add_task(pid, pid, nullptr);
}

void Watcher::attach(pid_t pid) {
  attached_ = true;
  auto space = std::make_unique<WatchedSpace>();
  space->process = pid;
  held_ = space.get();
  // Threads that start meanwhile are traced from their first instruction on,
  // if a traced thread starts them.
  bool found = true;
  while (found) {
    found = false;
    const std::string directory = fmt::format("/proc/{}/task", pid);
    std::error_code error;
    for (const auto &entry :
         std::filesystem::directory_iterator(directory, error)) {
      const pid_t tid = std::atoi(entry.path().filename().c_str());
      if (tasks_.contains(tid) || early_.contains(tid))
        continue;
      if (::ptrace(PTRACE_SEIZE, tid, nullptr, kTraceOptions) != 0) {
        if (errno == ESRCH || state_of(tid) == 'Z' || state_of(tid) == 0)
          continue;
        if (errno == EPERM && !tasks_.empty()) {
          reap(); // its parent's event has told of it
          if (tasks_.contains(tid) || early_.contains(tid))
            continue;
        }
        throw Failure(why_not_seized(tid, errno));
      }
      add_task(tid, pid, space.get());
      found = true;
    }
    reap();
  }
  if (space->tasks.empty())
    throw Failure(fmt::format("there is no process {}: it has ended", pid));
  WatchedSpace &watched = *space;
  spaces_.push_back(std::move(space));
  // A thread that was stopped as a signal came cannot make calls.
  TracedTask *caller = nullptr;
  for (int tries = 0; !caller && tries < 100; ++tries) {
    if (!stop_all(watched)) {
      resume_all(watched);
      throw Failure(fmt::format("process {}: a thread is in an "
                                "uninterruptible system call; try again",
                                pid));
    }
    for (const pid_t tid : watched.tasks)
      if (TracedTask &task = tasks_.at(tid);
          task.stopped && task.in_user_mode && !task.signal && !task.listens)
        caller = &task;
    if (!caller)
      resume_all(watched);
  }
  if (!caller)
    throw Failure(fmt::format("process {} is stopped by a signal; let it run "
                              "(kill -CONT {}), and attach then",
                              pid, pid));
  open_space(*caller, Opened::kAttached);
  held_ = nullptr;
  resume_all(watched);
}

//===- What threads report ------------------------------------------------===//

void Watcher::reap() {
  int status;
  for (pid_t tid; (tid = ::waitpid(-1, &status, __WALL | WNOHANG)) > 0;)
    take_status(tid, status);
}

void Watcher::take_status(pid_t tid, int status) {
  if (!WIFSTOPPED(status)) {
    early_.erase(tid);
    forget_task(tid);
    return;
  }
  const auto found = tasks_.find(tid);
  if (found != tasks_.end()) {
    take_stop(found->second, status);
  } else if (status >> 16 == PTRACE_EVENT_EXIT) {
    // Killed before its first instruction: its parent may have been, too, and
    // tell nothing.
    early_.erase(tid);
    ::ptrace(PTRACE_CONT, tid, nullptr, 0L);
  } else {
    early_[tid] = {status, monotonic_ns()};
  }
}

/// Processes whose parents were killed before they could tell of them.
void Watcher::adopt_orphans() {
  constexpr std::uint64_t kPatience = 1000 * kMs;
  const auto orphan = std::ranges::find_if(early_, [](const auto &early) {
    return monotonic_ns() - early.second.since_ns > kPatience;
  });
  if (orphan == early_.end())
    return;
  const auto [tid, stop] = *orphan;
  early_.erase(orphan);
  TracedTask &task = add_task(tid, process_of_task(tid), nullptr);
  task.is_new = true;
  take_stop(task, stop.status);
}

void Watcher::take_stop(TracedTask &task, int status) {
  const int event = status >> 16;
  const int signal = WSTOPSIG(status);
  task.stopped = true;
  task.listens = false;
  task.in_user_mode = event == PTRACE_EVENT_STOP;
  task.signal = 0;
  switch (event) {
  case PTRACE_EVENT_CLONE:
  case PTRACE_EVENT_FORK:
  case PTRACE_EVENT_VFORK:
    take_new_task(task, event == PTRACE_EVENT_VFORK);
    break;
  case PTRACE_EVENT_VFORK_DONE:
    task.in_vfork = false;
    break;
  case PTRACE_EVENT_EXEC:
    take_exec(task);
    break;
  case PTRACE_EVENT_EXIT:
    take_exit(task);
    break;
  case PTRACE_EVENT_STOP:
    task.listens = stops_the_process(signal);
    if (task.is_new)
      first_stop(task);
    break;
  case 0:
    task.signal = signal == (SIGTRAP | 0x80) ? 0 : signal;
    break;
  default:
    break;
  }
  if (!held_ || task.space != held_)
    resume(task);
}

/// A thread that the parent has made, or a process.
void Watcher::take_new_task(TracedTask &parent, bool is_vfork) {
  const auto tid = static_cast<pid_t>(event_message(parent.tid));
  parent.in_vfork = is_vfork;
  // One that was killed may have been reaped before its parent told of it.
  if (tid == 0 || tasks_.contains(tid) || state_of(tid) == 0)
    return;
  const pid_t process = process_of_task(tid);
  const bool same = process == parent.process ||
                    share_memory(parent.tid, tid, /*if_unknown=*/is_vfork);
  TracedTask &task = add_task(tid, process, same ? parent.space : nullptr);
  task.is_new = true;
  if (!same && parent.space) {
    task.allows_huge_pages = parent.space->allows_huge_pages;
    if (parent.space->trace)
      task.parent_trace = parent.space->trace->path();
  }
  const auto early = early_.find(tid);
  if (early == early_.end())
    return;
  const int status = early->second.status;
  early_.erase(early);
  take_stop(task, status);
}

/// Of a thread that has run no instruction of the program.
void Watcher::first_stop(TracedTask &task) {
  task.is_new = false;
  if (!task.space && !stops_)
    open_space(task, Opened::kForked);
}

void Watcher::take_exec(TracedTask &task) {
  // The thread that called exec has the process's number now.
  const auto former = static_cast<pid_t>(event_message(task.tid));
  if (former != task.tid)
    forget_task(former);
  task.exiting = task.in_vfork = false;
  leave_space(task, trace::EndReason::kExec);
  if (!stops_)
    open_space(task, Opened::kExec);
}

void Watcher::take_exit(TracedTask &task) {
  task.exiting = true;
  task.is_new = false; // if it was killed before its first stop
  if (!task.space)
    return;
  for (const pid_t tid : task.space->tasks)
    if (!tasks_.at(tid).exiting)
      return;
  // The last one: its memory is still there.
  const auto status = static_cast<int>(event_message(task.tid));
  take_period(*task.space, trace::kPeriodFinal);
  if (task.space->trace)
    close_space(*task.space,
                WIFSIGNALED(status) ? trace::EndReason::kKilled
                                    : trace::EndReason::kExit,
                WIFSIGNALED(status)
                    ? 256u + static_cast<unsigned>(WTERMSIG(status))
                    : 0);
}

void Watcher::forget_task(pid_t tid) {
  const auto found = tasks_.find(tid);
  if (found == tasks_.end())
    return;
  leave_space(found->second, trace::EndReason::kKilled);
  tasks_.erase(found);
}

//===- Stopping and going on ----------------------------------------------===//

void Watcher::resume(TracedTask &task) {
  if (!task.stopped || task.is_new)
    return;
  repair_call(task);
  task.stopped = false;
  // If it has been killed meanwhile, its end is reported.
  ::ptrace(task.listens ? PTRACE_LISTEN : PTRACE_CONT, task.tid, nullptr,
           static_cast<long>(task.signal));
  task.signal = 0;
}

/// Threads that cannot run: they were stopped by a signal, wait for the child
/// of a vfork, or are the first thread, which ends after the others.
static bool stands_anyway(const TracedTask &task) {
  return task.listens || task.in_vfork || task.is_new ||
         (task.exiting && task.tid == task.process);
}

/// Whether each thread that does not stand still waits in the kernel.
bool Watcher::is_stuck(const WatchedSpace &space) const {
  return std::ranges::all_of(space.tasks, [&](pid_t tid) {
    const TracedTask &task = tasks_.at(tid);
    return task.stopped || stands_anyway(task) || state_of(tid) == 'D';
  });
}

/// Returns whether all threads of the space stand still. Otherwise some wait in
/// the kernel, where no stop reaches them.
bool Watcher::stop_all(WatchedSpace &space) {
  constexpr int kPatienceMs = 5;
  // A thread may be without a way to stop it for a moment.
  constexpr int kMostStuck = 40;
  held_ = &space;
  int stuck = 0;
  std::set<pid_t> interrupted;
  while (true) {
    reap();
    if (held_ != &space)
      return false; // all have ended
    bool all = true;
    for (const pid_t tid : space.tasks) {
      TracedTask &task = tasks_.at(tid);
      if (task.stopped || stands_anyway(task))
        continue;
      all = false;
      if (!task.exiting && interrupted.insert(tid).second)
        ::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
    }
    if (all)
      return true;
    wait_for_something(kPatienceMs);
    stuck = is_stuck(space) ? stuck + 1 : 0;
    if (stuck > kMostStuck)
      return false;
  }
}

void Watcher::resume_all(WatchedSpace &space) {
  held_ = nullptr;
  const std::set<pid_t> tasks = space.tasks;
  for (const pid_t tid : tasks)
    resume(tasks_.at(tid));
}

/// Lets the call that the stop interrupted begin again.
void Watcher::repair_call(TracedTask &task) {
  const std::uint64_t now = monotonic_ns();
  user_regs_struct registers;
  // If no handler runs, a signal does not interrupt the call either: untraced,
  // the kernel drops a signal that is ignored, and wakes nobody for it.
  if (!task.stopped || (!task.in_user_mode && !task.signal) ||
      ::ptrace(PTRACE_GETREGS, task.tid, nullptr, &registers) != 0)
    return;
  const bool goes_on = task.call_address == registers.rip &&
                       task.call_left == registers.r10 && task.call_ns != 0;
  const std::uint64_t elapsed_ms = goes_on ? (now - task.call_ns) / kMs : 0;
  task.call_ns = 0;
  if (!begin_call_again(registers, elapsed_ms))
    return;
  ::ptrace(PTRACE_SETREGS, task.tid, nullptr, &registers);
  task.call_address = registers.rip;
  task.call_left = registers.r10;
  task.call_ns = now;
}

/// Until a thread reports, or the time is over. Serves the engines.
void Watcher::wait_for_something(int timeout_ms) {
  std::vector<pollfd> fds = {{signals_.get(), POLLIN, 0},
                             {stops_ ? -1 : request_.stop_fd, POLLIN, 0}};
  for (const auto &space : spaces_)
    if (space->engine)
      fds.push_back({space->engine->event_fd(), POLLIN, 0});
  ::poll(fds.data(), fds.size(), timeout_ms);
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof(info)) == sizeof(info))
    ;
  if (fds[1].revents)
    stops_ = true;
  for (const auto &space : spaces_)
    if (space->engine)
      space->engine->serve_events();
}

} // namespace pagetide::tools
