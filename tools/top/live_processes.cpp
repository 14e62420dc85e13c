//===- live_processes.cpp - The processes that are being recorded ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "top/live_processes.h"

#include "control/target_process.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace pagetide::tools {

namespace {

/// Each trace that is followed takes some hundred KiB.
constexpr std::size_t kMaxFollowed = 500;
/// How long a process is listed after its end.
constexpr auto kKeepEnded = std::chrono::seconds(10);
/// No trace is read longer than this while others wait.
constexpr auto kTurn = std::chrono::milliseconds(20);

bool is_stopped(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::optional<ProcessStatus> status = read_process_status(text);
  return status && (status->state == 'T' || status->state == 't');
}

/// Why the trace ends, in a word or two.
std::string end_word(const End &end) {
  switch (end.reason) {
  case trace::EndReason::kStop:
    return "not recorded";
  case trace::EndReason::kKilled:
    return end.detail > 256 ? signal_name(static_cast<int>(end.detail - 256))
                            : "killed";
  case trace::EndReason::kFailed:
    return "failed";
  default:
    return end_reason_name(end);
  }
}

} // namespace

std::string LiveProcess::state() const {
  if (!problem.empty())
    return "unreadable";
  if (!is_read) {
    const std::uint64_t bytes = std::max<std::uint64_t>(trace->file_bytes(), 1);
    return fmt::format("reading {} %", 100 * trace->read_bytes() / bytes);
  }
  if (const std::optional<End> &end = trace->end(); end && is_gone)
    return end_word(*end);
  if (has_ended)
    return "killed";
  if (is_gone)
    return "ending";
  return is_stopped ? "stopped" : "running";
}

const LiveProcess *LiveProcesses::add(pid_t pid, OpenTrace file) {
  if (all_.size() >= kMaxFollowed) {
    ++left_out_;
    return nullptr;
  }
  auto process = std::make_unique<LiveProcess>();
  process->pid = pid;
  process->file = {UniqueFd(), file.path, file.device, file.inode};
  try {
    process->trace =
        std::make_unique<LiveTrace>(std::move(file.fd), std::move(file.path));
  } catch (const Failure &failure) {
    problems_.emplace_back(failure.what());
    return nullptr;
  }
  all_.push_back(std::move(process));
  return all_.back().get();
}

void LiveProcesses::look_for_processes(Clock::time_point now) {
  left_out_ = 0;
  problems_.clear();
  std::vector<const LiveProcess *> found;
  for (const pid_t pid :
       only_ ? std::vector{*only_} : processes_of(::geteuid())) {
    std::optional<OpenTrace> file = open_trace_of(pid);
    if (!file)
      continue;
    const auto known =
        std::find_if(all_.begin(), all_.end(), [&](const auto &process) {
          return process->pid == pid && !process->is_gone &&
                 process->file.is_same_file(*file);
        });
    if (known == all_.end()) {
      found.push_back(add(pid, std::move(*file)));
    } else {
      (*known)->is_stopped = is_stopped(pid);
      found.push_back(known->get());
    }
  }
  for (const auto &process : all_) {
    if (!process->is_gone &&
        std::find(found.begin(), found.end(), process.get()) == found.end()) {
      process->is_gone = true;
      process->gone_at = now;
    }
    if (process->is_gone && !process->has_ended &&
        !process->trace->is_being_written()) {
      process->has_ended = true;
      process->is_read = false;
      process->trace->set_ended();
    }
  }
}

void LiveProcesses::forget_ended(Clock::time_point now) {
  std::erase_if(all_, [&](const auto &process) {
    return process->has_ended && process.get() != kept_ && !only_ &&
           now - process->gone_at > kKeepEnded;
  });
}

void LiveProcesses::refresh(std::chrono::milliseconds patience) {
  const Clock::time_point now = Clock::now();
  look_for_processes(now);
  forget_ended(now);
  const Clock::time_point deadline = now + patience;
  for (const auto &process : all_)
    process->is_read = process->is_read && process->has_ended;
  bool has_more = true;
  while (has_more && Clock::now() < deadline) {
    has_more = false;
    for (const auto &process : all_) {
      if (process->is_read || !process->problem.empty())
        continue;
      try {
        process->is_read =
            process->trace->read(std::min(Clock::now() + kTurn, deadline));
      } catch (const Failure &failure) {
        process->problem = failure.what();
      }
      has_more = has_more || (!process->is_read && process->problem.empty());
    }
  }
  for (const auto &process : all_)
    process->figures = process->trace->figures();
}

} // namespace pagetide::tools
