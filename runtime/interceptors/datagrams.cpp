//===- datagrams.cpp - Messages with an address or a priority -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/interceptor.h"
#include "interceptors/io.h"
#include "interceptors/syscall_macros.h"
#include "interceptors/waiting_calls.h"

#include <sys/socket.h>

using namespace pagetide;

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
