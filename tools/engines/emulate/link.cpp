//===- link.cpp - How a process in QEMU reaches record --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace pagetide::emulation {

Settings settings;

namespace {

int connect_to_record() {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (settings.socket.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path, settings.socket.c_str(),
              settings.socket.size() + 1);
  const int connection = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connection < 0)
    return -1;
  int failed;
  do // signals of the program may interrupt
    failed = ::connect(connection, reinterpret_cast<sockaddr *>(&address),
                       sizeof(address));
  while (failed && errno == EINTR);
  if (!failed)
    return connection;
  const int error = errno;
  ::close(connection);
  errno = error;
  return -1;
}

bool send_message(int connection, const Message &message, std::size_t bytes,
                  int fd) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec vector = {const_cast<Message *>(&message), bytes};
  msghdr header = {};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  if (fd >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    cmsghdr *const part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &fd, sizeof(int));
  }
  ssize_t sent;
  do
    sent = ::sendmsg(connection, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes);
}

/// Record answers by closing the connection: it may also have died.
void wait_for_answer(int connection) {
  char byte;
  while (::recv(connection, &byte, 1, 0) < 0 && errno == EINTR) {
  }
}

} // namespace

bool tell(MessageKind kind, const std::string &text, int fd, bool answered) {
  const int connection = connect_to_record();
  if (connection < 0)
    return false;
  Message message;
  message.kind = kind;
  const std::size_t length =
      text.size() < sizeof(message.text) ? text.size() : sizeof(message.text);
  std::memcpy(message.text, text.data(), length);
  const bool sent =
      send_message(connection, message, offsetof(Message, text) + length, fd);
  const int error = errno;
  if (sent && answered)
    wait_for_answer(connection);
  ::close(connection);
  errno = error;
  return sent;
}

bool record_has_gone(int error) {
  // The last two: it was there for connect, and no longer for the message. That
  // needs no accept.
  return error == ECONNREFUSED || error == ENOENT || error == EPIPE ||
         error == ECONNRESET;
}

void complain(const std::string &text) {
  const std::string line = "pagetide: " + text + "\n";
  // Nobody can be told where this fails.
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, line.data(), line.size());
}

} // namespace pagetide::emulation
