//===- target_process.cpp - The process that pagetide ctl reaches ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "control/target_process.h"

#include "engines/process_facts.h"
#include "pagetide/abi.h"
#include "pagetide/control.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <filesystem>

namespace pagetide::tools {

namespace {

constexpr int kMaxSignal = 64;
constexpr std::string_view kBlanks = " \t";

/// Removes the text up to the separator, and the separator.
std::string_view take_until(std::string_view &text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

/// Removes the blanks at the front and the word behind them.
std::string_view take_word(std::string_view &text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

/// The whole text must be the number.
template <typename T>
bool read_whole_number(std::string_view text, T &number, int base = 10) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

/// The marker that the mapping is, if it is one. `access` is as in
/// /proc/PID/maps.
std::optional<ControlMarker> marker_at(std::uint64_t start, std::uint64_t end,
                                       std::string_view access) {
  if (access != "---p" || start < control::kMarkerBase ||
      start >= control::kMarkerEnd || end - start != control::kMarkerBytes)
    return std::nullopt;
  const std::uint64_t place =
      (start - control::kMarkerBase) / control::kMarkerBytes;
  const ControlMarker marker{
      static_cast<std::uint32_t>(place / control::kMarkerSignals),
      static_cast<int>(place % control::kMarkerSignals)};
  if (marker.version == 0 || marker.signal < 1 || marker.signal > kMaxSignal)
    return std::nullopt;
  return marker;
}

std::optional<ProcessStatus> status_in(const std::string &directory) {
  const std::optional<std::string> text = read_proc_file(directory + "/status");
  return text ? read_process_status(*text) : std::nullopt;
}

[[noreturn]] void fail_ended(pid_t pid) {
  throw Failure("there is no process {}: it has ended", pid);
}

UniqueFd open_process(pid_t pid) {
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (pidfd)
    return pidfd;
  const int error = errno;
  if (error == ESRCH)
    throw Failure("there is no process {}", pid);
  const auto status = status_in(fmt::format("/proc/{}", pid));
  if (status && status->process != pid)
    throw Failure(
        "{0} is a thread of process {1}; give the process: pagetide ctl {1}",
        pid, status->process);
  throw Failure("process {} cannot be reached: pidfd_open failed: {}", pid,
                std::strerror(error));
}

/// The directory of the first living thread for whose status `wanted` is true;
/// empty if there is none.
template <typename Wanted>
std::string living_thread(pid_t pid, const Wanted &wanted) {
  std::error_code error;
  std::filesystem::directory_iterator tasks(fmt::format("/proc/{}/task", pid),
                                            error);
  for (; !error && tasks != std::filesystem::directory_iterator();
       tasks.increment(error))
    if (const auto of_task = status_in(tasks->path().string());
        of_task && !of_task->has_ended() && wanted(*of_task))
      return tasks->path().string();
  return {};
}

/// A directory of /proc that tells of the process. Where the first thread has
/// ended before the others, /proc/PID has no mappings.
std::string living_directory(pid_t pid) {
  std::string directory = fmt::format("/proc/{}", pid);
  const auto status = status_in(directory);
  if (!status || !status->has_ended() || status->threads < 2)
    return directory;
  const std::string thread =
      living_thread(pid, [](const ProcessStatus &) { return true; });
  return thread.empty() ? directory : thread;
}

/// The file name of the program; the name in the status if /proc does not tell.
std::string program_name(const std::string &directory,
                         const ProcessStatus &status) {
  constexpr std::string_view kDeleted = " (deleted)";
  std::error_code error;
  std::string path =
      std::filesystem::read_symlink(directory + "/exe", error).string();
  if (path.ends_with(kDeleted))
    path.resize(path.size() - kDeleted.size());
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.empty() ? status.name : name;
}

} // namespace

std::optional<ProcessStatus> read_process_status(std::string_view text) {
  ProcessStatus status;
  unsigned fields = 0;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const std::string_view field = take_until(line, ':');
    std::string_view words = line;
    if (field == "Name") {
      // A name may begin or end with blanks.
      status.name = line.substr(line.empty() ? 0 : 1);
      fields |= 1;
    } else if (field == "State") {
      const std::string_view state = take_word(words);
      status.state = state.empty() ? '\0' : state[0];
      fields |= state.empty() ? 0 : 2;
    } else if (field == "Tgid") {
      fields |= read_whole_number(take_word(words), status.process) ? 4 : 0;
    } else if (field == "Threads") {
      fields |= read_whole_number(take_word(words), status.threads) ? 8 : 0;
    } else if (field == "Uid") {
      if (read_whole_number(take_word(words), status.real_user) &&
          read_whole_number(take_word(words), status.effective_user))
        fields |= 16;
    } else if (field == "Gid") {
      take_word(words);
      fields |=
          read_whole_number(take_word(words), status.effective_group) ? 32 : 0;
    } else if (field == "SigCgt") {
      fields |= read_whole_number(take_word(words), status.caught, 16) ? 64 : 0;
    } else if (field == "SigBlk") {
      fields |=
          read_whole_number(take_word(words), status.blocked, 16) ? 128 : 0;
    }
  }
  if (fields != 255)
    return std::nullopt;
  return status;
}

ControlMaps read_control_maps(std::string_view text) {
  constexpr int kFieldsBetween = 3; // offset, device, inode
  ControlMaps maps;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    std::string_view range = take_word(line);
    const std::string_view access = take_word(line);
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    if (!read_whole_number(take_until(range, '-'), start, 16) ||
        !read_whole_number(range, end, 16))
      continue;
    const std::optional<ControlMarker> marker = marker_at(start, end, access);
    if (marker && (!maps.marker || marker->version == control::kVersion))
      maps.marker = marker;
    for (int i = 0; i < kFieldsBetween; ++i)
      take_word(line);
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
      continue;
    const std::string_view name = line.substr(begin);
    const std::string_view file = name.substr(name.rfind('/') + 1);
    maps.has_runtime |= file.starts_with("libpagetide.so");
    // The shadow of a forked child becomes a memory file when the child is
    // first recorded.
    maps.has_shadow |=
        name.starts_with("/memfd:pagetide-shadow ") ||
        name == "/memfd:pagetide-shadow" ||
        (start == abi::kShadowBias && name.starts_with("/dev/zero"));
  }
  return maps;
}

std::string why_not_allowed(const ProcessStatus &status, uid_t caller) {
  if (caller == 0 ||
      (status.real_user == caller && status.effective_user == caller))
    return {};
  if (status.real_user != status.effective_user)
    return fmt::format("has the rights of user {} and was started by user {}; "
                       "only root reaches such a process",
                       status.effective_user, status.real_user);
  return fmt::format("belongs to user {}; only that user and root reach it",
                     status.real_user);
}

std::string why_unreachable(const ProcessStatus &status,
                            const ControlMaps &maps) {
  if (!maps.marker)
    return "cannot be reached: it has the option control_signal=0, was started "
           "set-user-ID, has set a handler of its own for the signal, or has "
           "an older libpagetide.so; start it without these";
  if (maps.marker->version != control::kVersion)
    return fmt::format(
        "cannot be reached: its libpagetide.so has version {} of the protocol, "
        "and this pagetide has version {}; use the pagetide that belongs to "
        "its libpagetide.so",
        maps.marker->version, control::kVersion);
  if (!status.catches(maps.marker->signal))
    return fmt::format(
        "cannot be reached: it has taken away the handler of signal {}, by "
        "which libpagetide.so is reached; the runtime option control_signal "
        "chooses another signal",
        maps.marker->signal);
  return {};
}

pid_t pid_of(const std::string &text) {
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number == 0 || *number > INT_MAX)
    throw Failure("{}: is not the number of a process; see: ps x",
                  printable(text));
  return static_cast<pid_t>(*number);
}

