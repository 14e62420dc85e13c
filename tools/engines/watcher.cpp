//===- watcher.cpp - Watches processes from outside and writes traces -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/watcher.h"

#include "engines/process_facts.h"
#include "engines/remote_calls.h"
#include "support/clock.h"
#include "support/failure.h"
#include "support/say.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

UniqueFd child_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool has_filter(pid_t task) {
  return read_proc_file(fmt::format("/proc/{}/status", task))
             .value_or("")
             .find("Seccomp:\t0") == std::string::npos;
}

} // namespace

Watcher::Watcher(const WatchRequest &request)
    : request_(request), run_(new_run_id()), signals_(child_signals()) {}

//===- The memory of a process --------------------------------------------===//

/// Lets the engine begin. The task is stopped.
void Watcher::begin_engine(TracedTask &task, Opened how, WatchedSpace &space) {
  const bool by_uffd = request_.engine == engines::Kind::kUffd;
  const bool filtered = has_filter(task.tid);
  if (by_uffd && filtered)
    throw Failure(fmt::format("a filter of system calls (seccomp) is in force "
                              "in process {}, so userfaultfd must not be "
                              "called there; take --engine soft-dirty",
                              task.process));
  space.allows_huge_pages = task.allows_huge_pages;
  if (by_uffd || (how == Opened::kAttached && !filtered)) {
    RemoteCalls calls(task.tid, how == Opened::kExec
                                    ? RemoteCalls::From::kExec
                                    : RemoteCalls::From::kUserMode);
    // The first write to a huge page would count as a write to all of it. What
    // a process has forbidden holds for its children, and after exec.
    if (how == Opened::kAttached &&
        calls.call(SYS_prctl, {PR_GET_THP_DISABLE}) == 0 &&
        calls.call(SYS_prctl, {PR_SET_THP_DISABLE, 1}) == 0)
      space.allows_huge_pages = true;
    if (by_uffd)
      space.engine = make_outside_uffd(task.process, calls);
    else
      split_huge_pages(task.tid, calls);
  }
  if (!by_uffd)
    space.engine = make_soft_dirty(task.tid);
}

void Watcher::begin_trace(const TracedTask &task, WatchedSpace &space,
                          const Mappings &mappings) {
  OutsideTraceStart start;
  start.run = run_;
  start.pid = task.process;
  start.parent = parent_of(task.tid);
  start.process = process_of(task.tid);
  start.process.engine = engines::of(request_.engine).name;
  start.process.options = request_.options;
  start.process.runtime_version = PAGETIDE_VERSION;
  start.period_ns = request_.period_ns;
  space.trace = std::make_unique<OutsideTrace>(*request_.output, start);
  if (!task.parent_trace.empty())
    space.trace->note(trace::NoteCode::kForked, task.parent_trace);
  space.trace->mappings(mappings);
  name_unseen(space, mappings);
}

/// Begins to record the task's memory. If that is impossible, it says so, or
/// throws Failure if nothing is recorded yet.
void Watcher::open_space(TracedTask &task, Opened how) {
  std::unique_ptr<WatchedSpace> made;
  WatchedSpace *space = task.space;
  if (!space) {
    made = std::make_unique<WatchedSpace>();
    space = made.get();
    space->process = task.process;
  }
  try {
    const std::optional<Mappings> mappings = mappings_of(task.tid);
    if (!mappings)
      throw Failure("it has no memory");
    begin_engine(task, how, *space);
    space->engine->begin(task.tid, *mappings);
    if (request_.output)
      begin_trace(task, *space, *mappings);
  } catch (const Failure &failure) {
    const bool is_first = traces_.empty() && spaces_.size() == (made ? 0 : 1);
    if (is_first)
      throw;
    say("process {} is not recorded: {}", task.process, failure.what());
    return;
  }
  if (made) {
    space->tasks.insert(task.tid);
    task.space = space;
    spaces_.push_back(std::move(made));
  }
}

