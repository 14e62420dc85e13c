//===- control_socket.cpp - Asks a process and gets its reply -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "control/control_socket.h"

#include "support/failure.h"
#include "support/run_directory.h"
#include "support/text_format.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace pagetide::tools {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kKnockInterval = std::chrono::milliseconds(500);

/// While this object lives, files are made and removed as that user, so that
/// root does nothing in the user's directory that the user could not do.
class FilesOfUser {
public:
  FilesOfUser(uid_t user, gid_t group)
      : group_(::setfsgid(group)), user_(::setfsuid(user)) {}
  ~FilesOfUser() {
    ::setfsuid(static_cast<uid_t>(user_));
    ::setfsgid(static_cast<gid_t>(group_));
  }
  FilesOfUser(const FilesOfUser &) = delete;

private:
  int group_;
  int user_;
};

/// The address of a name in an open directory, which no other process can
/// exchange for another one. However long the directory's path is, it fits.
sockaddr_un address_in(const UniqueFd &directory, const std::string &name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path =
      fmt::format("/proc/self/fd/{}/{}", directory.get(), name);
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  return address;
}

UniqueFd new_socket() {
  return UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

/// Whether the name is that of a socket whose ctl has ended.
bool is_leftover(const UniqueFd &directory, std::string_view name) {
  constexpr std::string_view kPrefix = control::kSocketPrefix;
  if (!name.starts_with(kPrefix))
    return false;
  pid_t owner = 0;
  const char *end = name.data() + name.size();
  const auto [stop, error] =
      std::from_chars(name.data() + kPrefix.size(), end, owner);
  if (error != std::errc() || stop != end || owner <= 0 ||
      ::kill(owner, 0) == 0 || errno != ESRCH)
    return false;
  // A container that shares /tmp may have processes of its own.
  const UniqueFd probe = new_socket();
  const sockaddr_un address = address_in(directory, std::string(name));
  return probe &&
         ::connect(probe.get(), reinterpret_cast<const sockaddr *>(&address),
                   sizeof(address)) != 0 &&
         errno == ECONNREFUSED;
}

enum class Event { kReady, kEnded, kTimeout };

/// Waits until the descriptor is readable. What is readable is read, also if
/// the process has ended since.
Event wait_for(int fd, int pidfd, int interrupts, Clock::time_point deadline,
               bool was_asked) {
  pollfd fds[] = {{fd, POLLIN, 0}, {pidfd, POLLIN, 0}, {interrupts, POLLIN, 0}};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const int count =
        ::poll(fds, 3, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      throw Failure("poll failed: {}", std::strerror(errno));
    if (fds[2].revents)
      throw ControlInterrupted{was_asked};
    if (fds[0].revents)
      return Event::kReady;
    if (fds[1].revents)
      return Event::kEnded;
    if (left.count() <= 0)
      return Event::kTimeout;
  }
}

[[noreturn]] void fail_at_end(const ControlPeer &peer, bool was_asked) {
  throw Failure("{} has ended{}", peer.text,
                was_asked ? " before it replied"
                          : " before it took the request");
}

/// Whether the other end of the connection is the peer. In another pid
/// namespace, out of our sight, it has number 0.
bool is_peer(const UniqueFd &connection, const ControlPeer &peer) {
  ucred other = {};
  socklen_t bytes = sizeof(other);
  return ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &other,
                      &bytes) == 0 &&
         other.uid == peer.user && (other.pid == peer.pid || other.pid == 0);
}

} // namespace

ControlSocket::ControlSocket(const std::string &directory, uid_t user,
                             gid_t group)
    : number_(::getpid()), user_(user), group_(group), path_(directory),
      name_(fmt::format("{}{}", control::kSocketPrefix, number_)) {
  const FilesOfUser guard(user_, group_);
  // A record that ends may remove the directory at any moment.
  constexpr int kMaxTries = 100;
  for (int i = 0; i < kMaxTries; ++i)
    if (make())
      return;
  throw Failure("{}: other processes remove this directory again and again",
                path_);
}

ControlSocket::~ControlSocket() {
  const FilesOfUser guard(user_, group_);
  ::unlinkat(directory_.get(), name_.c_str(), 0);
  // This fails while others of the user have their files there.
  ::rmdir(path_.c_str());
}