TargetProcess::TargetProcess(pid_t pid) : pid_(pid), pidfd_(open_process(pid)) {
  const std::string directory = living_directory(pid);
  const std::optional<ProcessStatus> status = status_in(directory);
  if (!status || status->has_ended())
    fail_ended(pid);
  status_ = *status;
  program_ = status_.name;
  if (const std::string why = why_not_allowed(status_, ::geteuid());
      !why.empty())
    throw Failure("{} {}", text(), why);
  program_ = program_name(directory, status_);
  const std::optional<std::string> maps = read_proc_file(directory + "/maps");
  if (!maps)
    throw Failure(
        "{}: {}/maps cannot be read: {}; it has changed its rights, or keeps "
        "others from reading its memory (PR_SET_DUMPABLE); root may reach it",
        text(), directory, std::strerror(errno));
  maps_ = read_control_maps(*maps);
  // Threads of the kernel have no mappings either.
  if (const auto now = status_in(directory);
      maps->empty() && (!now || now->has_ended()))
    fail_ended(pid);
  if (!maps_.has_runtime && !maps_.marker)
    throw Failure("{} has no instrumented code: libpagetide.so is not in it; "
                  "build the program with pagetide-clang, and start it anew",
                  text());
}

std::string TargetProcess::text() const {
  return fmt::format("process {} ({})", pid_, printable(program_));
}

std::string TargetProcess::why_unreachable() const {
  return tools::why_unreachable(status_, maps_);
}

bool TargetProcess::blocks_signal() const {
  return living_thread(pid_,
                       [this](const ProcessStatus &thread) {
                         return !thread.blocks(signal());
                       })
      .empty();
}

void TargetProcess::send_signal(int value) const {
  const int signal = this->signal();
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::geteuid();
  info.si_value.sival_int = value;
  if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, &info, 0) == 0)
    return;
  if (errno == ESRCH)
    fail_ended(pid_);
  throw Failure("{} cannot be reached: pidfd_send_signal failed: {}{}", text(),
                std::strerror(errno),
                errno == EAGAIN ? "; too many signals are queued (ulimit -i)"
                                : "");
}

} // namespace pagetide::tools
