//===- io.cpp - read, write and their like --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks what the kernel writes when the call returns. Until then the range is
// in flight.

#include "interceptors/io.h"

#include "interceptors/interceptor.h"
#include "interceptors/syscall_macros.h"
#include "interceptors/waiting_calls.h"
#include "platform/messages.h"
#include "platform/own_memory.h"

#include <sys/socket.h>
#include <sys/types.h>

using namespace pagetide;

namespace pagetide {

/// The kernel moves no more than this in one call (MAX_RW_COUNT).
constexpr uptr kMaxBytesOfCall = 0x7ffff000;

void MarkInput(const void *p, uptr bytes, sptr done) {
  if (done > 0)
    DidWrite(p, Min((uptr)done, bytes));
  else if (done < 0 && errno == EFAULT)
    MayHaveWritten(p, Min(bytes, kMaxBytesOfCall));
}

void MarkOutput(const void *p, uptr bytes, sptr done) {
  if (done > 0)
    DidRead(p, Min((uptr)done, bytes));
  else if (done < 0 && errno == EFAULT)
    MayHaveRead(p, Min(bytes, kMaxBytesOfCall));
}

bool MayHaveLooked() { return errno != ENOTSOCK; }

Pieces::Pieces(const iovec *vector, sptr count) : vector_(vector) {
  if (!ShadowReady() || count <= 0 || count > kMaxPieces)
    return;
  if (count > kFew)
    pieces_ = (iovec *)MapAnonymous(kMaxPieces * sizeof(iovec));
  if (!pieces_)
    Fatal("out of memory for the vector of a system call.\n");
  if (CopyFromProgram(pieces_, vector, (uptr)count * sizeof(iovec)))
    count_ = (uptr)count;
}

Pieces::~Pieces() {
  if (pieces_ != few_)
    Unmap(pieces_, kMaxPieces * sizeof(iovec));
}

iovec Pieces::Bounds() const {
  uptr low = ~uptr{0}, high = 0;
  for (uptr i = 0; i < count_; ++i) {
    if (!pieces_[i].iov_len)
      continue;
    uptr begin = (uptr)pieces_[i].iov_base;
    uptr end = begin + pieces_[i].iov_len;
    low = begin < low ? begin : low;
    high = end > high ? end : high;
  }
  return {(void *)low, high > low ? high - low : 0};
}

void Pieces::MarkInputDone(sptr done) const {
  if (done < 0 && errno != EFAULT) {
    if (MayHaveLooked())
      MayHaveRead(vector_, count_ * sizeof(iovec));
    return;
  }
  MarkVector();
  uptr left = done < 0 ? 0 : (uptr)done;
  ForEach([&](const iovec &piece) {
    if (done < 0)
      return MarkInput(piece.iov_base, piece.iov_len, done);
    const uptr bytes = Min((uptr)piece.iov_len, left);
    MarkWrite((uptr)piece.iov_base, bytes);
    left -= bytes;
  });
}

void MarkOutputPieces(const iovec *vector, sptr count, sptr done) {
  if (!MarksReads() || count <= 0 || (done < 0 && !MayHaveLooked()))
    return;       // the kernel refused the call and read nothing
  if (done < 0) { // perhaps because of the vector's address
    const Pieces pieces(vector, count);
    errno == EFAULT
        ? pieces.MarkVector()
        : MayHaveRead(vector, Min((uptr)count, uptr{1024}) * sizeof(iovec));
    return pieces.ForEach([=](const iovec &piece) {
      MarkOutput(piece.iov_base, piece.iov_len, done);
    });
  }
  MarkRead((uptr)vector, (uptr)count * sizeof(iovec));
  uptr left = (uptr)done;
  for (sptr i = 0; i < count && left; ++i) {
    const uptr bytes = Min((uptr)vector[i].iov_len, left);
    MarkRead((uptr)vector[i].iov_base, bytes);
    left -= bytes;
  }
}

} // namespace pagetide

#define PAGETIDE_INPUT(name, parameters, arguments, buffer, bytes)             \
  PAGETIDE_INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {            \
    OnInterceptedCall();                                                       \
    InFlight in_flight(buffer, bytes);                                         \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    MarkInput(buffer, bytes, done);                                            \
    return done;                                                               \
  }
#define PAGETIDE_OUTPUT(name, parameters, arguments, buffer, bytes)            \
  PAGETIDE_INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {            \
    OnInterceptedCall();                                                       \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    MarkOutput(buffer, bytes, done);                                           \
    return done;                                                               \
  }
#define PAGETIDE_INPUT_PIECES(name, parameters, arguments)                     \
  PAGETIDE_INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {            \
    OnInterceptedCall();                                                       \
    Pieces pieces(v, n);                                                       \
    InFlight in_flight = pieces.Span();                                        \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    pieces.MarkInputDone(done);                                                \
    return done;                                                               \
  }
#define PAGETIDE_OUTPUT_PIECES(name, parameters, arguments)                    \
  PAGETIDE_INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {            \
    OnInterceptedCall();                                                       \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    MarkOutputPieces(v, n, done);                                              \
    return done;                                                               \
  }

PAGETIDE_INPUT(read, (int fd, void *p, SIZE_T n), (fd, p, n), p, n)
PAGETIDE_INPUT(pread, (int fd, void *p, SIZE_T n, off_t at), (fd, p, n, at), p,
               n)
PAGETIDE_INPUT(pread64, (int fd, void *p, SIZE_T n, off_t at), (fd, p, n, at),
               p, n)