/// The trace names each range once.
void Watcher::name_unseen(WatchedSpace &space, const Mappings &now) {
  for (const UnseenRange &unseen : space.engine->unseen()) {
    const MemoryRange range = unseen.range;
    const auto is_it = [&](const MemoryRange &r) {
      return r.begin == range.begin && r.end == range.end;
    };
    const bool is_there =
        std::ranges::any_of(now.mappings, [&](const Mapping &mapping) {
          return mapping.start <= range.begin &&
                 range.end <= mapping.start + mapping.bytes;
        });
    if (!is_there || std::ranges::any_of(space.told, is_it))
      continue;
    space.told.push_back(range);
    space.trace->note(trace::NoteCode::kLost,
                      fmt::format("writes to {:#x}-{:#x} are not seen by "
                                  "engine {}: {}",
                                  range.begin, range.end,
                                  engines::of(request_.engine).name,
                                  unseen.why));
  }
  space.engine->unseen().clear();
}

/// Takes what was written until now. Throws nothing: a failure ends the
/// recording of this process.
void Watcher::take_period(WatchedSpace &space, std::uint8_t flags,
                          std::uint64_t stopped_ns) {
  const auto lives = std::ranges::find_if(space.tasks, [&](pid_t tid) {
    return tasks_.at(tid).stopped || !tasks_.at(tid).exiting;
  });
  if (!space.engine || lives == space.tasks.end())
    return;
  const pid_t task = *lives;
  try {
    PeriodPart period;
    period.flags = flags;
    period.end_ns = monotonic_ns();
    const std::optional<Mappings> mappings = mappings_of(task);
    if (!mappings)
      throw Failure("the process was killed while its last period was read, so "
                    "the writes of that are not known");
    const std::vector<GranuleRun> runs = space.engine->collect(task, *mappings);
    period.overruns = std::exchange(space.overruns, 0);
    if (stopped_ns)
      resume_all(space);
    const std::uint64_t pause = monotonic_ns() - stopped_ns;
    if (stopped_ns)
      longest_pause_ns_ = std::max(longest_pause_ns_, pause);
    if (!space.trace)
      return;
    space.trace->mappings(*mappings);
    if (!space.engine->unseen().empty())
      name_unseen(space, mappings_of(task).value_or(*mappings));
    if (!runs.empty())
      period.add_section(0, runs);
    if (stopped_ns)
      space.trace->cut(period.end_ns, pause);
    space.trace->period(std::move(period));
  } catch (const Failure &failure) {
    lose(space, failure.what());
  }
}

void Watcher::lose(WatchedSpace &space, const std::string &why) {
  if (!space.engine)
    return;
  say("process {}: {}", space.process, why);
  space.engine.reset();
  try {
    if (space.trace) {
      space.trace->note(trace::NoteCode::kLost, why);
      close_space(space, trace::EndReason::kFailed, 0);
      traces_.back().missing = why;
    }
  } catch (const Failure &failure) {
    say("{}", failure.what()); // a full disk
    traces_.push_back({space.process, space.trace->path(), space.trace->bytes(),
                       failure.what()});
    space.trace.reset();
  }
}

void Watcher::close_space(WatchedSpace &space, trace::EndReason reason,
                          std::uint64_t detail) {
  space.engine.reset();
  if (!space.trace)
    return;
  space.trace->end(reason, detail);
  traces_.push_back(
      {space.process, space.trace->path(), space.trace->bytes(), {}});
  space.trace.reset();
}

/// The task ended, or has other memory now.
void Watcher::leave_space(TracedTask &task, trace::EndReason reason) {
  WatchedSpace *const space = std::exchange(task.space, nullptr);
  if (!space)
    return;
  space->tasks.erase(task.tid);
  if (!space->tasks.empty())
    return;
  if (space->trace) {
    try {
      space->trace->note(
          trace::NoteCode::kLost,
          fmt::format("the writes of the period that was open when the process "
                      "{} are not known: its memory was gone before",
                      reason == trace::EndReason::kExec ? "called exec"
                                                        : "was killed"));
      close_space(*space, reason, 0);
    } catch (const Failure &failure) {
      lose(*space, failure.what());
    }
  }
  if (held_ == space)
    held_ = nullptr;
  const auto found = std::ranges::find_if(
      spaces_, [&](const auto &s) { return s.get() == space; });
  if (found != spaces_.end()) {
    ended_.push_back(std::move(*found));
    spaces_.erase(found);
  }
}

