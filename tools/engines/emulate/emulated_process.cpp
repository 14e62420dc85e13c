//===- emulated_process.cpp - A process in QEMU, and its trace ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/emulated_process.h"

#include "engines/process_facts.h"
#include "support/clock.h"

#include "pagetide/engines.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pagetide::tools {

namespace {

/// The program's words, without QEMU's: qemu [-option value]... file [word]...
Process program_in(pid_t pid, const EmulatedRunFacts &facts) {
  Process process = process_of(pid);
  process.engine = engines::of(engines::Kind::kEmulate).name;
  process.options = facts.options;
  process.runtime_version = PAGETIDE_VERSION;
  std::vector<std::string> &words = process.arguments;
  std::string name;
  std::size_t at = 1;
  for (; at + 1 < words.size() && words[at].starts_with('-'); at += 2)
    if (words[at] == "-0")
      name = words[at + 1];
  if (at >= words.size())
    return process;
  process.executable = words[at];
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  words[0] = name;
  return process;
}

} // namespace

EmulatedProcess::EmulatedProcess(pid_t pid, UniqueFd memory,
                                 const EmulatedRunFacts &facts,
                                 TraceOutput *output)
    : pid_(pid), pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
      file_(std::move(memory)), qemu_(facts.qemu) {
  if (!output)
    return;
  OutsideTraceStart start;
  start.run = facts.run;
  start.pid = pid;
  start.parent = parent_of(pid);
  start.process = program_in(pid, facts);
  start.layout = emulation::kLayout;
  start.per_thread = facts.per_thread;
  start.period_ns = facts.period_ns;
  trace_ = std::make_unique<OutsideTrace>(*output, start);
}

bool EmulatedProcess::has_ended() const {
  pollfd poll_fd = {pidfd_.get(), POLLIN, 0};
  return !pidfd_ || ::poll(&poll_fd, 1, 0) == 1;
}

/// QEMU's own file and all that lies above it are not the program's: QEMU gives
/// the program memory from 256 GiB on. (The program can ask for more at fixed
/// addresses. Such pages are in the sets, without a name.)
Mappings EmulatedProcess::mappings() const {
  Mappings list = mappings_of(pid_).value_or(Mappings());
  std::vector<Mapping> &all = list.mappings;
  all.erase(std::ranges::find_if(
                all, [&](const Mapping &m) { return m.name == qemu_; }),
            all.end());
  return list;
}

void EmulatedProcess::write_threads(
    const std::vector<MarkedFile::Change> &changes) {
  Threads threads;
  for (const MarkedFile::Change &change : changes) {
    std::string name =
        read_proc_file(fmt::format("/proc/{}/task/{}/comm", pid_, change.tid))
            .value_or("");
    name.resize(std::min(name.find('\n'), name.size()));
    threads.records.push_back(
        {change.event, change.tid, monotonic_ns(), std::move(name)});
  }
  if (!threads.records.empty())
    trace_->threads(threads);
}

void EmulatedProcess::boundary(unsigned flags, std::uint64_t overruns) {
  PeriodPart part;
  part.flags = static_cast<std::uint8_t>(flags);
  part.end_ns = monotonic_ns();
  part.overruns = overruns;
  PeriodBuilder builder{
      Geometry{emulation::kLayout, emulation::kShift, emulation::kShift}};
  std::vector<MarkedFile::Change> changes;
  const bool any = file_.take(builder, changes);
  // After its last look a process is no more, or executes: nobody looks then.
  if (!trace_ || (looked_last_ && !any))
    return;
  looked_last_ = left_ = false;
  if (Mappings now = mappings(); !now.mappings.empty())
    trace_->mappings(std::move(now));
  write_threads(changes);
  if (file_.threads_shared() && !told_of_sharing_) {
    told_of_sharing_ = true;
    trace_->note(trace::NoteCode::kThreadsShared,
                 fmt::format("more than {} threads at a time: the others' "
                             "accesses are listed under tid 0",
                             emulation::kMaxSlots - 1));
  }
  builder.build(part);
  trace_->period(std::move(part));
}

void EmulatedProcess::finish(bool exec, std::uint64_t detail) {
  const bool announced = looked_last_;
  exec |= left_;
  boundary(announced ? trace::kPeriodFinal : trace::kPeriodPartial);
  killed_ = !announced && !exec;
  if (!trace_)
    return;
  trace_->end(exec      ? trace::EndReason::kExec
              : killed_ ? trace::EndReason::kKilled
                        : trace::EndReason::kExit,
              killed_ ? detail : 0);
}

void EmulatedProcess::stop() {
  boundary(trace::kPeriodFinal);
  if (trace_)
    trace_->end(trace::EndReason::kStop);
}

} // namespace pagetide::tools
