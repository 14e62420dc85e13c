//===- control_request.cpp - One request of pagetide ctl ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/control_request.h"

#include "pagetide/shadow_file.h"
#include "periods/staging.h"
#include "recorder/recorder_state.h"
#include "shadow/mark_switches.h"
#include "shadow/shadow.h"
#include "threads/service_thread.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>

using namespace __sanitizer;

namespace pagetide {

/// True if the other side runs as this process's user or as root, and is the
/// ctl that sent the signal. In another PID namespace it has another number.
static bool IsTrusted(int connection) {
  ucred peer = {};
  socklen_t bytes = sizeof(peer);
  if (Failed(Syscall(SYS_getsockopt, (uptr)connection, SOL_SOCKET, SO_PEERCRED,
                     (uptr)&peer, (uptr)&bytes)))
    return false;
  return peer.uid == 0 || peer.uid == (uid_t)Syscall(SYS_geteuid);
}

static int ConnectTo(u32 ctl) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  internal_snprintf(address.sun_path, sizeof(address.sun_path), "%s%u/%s%u",
                    shadow_file::kRunDirectory, (u32)Syscall(SYS_geteuid),
                    control::kSocketPrefix, ctl);
  const uptr fd =
      Syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (Failed(fd))
    return -1;
  // ctl may be stopped. Neither the recorder nor the program waits for it.
  const timeval patience = {1, 0};
  constexpr uptr kLimits[] = {SO_RCVTIMEO, SO_SNDTIMEO};
  for (uptr option : kLimits)
    Syscall(SYS_setsockopt, fd, SOL_SOCKET, option, (uptr)&patience,
            sizeof(patience));
  if (!Failed(Syscall(SYS_connect, fd, (uptr)&address, sizeof(address))) &&
      IsTrusted((int)fd))
    return (int)fd;
  Syscall(SYS_close, fd);
  return -1;
}

bool ControlRequest::Begin(u32 ctl) {
  socket_ = ConnectTo(ctl);
  if (socket_ < 0)
    return false;
  const uptr bytes = Syscall(SYS_recvfrom, (uptr)socket_, (uptr)&asked_,
                             sizeof(asked_), 0, 0, 0);
  if (bytes == sizeof(asked_) && asked_.magic == control::kRequestMagic) {
    asked_.trace_path[sizeof(asked_.trace_path) - 1] = 0;
    if (asked_.version == control::kVersion)
      return true;
    Reply("this pagetide ctl and the process's runtime are of different "
          "releases");
    return false;
  }
  Syscall(SYS_close, (uptr)socket_);
  return false;
}

void ControlRequest::Reply(const char *reason) {
  control::Reply reply;
  internal_memset(&reply, 0, sizeof(reply));
  reply.magic = control::kReplyMagic;
  reply.version = control::kVersion;
  reply.refused = reason != nullptr;
  if (reason)
    internal_strncpy(reply.reason, reason, sizeof(reply.reason) - 1);
  reply.marks_late = shadow.marks_late;
  reply.marks_on = ShadowReady() && MarksAreSwitchedOn();
  reply.changes_copies = AllSwitchWhileRunning();
  if (ControlReady()) {
    reply.recording = Recording();
    internal_strncpy(reply.trace_path, recorder_state.trace_path,
                     sizeof(reply.trace_path) - 1);
  }
  if (ControlReady() && recorder_state.began_ns) {
    reply.by_record = record_config.by_record;
    reply.per_thread = record_config.per_thread;
    reply.period_ns = record_config.period_ns;
    reply.window_ns = record_config.window_ns;
    reply.every_ns = record_config.every_ns;
    reply.periods = OpenPeriod().index;
    reply.seconds = (MonotonicNs() - recorder_state.began_ns) / kNsPerSec;
  }
  Syscall(SYS_sendto, (uptr)socket_, (uptr)&reply, sizeof(reply), MSG_NOSIGNAL,
          0, 0);
  Syscall(SYS_close, (uptr)socket_);
}

} // namespace pagetide
