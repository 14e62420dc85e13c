//===- sockets.cpp - Sockets, and waiting for descriptors -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/io.h"
#include "interceptors/syscall_macros.h"
#include "interceptors/waiting_calls.h"

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

namespace pagetide {
struct MessageHeader { // msghdr
  void *name;
  u32 name_bytes;
  const iovec *pieces;
  uptr piece_count;
  void *control;
  uptr control_bytes;
  int flags;
};
struct CountedMessage { // mmsghdr
  MessageHeader header;
  u32 bytes;
};
} // namespace pagetide
static_assert(sizeof(CountedMessage) == 64);

static void DidReceive(CountedMessage *message, u32 name_room) {
  const MessageHeader &h = message->header;
  MarkRead((uptr)message, sizeof(h));
  Pieces(h.pieces, (sptr)h.piece_count).MarkInputDone(message->bytes);
  if (h.name) {
    MarkWrite((uptr)h.name, Min(h.name_bytes, name_room));
    DidWriteAt(&h.name_bytes);
  }
  MarkWrite((uptr)h.control, h.control_bytes);
  DidWriteAt(&h.control_bytes);
  DidWriteAt(&h.flags);
  DidWriteAt(&message->bytes);
}
static void DidSend(CountedMessage *message) {
  const MessageHeader &h = message->header;
  MarkRead((uptr)message, sizeof(h));
  MarkOutputPieces(h.pieces, (sptr)h.piece_count, message->bytes);
  MarkRead((uptr)h.name, h.name_bytes);
  MarkRead((uptr)h.control, h.control_bytes);
  DidWriteAt(&message->bytes);
}
/// The kernel has perhaps read the message at which it stopped.
static void MayHaveReadMessage(const CountedMessage *message) {
  MayHaveRead(message, sizeof(message->header));
  const MessageHeader h = ValueAt(&message->header);
  Pieces(h.pieces, (sptr)h.piece_count).MayHaveReadVector();
}
PAGETIDE_INTERCEPTOR(int, recvmmsg, int fd, CountedMessage *messages, u32 n,
                     int flags, void *timeout) {
  OnInterceptedCall();
  constexpr u32 kMaxMessages = 1024; // UIO_MAXIOV: the kernel accepts no more
  u32 name_rooms[kMaxMessages];
  u32 known = 0;
  for (; known < Min(n, kMaxMessages); ++known) {
    CountedMessage copy;
    if (!CopyFromProgram(&copy, messages + known, sizeof(copy)))
      break;
    name_rooms[known] = copy.header.name_bytes;
  }
  PAGETIDE_WAITS(recvmmsg, 0, (uptr)messages, n, 0, (uptr)timeout);
  int done = RESOLVED(recvmmsg)(fd, messages, n, flags, timeout);
  if (!ShadowReady())
    return done;
  for (int i = 0; i < done && i < (int)known; ++i)
    DidReceive(messages + i, name_rooms[i]);
  const int refused = done < 0 ? 0 : done;
  if (refused < (int)known)
    MayHaveReadMessage(messages + refused);
  DidRead(timeout, 16, done >= 0);
  if (timeout && done > 0)
    MarkWrite((uptr)timeout, 16); // the time that was left
  return done;
}
PAGETIDE_AFTER(int, sendmmsg,
               (int fd, CountedMessage *messages, u32 n, int flags),
               (fd, messages, n, flags),
               for (int i = 0; i < result; ++i) DidSend(messages + i);
               const u32 refused = result < 0 ? 0 : (u32)result;
               if (refused < n) MayHaveReadMessage(messages + refused))

//===- Waiting for descriptors --------------------------------------------===//