bool ControlSocket::is_seen_by(pid_t pid) const {
  struct stat theirs;
  struct stat ours;
  const std::string path = fmt::format("/proc/{}/root{}/{}", pid, path_, name_);
  if (::stat(path.c_str(), &theirs) != 0)
    return errno != ENOENT && errno != ENOTDIR;
  return ::fstatat(directory_.get(), name_.c_str(), &ours, 0) == 0 &&
         theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

bool ControlSocket::make() {
  std::string problem;
  directory_ = open_run_directory(path_, user_, problem);
  if (!problem.empty())
    throw Failure(problem);
  if (!directory_)
    return false;
  remove_leftovers();
  // Only a ctl that was killed can have had this name.
  ::unlinkat(directory_.get(), name_.c_str(), 0);
  socket_ = new_socket();
  const sockaddr_un address = address_in(directory_, name_);
  constexpr int kMaxWaiting = 8;
  if (socket_ &&
      ::bind(socket_.get(), reinterpret_cast<const sockaddr *>(&address),
             sizeof(address)) == 0 &&
      ::fchmodat(directory_.get(), name_.c_str(), 0600, 0) == 0 &&
      ::listen(socket_.get(), kMaxWaiting) == 0)
    return true;
  if (socket_ && errno == ENOENT)
    return false;
  const int error = errno;
  ::unlinkat(directory_.get(), name_.c_str(), 0);
  throw Failure("{}/{}: no socket can be made: {}", path_, name_,
                std::strerror(error));
}

void ControlSocket::remove_leftovers() const {
  // readdir moves the descriptor's position, and closedir closes it.
  const std::unique_ptr<DIR, int (*)(DIR *)> entries(
      ::fdopendir(
          ::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      [](DIR *stream) { return stream ? ::closedir(stream) : 0; });
  while (const dirent *entry = entries ? ::readdir(entries.get()) : nullptr)
    if (is_leftover(directory_, entry->d_name))
      ::unlinkat(directory_.get(), entry->d_name, 0);
}

UniqueFd ControlSocket::accept(const ControlPeer &peer,
                               std::chrono::milliseconds patience,
                               int interrupts) const {
  const Clock::time_point deadline = Clock::now() + patience;
  Clock::time_point next_knock = Clock::now();
  for (;;) {
    if (Clock::now() >= next_knock) {
      peer.knock();
      next_knock = Clock::now() + kKnockInterval;
    }
    switch (wait_for(socket_.get(), peer.pidfd, interrupts,
                     std::min(deadline, next_knock), false)) {
    case Event::kReady:
      break;
    case Event::kEnded:
      fail_at_end(peer, false);
    case Event::kTimeout:
      if (Clock::now() < deadline)
        continue;
      throw Failure("{} has not answered within {}: {}; the request is "
                    "withdrawn, and nothing will happen later",
                    peer.text,
                    duration_option(std::chrono::nanoseconds(patience).count()),
                    peer.silence);
    }
    UniqueFd connection(
        ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection && is_peer(connection, peer))
      return connection;
  }
}

control::Reply ask_process(const UniqueFd &connection,
                           const control::Request &request,
                           const ControlPeer &peer,
                           std::chrono::milliseconds patience, int interrupts) {
  if (::send(connection.get(), &request, sizeof(request), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(sizeof(request)))
    throw Failure("{} has not taken the request: send failed: {}", peer.text,
                  std::strerror(errno));
  switch (wait_for(connection.get(), peer.pidfd, interrupts,
                   Clock::now() + patience, true)) {
  case Event::kReady:
    break;
  case Event::kEnded:
    fail_at_end(peer, true);
  case Event::kTimeout:
    throw Failure("{} took the request, and has not replied within {}; it may "
                  "do later what was asked: see pagetide ctl {} status",
                  peer.text,
                  duration_option(std::chrono::nanoseconds(patience).count()),
                  peer.pid);
  }
  // One byte more than a reply has, so that a longer one is noticed.
  std::vector<char> bytes(sizeof(control::Reply) + 1);
  const ssize_t got = ::recv(connection.get(), bytes.data(), bytes.size(), 0);
  if (got < 0 && errno != ECONNRESET)
    throw Failure("{}: its reply cannot be received: {}", peer.text,
                  std::strerror(errno));
  if (got <= 0)
    throw Failure("{} has closed the connection without a reply; see pagetide "
                  "ctl {} status",
                  peer.text, peer.pid);
  control::Reply reply = {};
  std::memcpy(&reply, bytes.data(),
              std::min(static_cast<std::size_t>(got), sizeof(reply)));
  constexpr ssize_t kHeadBytes = offsetof(control::Reply, refused);
  if (got >= kHeadBytes && reply.magic == control::kReplyMagic &&
      reply.version != control::kVersion)
    throw Failure(
        "{} replied in version {} of the protocol, and this pagetide has "
        "version {}; use the pagetide that belongs to its libpagetide.so",
        peer.text, reply.version, control::kVersion);
  if (got != static_cast<ssize_t>(sizeof(reply)) ||
      reply.magic != control::kReplyMagic)
    throw Failure("{} sent {} bytes that are no reply; is its memory damaged?",
                  peer.text, got);
  // Its texts end, whatever they hold.
  reply.trace_path[sizeof(reply.trace_path) - 1] = 0;
  reply.reason[sizeof(reply.reason) - 1] = 0;
  return reply;
}

} // namespace pagetide::tools
