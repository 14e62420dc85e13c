//===- live_processes.cpp - The processes that are being recorded ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "top/live_processes.h"

#include "control/target_process.h"
#include "engines/process_facts.h"
#include "pagetide/trace_format.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace pagetide::tools {

namespace {

// The runtime's threads have descriptors of their own, apart from the
// program's. The thread that writes the trace has the trace open, whoever began
// the recording, and whatever the file is called. So /proc tells which process
// writes which trace, and the process is not disturbed.

namespace fs = std::filesystem;

/// The runtime's name of the thread that writes the trace
/// (runtime/trace/trace_writer.cpp).
constexpr std::string_view kWriterName = "pagetide-write";

/// The entries of a directory; fewer if they vanish meanwhile.
std::vector<fs::path> entries_of(const fs::path &directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator at(directory, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error))
    entries.push_back(at->path());
  return entries;
}

bool is_writer(const fs::path &task) {
  std::ifstream file(task / "comm");
  std::string name;
  return std::getline(file, name) && name == kWriterName;
}

/// The file behind a descriptor of the writer, if it is a trace.
std::optional<OpenTrace> trace_behind(const fs::path &link) {
  std::error_code error;
  OpenTrace trace;
  trace.path = fs::read_symlink(link, error).string();
  // Others are sockets and memory files.
  if (error || !trace.path.starts_with('/') ||
      trace.path.starts_with("/memfd:"))
    return std::nullopt;
  trace.fd.reset(
      ::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (!trace.fd || ::fstat(trace.fd.get(), &status) != 0 ||
      !S_ISREG(status.st_mode))
    return std::nullopt;
  char magic[sizeof(trace::kMagic)];
  if (::pread(trace.fd.get(), magic, sizeof(magic), 0) !=
          static_cast<ssize_t>(sizeof(magic)) ||
      std::memcmp(magic, trace::kMagic, sizeof(magic)) != 0)
    return std::nullopt;
  trace.device = status.st_dev;
  trace.inode = status.st_ino;
  return trace;
}

/// The processes of the user, by rising numbers.
std::vector<pid_t> processes_of(uid_t user) {
  std::vector<pid_t> processes;
  for (const fs::path &entry : entries_of("/proc")) {
    const std::string name = entry.filename().string();
    const char *end = name.data() + name.size();
    pid_t pid = 0;
    const auto [stop, error] = std::from_chars(name.data(), end, pid);
    struct stat status;
    if (error == std::errc() && stop == end &&
        ::stat(entry.c_str(), &status) == 0 && status.st_uid == user)
      processes.push_back(pid);
  }
  std::sort(processes.begin(), processes.end());
  return processes;
}

/// The trace that the process writes. Nothing if it writes none, or if /proc
/// does not tell us.
std::optional<OpenTrace> open_trace_of(pid_t pid) {
  for (const fs::path &task : entries_of(fmt::format("/proc/{}/task", pid)))
    if (is_writer(task))
      for (const fs::path &link : entries_of(task / "fd"))
        if (std::optional<OpenTrace> trace = trace_behind(link))
          return trace;
  return std::nullopt;
}

/// Each trace that is followed takes some hundred KiB.
constexpr std::size_t kMaxFollowed = 500;
/// How long a process is listed after its end.
constexpr auto kKeepEnded = std::chrono::seconds(10);
/// No trace is read longer than this while others wait.
constexpr auto kTurn = std::chrono::milliseconds(20);

bool is_stopped(pid_t pid) {
  const std::optional<ProcessStatus> status = read_process_status(
      read_proc_file(fmt::format("/proc/{}/status", pid)).value_or(""));
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
      has_more |= (!process->is_read && process->problem.empty());
    }
  }
  for (const auto &process : all_)
    process->figures = process->trace->figures();
}

} // namespace pagetide::tools
