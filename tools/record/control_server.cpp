//===- control_server.cpp - Keeps in touch with recorded processes --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/control_server.h"

#include "record/runtime_options.h"
#include "support/clock.h"
#include "support/failure.h"
#include "support/option_text.h"
#include "support/text_format.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>

namespace pagetide::tools {

using shadow_file::Hello;

namespace {

/// A connection can close a moment before its process has ended. It also closes
/// if the process calls exec in a way that the runtime does not intercept.
constexpr std::chrono::milliseconds kGrace{250};
/// Descriptors per connected process, and those that all else needs.
constexpr std::size_t kFdsOfProcess = 4;
constexpr std::size_t kOtherFds = 24;
/// Descriptors accepted in one message; a Hello has two.
constexpr std::size_t kMaxFds = 8;

/// Whether the descriptor that a process handed over is a plain file. Opening
/// something else again, such as a FIFO, could wait forever.
bool is_file(int fd) {
  struct stat status;
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/// Whether the process itself could write to the file that it handed over. We
/// complete the trace with our own rights, which may exceed the process's.
bool is_writable_file(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return is_file(fd) && flags >= 0 && (flags & O_ACCMODE) == O_RDWR &&
         !(flags & O_PATH);
}

bool is_readable(int fd) {
  pollfd poll_fd = {fd, POLLIN, 0};
  return ::poll(&poll_fd, 1, 0) == 1;
}

} // namespace

ControlServer::ControlServer() {
  rlimit files;
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 &&
      files.rlim_cur > kOtherFds + kFdsOfProcess)
    most_processes_ = (files.rlim_cur - kOtherFds) / kFdsOfProcess;
}

void ControlServer::add_poll_fds(std::vector<pollfd> &fds) const {
  if (may_accept())
    fds.push_back({socket_.listener(), POLLIN, 0});
  for (const Process &process : processes_) {
    if (!process.hung_up)
      fds.push_back({process.connection.get(), POLLIN, 0});
    // The caller learns of the command's end by waitpid().
    if (process.pidfd && process.pid != command_pid_)
      fds.push_back({process.pidfd.get(), POLLIN, 0});
  }
}

int ControlServer::poll_timeout_ms() const {
  std::optional<Clock::time_point> next;
  for (const Process &process : processes_)
    if (process.hung_up && (!next || *process.hung_up + kGrace < *next))
      next = *process.hung_up + kGrace;
  if (!next)
    return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

void ControlServer::serve() {
  const auto serve_one = [this](std::size_t at) {
    Process &process = processes_[at];
    receive_all(process);
    if (!has_ended(process))
      return false;
    // It may have sent its last message after the first look.
    receive_all(process);
    finish(process);
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  };
  for (std::size_t at = 0; at < processes_.size();)
    if (!serve_one(at))
      ++at;
  // Accept and finish one at a time. Then many short-lived processes need no
  // more descriptors than one. Processes that wait lose nothing: their messages
  // stay in their connections, even after their death.
  while (may_accept()) {
    const std::size_t before = processes_.size();
    if (!accept_one())
      break;
    if (processes_.size() > before)
      serve_one(before);
  }
}

void ControlServer::finish_hung_up() {
  for (Process &process : processes_)
    if (process.hung_up)
      finish(process);
  std::erase_if(processes_,
                [](const Process &process) { return process.hung_up; });
}

void ControlServer::remove_unbegun() const {
  if (!output_)
    return;
  std::vector<std::string> known;
  for (const Trace &trace : traces_)
    known.push_back(trace.path);
  for (const Process &process : processes_)
    known.push_back(process.path);
  output_->remove_unbegun(known);
}

bool ControlServer::accept_one() {
  UniqueFd connection;
  do
    connection.reset(::accept4(socket_.listener(), nullptr, nullptr,
                               SOCK_CLOEXEC | SOCK_NONBLOCK));
  while (!connection && (errno == EINTR || errno == ECONNABORTED));
  lacks_descriptors_ = !connection && (errno == EMFILE || errno == ENFILE);
  if (!connection)
    return false;
  ucred peer = {};
  socklen_t size = sizeof(peer);
  ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  if (peer.uid != ::geteuid() && peer.uid != 0) {
    // Other users cannot reach the directory, unless somebody changed its mode.
    messages_.push_back(fmt::format(
        "process {} of user {} is not of this run's user; its connection was "
        "closed",
        peer.pid, peer.uid));
    return true;
  }
  Process process;
  process.pid = peer.pid;
  process.connection = std::move(connection);
  process.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0)));
  process.gone = !process.pidfd && errno == ESRCH;
  processes_.push_back(std::move(process));
  return true;
}

