//===- sockets.cpp - Sockets ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/io.h"
#include "interceptors/syscall_macros.h"
#include "interceptors/waiting_calls.h"

#include <sys/socket.h>

using namespace pagetide;

//===- Sockets ------------------------------------------------------------===//

/// An address or option of a socket, and its length. The kernel returns the
/// full length, which may exceed the room.
static void DidWriteSized(void *p, u32 *length, u32 room, bool succeeded) {
  if (!p || !length)
    return;
  if (!succeeded) {
    if (MayHaveLooked())
      MayHaveRead(length, sizeof(*length));
    return;
  }
  DidReadAt(length);
  DidWriteAt(length);
  MarkWrite((uptr)p, Min(*length, room));
}
PAGETIDE_AROUND(int, accept, (int fd, void *p, u32 *length), (fd, p, length),
                u32 room = ValueAt(length);
                InFlight in_flight(WrittenWithAddress({}, p, room, length)),
                DidWriteSized(p, length, room, result >= 0))
PAGETIDE_AROUND(int, accept4, (int fd, void *p, u32 *length, int flags),
                (fd, p, length, flags), u32 room = ValueAt(length);
                InFlight in_flight(WrittenWithAddress({}, p, room, length)),
                DidWriteSized(p, length, room, result >= 0))
PAGETIDE_AROUND(int, getsockname, (int fd, void *p, u32 *length),
                (fd, p, length), u32 room = ValueAt(length),
                DidWriteSized(p, length, room, !result))
PAGETIDE_AROUND(int, getpeername, (int fd, void *p, u32 *length),
                (fd, p, length), u32 room = ValueAt(length),
                DidWriteSized(p, length, room, !result))
PAGETIDE_AROUND(int, getsockopt,
                (int fd, int level, int option, void *p, u32 *length),
                (fd, level, option, p, length), u32 room = ValueAt(length),
                DidWriteSized(p, length, room, !result))
PAGETIDE_AFTER(int, connect, (int fd, const void *p, u32 bytes), (fd, p, bytes),
               DidRead(p, bytes, !result || errno == EINPROGRESS))

PAGETIDE_INTERCEPTOR(SSIZE_T, recvfrom, int fd, void *p, SIZE_T n, int flags,
                     sockaddr *from, socklen_t *from_bytes) {
  OnInterceptedCall();
  socklen_t room = from ? ValueAt(from_bytes) : 0;
  InFlight in_flight(WrittenWithAddress({(uptr)p, n}, from, room, from_bytes));
  SSIZE_T done = RESOLVED(recvfrom)(fd, p, n, flags, from, from_bytes);
  MarkInput(p, n, done);
  if (done < 0 && errno == EINVAL) // the length is wrong, and came later
    MayHaveWritten(p, Min(n, kMaxBytesOfCall));
  if (from && from_bytes && ShadowReady()) {
    if (done >= 0 || errno == EINVAL || errno == EFAULT)
      MarkMayRead((uptr)from_bytes, sizeof(*from_bytes));
    if (done >= 0) {
      MarkRead((uptr)from_bytes, sizeof(*from_bytes));
      MarkWrite((uptr)from, *from_bytes < room ? *from_bytes : room);
      MarkWrite((uptr)from_bytes, sizeof(*from_bytes));
    }
  }
  return done;
}

PAGETIDE_INTERCEPTOR(SSIZE_T, __recvfrom_chk, int fd, void *p, SIZE_T n,
                     SIZE_T room, int flags, sockaddr *from,
                     socklen_t *from_bytes) {
  if (n > room) // libc ends the program, so nothing is counted or marked
    return RESOLVED(__recvfrom_chk)(fd, p, n, room, flags, from, from_bytes);
  return WRAP(recvfrom)(fd, p, n, flags, from, from_bytes);
}

/// The header of a message that was received. The returned length of the name
/// may exceed its room, which `before` tells.
static void DidReceive(msghdr *message, const msghdr &before) {
  MarkRead((uptr)message, sizeof(*message));
  if (before.msg_name) {
    MarkWrite((uptr)before.msg_name,
              Min(message->msg_namelen, before.msg_namelen));
    DidWriteAt(&message->msg_namelen);
  }
  MarkWrite((uptr)before.msg_control,
            Min(message->msg_controllen, before.msg_controllen));
  DidWriteAt(&message->msg_controllen);
  DidWriteAt(&message->msg_flags);
}
/// The header of one that was sent.
static void DidSendHeader(const msghdr *message, const msghdr &copy) {
  MarkRead((uptr)message, sizeof(*message));
  MarkRead((uptr)copy.msg_name, copy.msg_namelen);
  MarkRead((uptr)copy.msg_control, copy.msg_controllen);
}