PAGETIDE_INPUT(recv, (int fd, void *p, SIZE_T n, int flags), (fd, p, n, flags),
               p, n)
PAGETIDE_INPUT(__read_chk, (int fd, void *p, SIZE_T n, SIZE_T room),
               (fd, p, n, room), p, n)
PAGETIDE_INPUT(__pread_chk, (int fd, void *p, SIZE_T n, off_t at, SIZE_T room),
               (fd, p, n, at, room), p, n)
PAGETIDE_INPUT(__pread64_chk,
               (int fd, void *p, SIZE_T n, off_t at, SIZE_T room),
               (fd, p, n, at, room), p, n)
PAGETIDE_INPUT(__recv_chk, (int fd, void *p, SIZE_T n, SIZE_T room, int flags),
               (fd, p, n, room, flags), p, n)
PAGETIDE_OUTPUT(write, (int fd, const void *p, SIZE_T n), (fd, p, n), p, n)
PAGETIDE_OUTPUT(pwrite, (int fd, const void *p, SIZE_T n, off_t at),
                (fd, p, n, at), p, n)
PAGETIDE_OUTPUT(pwrite64, (int fd, const void *p, SIZE_T n, off_t at),
                (fd, p, n, at), p, n)
PAGETIDE_OUTPUT(send, (int fd, const void *p, SIZE_T n, int flags),
                (fd, p, n, flags), p, n)
PAGETIDE_INPUT_PIECES(readv, (int fd, const iovec *v, int n), (fd, v, n))
PAGETIDE_INPUT_PIECES(preadv, (int fd, const iovec *v, int n, off_t at),
                      (fd, v, n, at))
PAGETIDE_INPUT_PIECES(preadv64, (int fd, const iovec *v, int n, off_t at),
                      (fd, v, n, at))
PAGETIDE_INPUT_PIECES(preadv2,
                      (int fd, const iovec *v, int n, off_t at, int flags),
                      (fd, v, n, at, flags))
PAGETIDE_INPUT_PIECES(preadv64v2,
                      (int fd, const iovec *v, int n, off_t at, int flags),
                      (fd, v, n, at, flags))
PAGETIDE_OUTPUT_PIECES(pwritev2,
                       (int fd, const iovec *v, int n, off_t at, int flags),
                       (fd, v, n, at, flags))
PAGETIDE_OUTPUT_PIECES(pwritev64v2,
                       (int fd, const iovec *v, int n, off_t at, int flags),
                       (fd, v, n, at, flags))
PAGETIDE_OUTPUT_PIECES(writev, (int fd, const iovec *v, int n), (fd, v, n))
PAGETIDE_OUTPUT_PIECES(pwritev, (int fd, const iovec *v, int n, off_t at),
                       (fd, v, n, at))
PAGETIDE_OUTPUT_PIECES(pwritev64, (int fd, const iovec *v, int n, off_t at),
                       (fd, v, n, at))

PAGETIDE_INTERCEPTOR(SSIZE_T, recvfrom, int fd, void *p, SIZE_T n, int flags,
                     sockaddr *from, socklen_t *from_bytes) {
  OnInterceptedCall();
  PAGETIDE_WAITS(recvfrom, 0, (uptr)p, n, 0, (uptr)from, (uptr)from_bytes);
  socklen_t room = from ? ValueAt(from_bytes) : 0;
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

PAGETIDE_INTERCEPTOR(SSIZE_T, recvmsg, int fd, msghdr *message, int flags) {
  OnInterceptedCall();
  const msghdr before = ValueAt(message);
  Pieces pieces(before.msg_iov, (sptr)before.msg_iovlen);
  PAGETIDE_WAITS(recvmsg, 0, (uptr)message);
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
  if (done >= 0 && ShadowReady()) {
    MarkRead((uptr)message, sizeof(*message));
    MarkWrite((uptr)message, sizeof(*message)); // lengths and flags
    // The returned length of the name may exceed its room.
    MarkWrite((uptr)before.msg_name,
              Min(message->msg_namelen, before.msg_namelen));
    MarkWrite((uptr)before.msg_control,
              Min(message->msg_controllen, before.msg_controllen));
  }
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
    MarkRead((uptr)message, sizeof(*message));
    MarkRead((uptr)copy.msg_name, copy.msg_namelen);
    MarkRead((uptr)copy.msg_control, copy.msg_controllen);
  } else {
    MayHaveRead(message, sizeof(*message));
    MayHaveRead(copy.msg_name, Min(uptr{copy.msg_namelen}, kMaxAddressBytes));
    MayHaveRead(copy.msg_control, Min(copy.msg_controllen, kMaxControlBytes));
  }
  return done;
}

//===- Message queues -----------------------------------------------------===//

PAGETIDE_AROUND(SSIZE_T, mq_receive,
                (int queue, void *p, SIZE_T n, u32 *priority),
                (queue, p, n, priority),
                PAGETIDE_WAITS(mq_timedreceive, 0, (uptr)p, n, (uptr)priority),
                MarkInput(p, n, result);
                if (result >= 0) DidWriteAt(priority))
PAGETIDE_AROUND(SSIZE_T, mq_timedreceive,
                (int queue, void *p, SIZE_T n, u32 *priority,
                 const timespec *until),
                (queue, p, n, priority, until),
                PAGETIDE_WAITS(mq_timedreceive, 0, (uptr)p, n, (uptr)priority),
                MayHaveRead(until, until ? kTimeBytes : 0);
                MarkInput(p, n, result); if (result >= 0) DidWriteAt(priority))