bool ControlServer::anyone_waits() const {
  return (lacks_descriptors_ || !may_accept()) &&
         is_readable(socket_.listener());
}

void ControlServer::receive_all(Process &process) {
  while (!process.hung_up) {
    // One byte more shows that a message is longer than a Hello.
    alignas(Hello) char bytes[sizeof(Hello) + 1];
    alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))];
    iovec vector = {bytes, sizeof(bytes)};
    msghdr message = {};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t got = ::recvmsg(process.connection.get(), &message,
                                  MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && errno == EAGAIN)
      return;
    std::vector<UniqueFd> fds;
    if (got > 0)
      for (cmsghdr *part = CMSG_FIRSTHDR(&message); part;
           part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
          continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
          int fd;
          std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
          fds.emplace_back(fd);
        }
      }
    if (got <= 0)
      process.hung_up = Clock::now();
    else if (!take_notice(process, bytes, static_cast<std::size_t>(got)))
      take_hello(process, bytes, static_cast<std::size_t>(got), fds);
  }
}

/// Returns false if the message is not a Notice of this version.
bool ControlServer::take_notice(const Process &process, const char *bytes,
                                std::size_t size) {
  shadow_file::Notice notice;
  if (size != sizeof(notice))
    return false;
  std::memcpy(&notice, bytes, sizeof(notice));
  if (notice.magic != shadow_file::kNoticeMagic ||
      notice.version != shadow_file::kVersion ||
      notice.name_bytes > sizeof(notice.name))
    return false;
  // Processes could send notices without end.
  constexpr std::size_t kMaxUnrecorded = 65536;
  if (unrecorded_.size() < kMaxUnrecorded)
    unrecorded_.push_back(
        {process.pid, notice.kind,
         printable(std::string_view(notice.name, notice.name_bytes))});
  return true;
}

void ControlServer::take_hello(Process &process, const char *bytes,
                               std::size_t size, std::vector<UniqueFd> &fds) {
  Hello hello = {};
  constexpr std::size_t kFixedBytes = offsetof(Hello, trace_path);
  const bool fits = size >= kFixedBytes && size <= sizeof(hello);
  if (fits)
    std::memcpy(&hello, bytes, size);
  if (!fits || hello.magic != shadow_file::kMagic) {
    messages_.push_back(fmt::format(
        "process {} sent a message that is not of a Pagetide runtime; it was "
        "ignored",
        process.pid));
    return;
  }
  anyone_came_ = true;
  if (hello.version != shadow_file::kVersion) {
    messages_.push_back(fmt::format(
        "process {} has a runtime with control version {}, but this pagetide "
        "has version {}: if the process is killed, its trace lacks its end; "
        "use runtime and pagetide of one build",
        process.pid, hello.version, shadow_file::kVersion));
    return;
  }
  const std::size_t wanted_fds = hello.trace_bytes == 0 ? 1 : 2;
  if (fds.size() != wanted_fds || hello.trace_bytes > size - kFixedBytes) {
    messages_.push_back(fmt::format(
        "process {} sent an incomplete greeting ({} of {} descriptors): if the "
        "process is killed, its trace lacks its end",
        process.pid, fds.size(), wanted_fds));
    return;
  }
  const std::string_view path(hello.trace_path, hello.trace_bytes);
  if (path.find('\0') != std::string_view::npos) {
    messages_.push_back(fmt::format(
        "process {} sent a path with a zero byte, which no file has; its trace "
        "was ignored",
        process.pid));
    return;
  }
  if (!is_file(fds[0].get()) ||
      (wanted_fds == 2 && !is_writable_file(fds[1].get()))) {
    messages_.push_back(fmt::format(
        "process {} handed over something that is not a plain file, or that it "
        "may not write; it was ignored",
        process.pid));
    return;
  }
  // A process that stops recording and starts again sends another Hello. It has
  // ended its earlier trace itself.
  if (process.introduced)
    finish(process);
  process.introduced = true;
  process.gives_way = hello.gives_way == 1;
  process.memfd = std::move(fds[0]);
  process.path = path;
  process.trace.reset();
  if (hello.trace_bytes == 0)
    return;
  process.trace = std::move(fds[1]);
  if (output_) {
    std::string problem;
    process.path = output_->take(process.trace.get(), process.path, problem);
    if (!problem.empty())
      messages_.push_back(problem);
    if (!process.gives_way)
      name_after_marks(process);
  }
}