/// poll reads every entry and writes a result into each, even if a signal
/// interrupts it.
static void DidPoll(void *entries, uptr n, int result) {
  constexpr uptr kBytes = 8, kFoundAt = 6; // of a pollfd
  bool looked = result >= 0 || errno == EINTR;
  DidRead(entries, n * kBytes, looked);
  if (looked && n)
    MarkWrite((uptr)entries + kFoundAt, n * kBytes - kFoundAt);
}
PAGETIDE_AROUND(int, poll, (void *p, uptr n, int ms), (p, n, ms),
                InFlight in_flight(p, n * 8), DidPoll(p, n, result))
PAGETIDE_AROUND(int, __poll_chk, (void *p, uptr n, int ms, uptr room),
                (p, n, ms, room), InFlight in_flight(p, n * 8),
                DidPoll(p, n, result))
static void DidPpoll(void *p, uptr n, const void *timeout, const void *signals,
                     int result) {
  DidPoll(p, n, result);
  DidRead(timeout, kTimeBytes, result >= 0);
  DidRead(signals, kSignalSetBytes, result >= 0);
}
PAGETIDE_AROUND(int, ppoll,
                (void *p, uptr n, const void *timeout, const void *signals),
                (p, n, timeout, signals), InFlight in_flight(p, n * 8),
                DidPpoll(p, n, timeout, signals, result))
PAGETIDE_AROUND(int, __ppoll_chk,
                (void *p, uptr n, const void *timeout, const void *signals,
                 uptr room),
                (p, n, timeout, signals, room), InFlight in_flight(p, n * 8),
                DidPpoll(p, n, timeout, signals, result))

static void DidSelect(int n, void *const (&sets)[3], int result) {
  uptr bytes = n > 0 ? ((uptr)n + 63) / 64 * 8 : 0;
  for (void *set : sets) {
    DidRead(set, bytes, result >= 0);
    DidWrite(set, bytes, result >= 0);
  }
}
PAGETIDE_AROUND(int, select,
                (int n, fd_set *r, fd_set *w, fd_set *e, timeval *timeout),
                (n, r, w, e, timeout),
                PAGETIDE_WAITS(pselect6, (u64)n, (uptr)r, (uptr)w, (uptr)e,
                               (uptr)timeout),
                DidSelect(n, {r, w, e}, result);
                DidRead(timeout, kTimeBytes, result >= 0);
                // libc copies the time, and back after a failure too.
                if (timeout) MarkMayWrite((uptr)timeout, kTimeBytes);
                DidWrite(timeout, kTimeBytes, result >= 0))
PAGETIDE_AROUND(int, pselect,
                (int n, fd_set *r, fd_set *w, fd_set *e,
                 const timespec *timeout, const sigset_t *signals),
                (n, r, w, e, timeout, signals),
                PAGETIDE_WAITS(pselect6, (u64)n, (uptr)r, (uptr)w, (uptr)e),
                DidSelect(n, {r, w, e}, result);
                DidRead(timeout, kTimeBytes, result >= 0);
                DidRead(signals, kSignalSetBytes, result >= 0))

constexpr uptr kEventBytes = 12; // epoll_event
#define PAGETIDE_EPOLL(name, parameters, arguments, after)                     \
  PAGETIDE_AROUND(                                                             \
      int, name, (int fd, void *events, int n, PAGETIDE_UNPACK parameters),    \
      (fd, events, n, PAGETIDE_UNPACK arguments),                              \
      InFlight in_flight(events, n > 0 ? (uptr)n * kEventBytes : 0),           \
      if (result > 0) MarkWrite((uptr)events, (uptr)result *kEventBytes);      \
      after)
PAGETIDE_EPOLL(epoll_wait, (int ms), (ms), )
PAGETIDE_EPOLL(epoll_pwait, (int ms, const void *signals), (ms, signals),
               DidRead(signals, kSignalSetBytes, result >= 0))
PAGETIDE_EPOLL(epoll_pwait2, (const void *timeout, const void *signals),
               (timeout, signals), DidRead(timeout, kTimeBytes, result >= 0);
               DidRead(signals, kSignalSetBytes, result >= 0))