/// A period of the clock ends.
void Watcher::end_period(WatchedSpace &space) {
  if (!space.engine)
    return;
  if (!space.engine->needs_stop()) {
    take_period(space, 0);
    return;
  }
  const std::uint64_t begin = monotonic_ns();
  if (!stop_all(space)) {
    // What it writes counts for a longer period.
    ++space.overruns;
    resume_all(space);
    return;
  }
  take_period(space, 0, begin);
  resume_all(space);
}

//===- The loop -----------------------------------------------------------===//

void Watcher::run() {
  const std::uint64_t begun = monotonic_ns();
  std::uint64_t next = begun + request_.period_ns;
  while (!tasks_.empty() || !early_.empty()) {
    ended_.clear();
    std::uint64_t now = monotonic_ns();
    std::uint64_t until = next;
    if (request_.for_ns)
      until = std::min(until, begun + request_.for_ns);
    // Rounded up: a millisecond too late rather than a loop that waits.
    const std::uint64_t left =
        now < until ? (until - now + kNsPerMs - 1) / kNsPerMs : 0;
    wait_for_something(static_cast<int>(std::min<std::uint64_t>(left, 60'000)));
    reap();
    adopt_orphans();
    now = monotonic_ns();
    if (stops_ || (request_.for_ns && now >= begun + request_.for_ns)) {
      stops_ = true;
      detach_all();
      return;
    }
    if (now < next)
      continue;
    const std::uint64_t missed = (now - next) / request_.period_ns;
    next += (missed + 1) * request_.period_ns;
    std::vector<WatchedSpace *> spaces;
    for (const auto &space : spaces_) {
      space->overruns += missed;
      spaces.push_back(space.get());
    }
    for (WatchedSpace *space : spaces)
      if (std::ranges::any_of(spaces_,
                              [&](const auto &s) { return s.get() == space; }))
        end_period(*space);
  }
}

/// Leaves all as if nobody had watched.
void Watcher::detach_all() {
  while (!spaces_.empty()) {
    WatchedSpace &space = *spaces_.front();
    if (!stop_all(space))
      say("process {}: a thread is in an uninterruptible system call; it is "
          "released later",
          space.process);
    if (space.tasks.empty())
      continue; // it ended meanwhile
    take_period(space, trace::kPeriodFinal);
    // Whoever waits for an event goes on by this.
    try {
      close_space(space, trace::EndReason::kStop, 0);
    } catch (const Failure &failure) {
      lose(space, failure.what());
    }
    const auto caller = std::ranges::find_if(space.tasks, [&](pid_t tid) {
      const TracedTask &task = tasks_.at(tid);
      return task.stopped && task.in_user_mode && !task.listens;
    });
    try {
      if (space.allows_huge_pages && caller != space.tasks.end())
        RemoteCalls(*caller).call(SYS_prctl, {PR_SET_THP_DISABLE, 0});
    } catch (const Failure &failure) {
      say("process {}: huge pages stay switched off: {}", space.process,
          failure.what());
    }
    const std::set<pid_t> tasks = space.tasks;
    for (const pid_t tid : tasks) {
      TracedTask &task = tasks_.at(tid);
      repair_call(task);
      if (task.stopped)
        ::ptrace(PTRACE_DETACH, tid, nullptr, static_cast<long>(task.signal));
      tasks_.erase(tid);
    }
    held_ = nullptr;
    ended_.push_back(std::move(spaces_.front()));
    spaces_.erase(spaces_.begin());
  }
}

} // namespace pagetide::tools
