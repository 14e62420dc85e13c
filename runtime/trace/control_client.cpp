//===- control_client.cpp - The connection to pagetide record -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/control_client.h"

#include "platform/errno_names.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/syscalls.h"
#include "shadow/shadow.h"

#include "pagetide/shadow_file.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

using namespace __sanitizer;

namespace pagetide {

static int SendHello(int connection, int memfd, int trace_fd,
                     const char *trace_path) {
  shadow_file::Hello hello = {};
  hello.magic = shadow_file::kMagic;
  hello.version = shadow_file::kVersion;
  hello.pid = GetPidRaw();
  hello.gives_way = GetFlags().marks_first && !EngineCan().by_marks;
  hello.trace_bytes = trace_fd < 0 ? 0 : (u32)internal_strlen(trace_path);
  internal_memcpy(hello.trace_path, trace_path, hello.trace_bytes);

  iovec piece = {&hello, sizeof(hello)};
  int fds[2] = {memfd, trace_fd};
  uptr fd_bytes = trace_fd < 0 ? sizeof(int) : 2 * sizeof(int);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(fds))] = {};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(fd_bytes);
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fd_bytes);
  internal_memcpy(CMSG_DATA(header), fds, fd_bytes);
  return ErrnoOf(
      Syscall(SYS_sendmsg, (uptr)connection, (uptr)&message, MSG_NOSIGNAL));
}

static bool rights_changed;
/// A forked child without its parent's rights has told the user.
static bool told_by_other;
static char known_socket[sizeof(sockaddr_un::sun_path)];

void NoteRightsChanged() { rights_changed = true; }

void InheritReachOfRecord() {
  struct stat status;
  if (rights_changed && *known_socket &&
      Failed(Syscall(SYS_newfstatat, (uptr)AT_FDCWD, (uptr)known_socket,
                     (uptr)&status, 0)))
    told_by_other = __atomic_exchange_n(&shadow.header->told_unreachable, 1,
                                        __ATOMIC_RELAXED);
}

bool RightsAreToldOf() { return told_by_other; }

int ConnectToRecord(const char *socket_path, int memfd, int trace_fd,
                    const char *trace_path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  internal_strncpy(address.sun_path, socket_path, sizeof(address.sun_path) - 1);
  uptr fd = Syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  int error = ErrnoOf(fd);
  internal_strncpy(known_socket, socket_path, sizeof(known_socket) - 1);
  if (!error) {
    error = ErrnoOf(Syscall(SYS_connect, fd, (uptr)&address, sizeof(address)));
    if (!error)
      error = SendHello((int)fd, memfd, trace_fd, trace_path);
    if (!error)
      return (int)fd;
    Syscall(SYS_close, fd);
  }
  shadow.header->told_unreachable = 1;
  if (told_by_other)
    return -1;
  Warning("cannot reach `pagetide record` on %s: %s. Recording goes on. If the "
          "program, or a process that it starts, is killed, its last period is "
          "lost.\n",
          socket_path, DescribeErrno(error));
  return -1;
}

} // namespace pagetide