/// What was recorded by marks has FILE, whichever process came first.
void ControlServer::name_after_marks(Process &process) {
  const std::string wanted =
      std::filesystem::absolute(output_->path()).string();
  const auto hand_over = [&](auto &holder) {
    if (!holder.gives_way || holder.path != wanted)
      return false;
    const std::string aside =
        output_->hand_over(holder.pid, process.trace.get(), process.path);
    if (!aside.empty()) {
      holder.path = aside;
      process.path = wanted;
    }
    return true;
  };
  if (std::none_of(processes_.begin(), processes_.end(), hand_over))
    std::ranges::any_of(traces_, hand_over);
}

bool ControlServer::has_ended(const Process &process) const {
  const bool grace_is_over =
      process.hung_up && Clock::now() - *process.hung_up >= kGrace;
  if (process.pid == command_pid_)
    return command_end_detail_ || grace_is_over;
  return grace_is_over || process.gone ||
         (process.hung_up && !process.introduced) ||
         (process.pidfd && is_readable(process.pidfd.get()));
}

void ControlServer::finish(Process &process) {
  if (!process.trace)
    return;
  Trace trace;
  trace.pid = process.pid;
  trace.path = process.path;
  trace.gives_way = process.gives_way;
  HarvestRequest request;
  request.memfd = process.memfd.get();
  request.trace_fd = process.trace.get();
  request.trace_name = printable(process.path);
  request.now_ns = monotonic_ns();
  if (process.pid == command_pid_ && command_end_detail_)
    request.end_detail = *command_end_detail_;
  try {
    trace.harvest = harvest(request);
  } catch (const Failure &failure) {
    trace.failure = failure.what();
  }
  // To read every trace would take long. Those that end well lack nothing.
  if (!trace.failure.empty() || !trace.harvest.was_complete ||
      trace.harvest.ends_early)
    trace.missing = missing_from_trace(process.trace.get(), request.trace_name);
  struct stat status;
  if (::fstat(process.trace.get(), &status) == 0)
    trace.bytes = static_cast<std::uint64_t>(status.st_size);
  traces_.push_back(std::move(trace));
}

std::vector<ControlServer::Live> ControlServer::live() const {
  std::vector<Live> live;
  for (const Process &process : processes_)
    if (process.introduced)
      live.push_back({process.pid, process.path});
  return live;
}

void notify_outer_record() {
  const std::string socket_path = option_in(inherited_options(), "control");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_path.empty() || socket_path.size() >= sizeof(address.sun_path))
    return;
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
  shadow_file::Notice notice = {};
  notice.magic = shadow_file::kNoticeMagic;
  notice.version = shadow_file::kVersion;
  notice.pid = static_cast<std::uint32_t>(::getpid());
  notice.kind = shadow_file::NoticeKind::kOtherRecord;
  constexpr char kName[] = "pagetide";
  std::memcpy(notice.name, kName, sizeof(kName));
  notice.name_bytes = sizeof(kName) - 1;
  const UniqueFd connection(
      ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // If the outer record has ended, nobody needs the notice.
  if (connection &&
      ::connect(connection.get(), reinterpret_cast<const sockaddr *>(&address),
                sizeof(address)) == 0) [[maybe_unused]]
    const ssize_t sent =
        ::send(connection.get(), &notice, sizeof(notice), MSG_NOSIGNAL);
}

} // namespace pagetide::tools
