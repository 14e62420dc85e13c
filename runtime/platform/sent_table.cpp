//===- sent_table.cpp - A table of descriptors on its way -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/sent_table.h"

#include "platform/syscalls.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace pagetide {

/// More than the kernel sends in one message.
constexpr int kMost = 253;

namespace {
/// Both ends see the numbers in ascending order, and the kernel gives the
/// receiver the lowest free ones in the order of the message.
struct Message {
  int numbers[kMost];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(numbers))];
  iovec piece;
  msghdr header;
};
} // namespace

/// For `count` descriptors.
static void LayOut(Message &message, uptr count) {
  message.piece = {message.numbers, count * sizeof(int)};
  message.header = {};
  message.header.msg_iov = &message.piece;
  message.header.msg_iovlen = 1;
  message.header.msg_control = message.control;
  message.header.msg_controllen = CMSG_SPACE(count * sizeof(int));
}

int SendTable(int socket) {
  Message message;
  uptr count = 0;
  // The runtime has few descriptors, so their numbers are low.
  constexpr int kNumbers = 1024;
  for (int fd = 0; fd < kNumbers; ++fd) {
    if (fd == socket || Failed(Syscall(SYS_fcntl, (uptr)fd, F_GETFD)))
      continue;
    if (count == kMost)
      return EMFILE;
    message.numbers[count++] = fd;
  }
  LayOut(message, count);
  cmsghdr *header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  __sanitizer::internal_memcpy(CMSG_DATA(header), message.numbers,
                               count * sizeof(int));
  return ErrnoOf(Syscall(SYS_sendmsg, (uptr)socket, (uptr)&message.header,
                         MSG_NOSIGNAL | MSG_DONTWAIT));
}

/// Moves a descriptor to its former number, which is free.
static int Move(int from, int to) {
  if (from == to)
    return 0;
  const uptr moved = Syscall(SYS_dup3, (uptr)from, (uptr)to, O_CLOEXEC);
  Syscall(SYS_close, (uptr)from);
  return ErrnoOf(moved);
}

int ReceiveTable() {
  Message message;
  LayOut(message, kMost);
  const uptr bytes = Syscall(SYS_recvmsg, 0, (uptr)&message.header,
                             MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (Failed(bytes))
    return ErrnoOf(bytes);
  const int count = (int)(bytes / sizeof(int));
  const cmsghdr *header = CMSG_FIRSTHDR(&message.header);
  if (!header || header->cmsg_len != CMSG_LEN((uptr)count * sizeof(int)))
    return EMFILE; // the limit on descriptors is lower now
  int now[kMost];
  __sanitizer::internal_memcpy(now, CMSG_DATA(header),
                               (uptr)count * sizeof(int));
  Syscall(SYS_close, 0);
  // Both lists ascend. So what moves down finds its number free if the lower
  // ones have moved, and what moves up if the higher ones have.
  int error = 0;
  for (int i = 0; i < count; ++i)
    if (message.numbers[i] < now[i] && !error)
      error = Move(now[i], message.numbers[i]);
  for (int i = count; i--;)
    if (message.numbers[i] > now[i] && !error)
      error = Move(now[i], message.numbers[i]);
  return error;
}

} // namespace pagetide