PAGETIDE_INTERCEPTOR(SSIZE_T, recvmsg, int fd, msghdr *message, int flags) {
  OnInterceptedCall();
  const msghdr before = ValueAt(message);
  Pieces pieces(before.msg_iov, (sptr)before.msg_iovlen);
  InFlight in_flight(WrittenByMessage(message, before, pieces.Bounds()));
  SSIZE_T done = RESOLVED(recvmsg)(fd, message, flags);
  pieces.MarkInputDone(done);
  if (done < 0 && MayHaveLooked())
    MayHaveRead(message, sizeof(*message));
  if (done < 0 && errno == EFAULT) {
    MayHaveWritten(before.msg_name,
                   Min(uptr{before.msg_namelen}, kMaxAddressBytes));
    MayHaveWritten(before.msg_control,
                   Min(before.msg_controllen, kMaxControlBytes));
    MayHaveWritten(message, sizeof(*message));
  }
  if (done >= 0 && ShadowReady())
    DidReceive(message, before);
  return done;
}

PAGETIDE_INTERCEPTOR(SSIZE_T, sendto, int fd, const void *p, SIZE_T n,
                     int flags, const sockaddr *to, socklen_t to_bytes) {
  OnInterceptedCall();
  SSIZE_T done = RESOLVED(sendto)(fd, p, n, flags, to, to_bytes);
  MarkOutput(p, n, done);
  if (to && ShadowReady()) {
    if (done >= 0)
      MarkRead((uptr)to, to_bytes);
    else if (MayHaveLooked()) {
      MarkMayRead((uptr)to, Min(uptr{to_bytes}, kMaxAddressBytes));
      MarkMayRead((uptr)p, Min(n, kMaxBytesOfCall));
    }
  }
  return done;
}

PAGETIDE_INTERCEPTOR(SSIZE_T, sendmsg, int fd, const msghdr *message,
                     int flags) {
  OnInterceptedCall();
  SSIZE_T done = RESOLVED(sendmsg)(fd, message, flags);
  if (!MarksReads() || (done < 0 && !MayHaveLooked()))
    return done;
  // After a success the kernel has read the header, so its address is valid.
  const msghdr copy = done < 0 ? ValueAt(message) : *message;
  MarkOutputPieces(copy.msg_iov, (sptr)copy.msg_iovlen, done);
  if (done >= 0) {
    DidSendHeader(message, copy);
  } else {
    MayHaveRead(message, sizeof(*message));
    MayHaveRead(copy.msg_name, Min(uptr{copy.msg_namelen}, kMaxAddressBytes));
    MayHaveRead(copy.msg_control, Min(copy.msg_controllen, kMaxControlBytes));
  }
  return done;
}

//===- Several messages ---------------------------------------------------===//

static void DidSend(mmsghdr *message) {
  const msghdr &h = message->msg_hdr;
  MarkOutputPieces(h.msg_iov, (sptr)h.msg_iovlen, message->msg_len);
  DidSendHeader(&h, h);
  DidWriteAt(&message->msg_len);
}
/// The kernel has perhaps read the message at which it stopped.
static void MayHaveReadMessage(const mmsghdr *message) {
  MayHaveRead(message, sizeof(message->msg_hdr));
  const msghdr h = ValueAt(&message->msg_hdr);
  Pieces(h.msg_iov, (sptr)h.msg_iovlen).MayHaveReadVector();
}
PAGETIDE_INTERCEPTOR(int, recvmmsg, int fd, mmsghdr *messages, u32 n, int flags,
                     timespec *timeout) {
  OnInterceptedCall();
  constexpr u32 kMaxMessages = 1024; // UIO_MAXIOV: the kernel accepts no more
  u32 name_rooms[kMaxMessages];
  u32 known = 0;
  for (; known < Min(n, kMaxMessages); ++known) {
    mmsghdr copy;
    if (!CopyFromProgram(&copy, messages + known, sizeof(copy)))
      break;
    name_rooms[known] = copy.msg_hdr.msg_namelen;
  }
  PAGETIDE_WAITS(recvmmsg, 0, (uptr)messages, n, 0, (uptr)timeout);
  int done = RESOLVED(recvmmsg)(fd, messages, n, flags, timeout);
  if (!ShadowReady())
    return done;
  for (int i = 0; i < done && i < (int)known; ++i) {
    msghdr before = messages[i].msg_hdr;
    before.msg_namelen = name_rooms[i];
    Pieces(before.msg_iov, (sptr)before.msg_iovlen)
        .MarkInputDone(messages[i].msg_len);
    DidReceive(&messages[i].msg_hdr, before);
    DidWriteAt(&messages[i].msg_len);
  }
  const int refused = done < 0 ? 0 : done;
  if (refused < (int)known)
    MayHaveReadMessage(messages + refused);
  DidRead(timeout, 16, done >= 0);
  if (timeout && done > 0)
    MarkWrite((uptr)timeout, 16); // the time that was left
  return done;
}
PAGETIDE_AFTER(int, sendmmsg, (int fd, mmsghdr *messages, u32 n, int flags),
               (fd, messages, n, flags),
               for (int i = 0; i < result; ++i) DidSend(messages + i);
               const u32 refused = result < 0 ? 0 : (u32)result;
               if (refused < n) MayHaveReadMessage(messages + refused))
