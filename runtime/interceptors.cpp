//===- interceptors.cpp - Memory that libc and the kernel touch for the program ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instrumented code marks its own accesses; what it has libc or the kernel do
// is marked here. Moves mark before they move, in bounded steps; what the
// kernel writes is marked when the call returns, and until then noted as in
// flight, so that no checksum takes it for stable.
//
// An interceptor entered before the second phase, or in a process without
// instrumented code, does what the real function does.
//
//===----------------------------------------------------------------------===//

// This file defines memcpy and the like: the header must not rename them.
#define SANITIZER_COMMON_NO_REDEFINE_BUILTINS

#include "copy.h"
#include "intercepted_call.h"
#include "internal_mem.h"
#include "recorder.h"
#include "rtl.h"
#include "shadow.h"
#include "threads.h"

#include "interception/interception.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>

using namespace pagetide;

template <typename T> static T Min(T a, T b) { return a < b ? a : b; }

// Used before their interceptors.
DECLARE_REAL(void *, memcpy, void *d, const void *s, SIZE_T n)
DECLARE_REAL(void *, memmove, void *d, const void *s, SIZE_T n)
DECLARE_REAL(void *, memset, void *d, int c, SIZE_T n)
DECLARE_REAL(void *, memchr, const void *s, int c, SIZE_T n)

namespace pagetide {
static bool intercepting; ///< the real functions are known

static inline bool Active() { return __builtin_expect(intercepting, 1); }

/// For functions that have no stand-in: whoever comes first resolves them all.
/// A plain program may be linked with this library, and constructors of other
/// libraries run before the second phase.
static inline void NeedReal() {
  if (!Active())
    InitInterceptors();
}
} // namespace pagetide

/// The real function, resolved if need be.
#define RESOLVED(name) (NeedReal(), REAL(name))

//===- Moves --------------------------------------------------------------===//

// A range is marked and moved in steps, so that a mark precedes its access by a
// bounded time (docs/contract.md, Bounded skew).

static constexpr uptr kStep = abi::kRangeStep;

template <typename Move>
static inline void MoveForward(uptr d, uptr s, uptr n, Move move) {
  for (uptr at = 0; at < n; at += kStep) {
    uptr bytes = n - at < kStep ? n - at : kStep;
    MarkRead(s + at, bytes);
    MarkWrite(d + at, bytes);
    move(d + at, s + at, bytes);
  }
}

static void *MarkedMemcpy(void *d, const void *s, uptr n) {
  if (!ShadowReady())
    return InternalMemcpy(d, s, n);
  MoveForward((uptr)d, (uptr)s, n, [](uptr to, uptr from, uptr bytes) {
    Active() ? REAL(memcpy)((void *)to, (const void *)from, bytes)
             : InternalMemcpy((void *)to, (const void *)from, bytes);
  });
  return d;
}

static void *MarkedMemmove(void *d, const void *s, uptr n) {
  if (!ShadowReady())
    return InternalMemmove(d, s, n);
  auto move = [](uptr to, uptr from, uptr bytes) {
    Active() ? REAL(memmove)((void *)to, (const void *)from, bytes)
             : InternalMemmove((void *)to, (const void *)from, bytes);
  };
  uptr to = (uptr)d, from = (uptr)s;
  if (to <= from || to >= from + n) {
    MoveForward(to, from, n, move);
    return d;
  }
  // The target overlaps the source's end: the last step goes first.
  for (uptr left = n; left;) {
    uptr bytes = left < kStep ? left : kStep;
    left -= bytes;
    MarkRead(from + left, bytes);
    MarkWrite(to + left, bytes);
    move(to + left, from + left, bytes);
  }
  return d;
}

static void *MarkedMemset(void *d, int c, uptr n) {
  if (!ShadowReady())
    return InternalMemset(d, c, n);
  for (uptr at = 0; at < n; at += kStep) {
    uptr bytes = n - at < kStep ? n - at : kStep;
    u8 *to = (u8 *)d + at;
    MarkWrite((uptr)to, bytes);
    Active() ? REAL(memset)(to, c, bytes) : InternalMemset(to, c, bytes);
  }
  return d;
}

// What the pass makes of memory intrinsics.
#define PAGETIDE_EXPORT extern "C" __attribute__((visibility("default")))
PAGETIDE_EXPORT void *__pagetide_memcpy(void *d, const void *s, uptr n) {
  OnInterceptedCall();
  return MarkedMemcpy(d, s, n);
}
PAGETIDE_EXPORT void *__pagetide_memmove(void *d, const void *s, uptr n) {
  OnInterceptedCall();
  return MarkedMemmove(d, s, n);
}
PAGETIDE_EXPORT void *__pagetide_memset(void *d, int c, uptr n) {
  OnInterceptedCall();
  return MarkedMemset(d, c, n);
}
PAGETIDE_EXPORT void __pagetide_mark_read(const void *p, uptr n) {
  if (ShadowReady())
    MarkRead((uptr)p, n);
}
PAGETIDE_EXPORT void __pagetide_mark_write(const void *p, uptr n) {
  if (ShadowReady())
    MarkWrite((uptr)p, n);
}

INTERCEPTOR(void *, memcpy, void *d, const void *s, SIZE_T n) {
  return MarkedMemcpy(d, s, n);
}
INTERCEPTOR(void *, memmove, void *d, const void *s, SIZE_T n) {
  return MarkedMemmove(d, s, n);
}
INTERCEPTOR(void *, memset, void *d, int c, SIZE_T n) {
  return MarkedMemset(d, c, n);
}
INTERCEPTOR(void *, mempcpy, void *d, const void *s, SIZE_T n) {
  OnInterceptedCall();
  return (u8 *)MarkedMemcpy(d, s, n) + n;
}
INTERCEPTOR(void, bcopy, const void *s, void *d, SIZE_T n) {
  OnInterceptedCall();
  MarkedMemmove(d, s, n);
}
INTERCEPTOR(void, bzero, void *d, SIZE_T n) {
  OnInterceptedCall();
  MarkedMemset(d, 0, n);
}

// With _FORTIFY_SOURCE. libc ends the program where the room is too small.
INTERCEPTOR(void *, __memcpy_chk, void *d, const void *s, SIZE_T n,
            SIZE_T room) {
  OnInterceptedCall();
  return n > room ? RESOLVED(__memcpy_chk)(d, s, n, room)
                  : MarkedMemcpy(d, s, n);
}
INTERCEPTOR(void *, __memmove_chk, void *d, const void *s, SIZE_T n,
            SIZE_T room) {
  OnInterceptedCall();
  return n > room ? RESOLVED(__memmove_chk)(d, s, n, room)
                  : MarkedMemmove(d, s, n);
}
INTERCEPTOR(void *, __memset_chk, void *d, int c, SIZE_T n, SIZE_T room) {
  OnInterceptedCall();
  return n > room ? RESOLVED(__memset_chk)(d, c, n, room)
                  : MarkedMemset(d, c, n);
}
INTERCEPTOR(void *, __mempcpy_chk, void *d, const void *s, SIZE_T n,
            SIZE_T room) {
  OnInterceptedCall();
  return n > room ? RESOLVED(__mempcpy_chk)(d, s, n, room)
                  : (u8 *)MarkedMemcpy(d, s, n) + n;
}

//===- Comparisons and strings --------------------------------------------===//

using Unaligned __attribute__((aligned(1), may_alias)) = u64;

// What these read is known only afterwards: they look in steps, and mark each
// step before they take the next, so that a mark is late by one step at most.

/// Bytes of [0, n) that a comparison looks at: up to the first that differs.
static uptr ComparedBytes(const u8 *a, const u8 *b, uptr n) {
  uptr i = 0;
  while (i + 8 <= n &&
         *(const Unaligned *)(a + i) == *(const Unaligned *)(b + i))
    i += 8;
  while (i < n && a[i] == b[i])
    ++i;
  return i < n ? i + 1 : n;
}

static int MarkedMemcmp(const void *a, const void *b, uptr n) {
  for (uptr at = 0; at < n; at += kStep) {
    uptr bytes = n - at < kStep ? n - at : kStep;
    const u8 *x = (const u8 *)a + at, *y = (const u8 *)b + at;
    uptr compared = ComparedBytes(x, y, bytes);
    if (ShadowReady()) {
      MarkRead((uptr)x, compared);
      MarkRead((uptr)y, compared);
    }
    if (x[compared - 1] != y[compared - 1])
      return x[compared - 1] - y[compared - 1];
  }
  return 0;
}

/// Index of the first byte equal to `c` among `most`; `most` where there is
/// none. Marks what it looked at.
static uptr MarkedFind(const void *s, int c, uptr most) {
  for (uptr at = 0; at < most;) {
    uptr bytes = most - at < kStep ? most - at : kStep;
    const u8 *from = (const u8 *)s + at;
    const void *found = Active() ? REAL(memchr)(from, c, bytes)
                                 : InternalMemchr(from, c, bytes);
    uptr looked_at = found ? (uptr)found - (uptr)from + 1 : bytes;
    if (ShadowReady())
      MarkRead((uptr)from, looked_at);
    if (found)
      return at + looked_at - 1;
    at += bytes;
  }
  return most;
}

/// Compares strings up to `most` bytes.
static int MarkedStrcmp(const char *a, const char *b, uptr most) {
  for (uptr at = 0; at < most;) {
    uptr n = 0;
    uptr bytes = most - at < kStep ? most - at : kStep;
    while (n < bytes && a[at + n] && a[at + n] == b[at + n])
      ++n;
    uptr looked_at = n < bytes ? n + 1 : bytes;
    if (ShadowReady()) {
      MarkRead((uptr)a + at, looked_at);
      MarkRead((uptr)b + at, looked_at);
    }
    if (n < bytes)
      return (int)(u8)a[at + n] - (int)(u8)b[at + n];
    at += bytes;
  }
  return 0;
}

constexpr uptr kNoBound = ~uptr{0} >> 1;

INTERCEPTOR(int, memcmp, const void *a, const void *b, SIZE_T n) {
  OnInterceptedCall();
  return MarkedMemcmp(a, b, n);
}
INTERCEPTOR(int, bcmp, const void *a, const void *b, SIZE_T n) {
  OnInterceptedCall();
  return MarkedMemcmp(a, b, n);
}
INTERCEPTOR(SIZE_T, strlen, const char *s) {
  OnInterceptedCall();
  return MarkedFind(s, 0, kNoBound);
}
INTERCEPTOR(void *, memchr, const void *s, int c, SIZE_T n) {
  OnInterceptedCall();
  uptr at = MarkedFind(s, c, n);
  return at == n ? nullptr : (void *)((uptr)s + at);
}
INTERCEPTOR(char *, strcpy, char *d, const char *s) {
  OnInterceptedCall();
  MarkedMemcpy(d, s, MarkedFind(s, 0, kNoBound) + 1);
  return d;
}
INTERCEPTOR(char *, stpcpy, char *d, const char *s) {
  OnInterceptedCall();
  uptr n = MarkedFind(s, 0, kNoBound);
  MarkedMemcpy(d, s, n + 1);
  return d + n;
}
INTERCEPTOR(int, strcmp, const char *a, const char *b) {
  OnInterceptedCall();
  return MarkedStrcmp(a, b, kNoBound);
}
INTERCEPTOR(int, strncmp, const char *a, const char *b, SIZE_T most) {
  OnInterceptedCall();
  return MarkedStrcmp(a, b, most);
}

//===- Input and output ---------------------------------------------------===//

namespace {
/// A range that the kernel may write until this goes. Calls may nest, by signal
/// handlers.
class InFlight {
public:
  InFlight(const void *p, uptr bytes) {
    if (!ShadowReady() || !bytes || !InShadowedRange((uptr)p, bytes))
      return;
    u32 slot = CurrentSlot();
    if (slot == shadow_file::kOrphanSlot) { // several threads': only counted
      orphan_ = true;
      __atomic_fetch_add(&shadow.header->orphan_calls_in_flight, 1,
                         __ATOMIC_ACQ_REL);
      return;
    }
    entry_ = &shadow.slots[slot];
    address_ = entry_->inflight_address;
    bytes_ = entry_->inflight_bytes;
    StoreRelease(&entry_->inflight_bytes, 0);
    StoreRelease(&entry_->inflight_address, (u64)(uptr)p);
    StoreRelease(&entry_->inflight_bytes, (u64)bytes);
  }
  ~InFlight() { // after the marks
    if (orphan_)
      __atomic_fetch_sub(&shadow.header->orphan_calls_in_flight, 1,
                         __ATOMIC_ACQ_REL);
    if (!entry_)
      return;
    StoreRelease(&entry_->inflight_bytes, 0);
    StoreRelease(&entry_->inflight_address, address_);
    StoreRelease(&entry_->inflight_bytes, bytes_);
  }
  InFlight(const InFlight &) = delete;
  InFlight &operator=(const InFlight &) = delete;

private:
  SlotEntry *entry_ = nullptr;
  bool orphan_ = false;
  u64 address_ = 0, bytes_ = 0;
};
} // namespace

/// The kernel moves no more than this in one call (MAX_RW_COUNT).
constexpr uptr kMostOfOneCall = 0x7ffff000;

/// Marks what a call has written: `done` bytes, or, where it failed on a bad
/// address, nobody knows how much of the range.
static void MarkInput(const void *p, uptr bytes, ssize_t done) {
  if (!ShadowReady())
    return;
  if (done > 0)
    MarkWrite((uptr)p, (uptr)done < bytes ? (uptr)done : bytes);
  else if (done < 0 && errno == EFAULT)
    MarkMayWrite((uptr)p, bytes < kMostOfOneCall ? bytes : kMostOfOneCall);
}

static void MarkOutput(const void *p, uptr bytes, ssize_t done) {
  if (!ShadowReady())
    return;
  if (done > 0)
    MarkRead((uptr)p, (uptr)done < bytes ? (uptr)done : bytes);
  else if (done < 0 && errno == EFAULT)
    MarkMayRead((uptr)p, bytes < kMostOfOneCall ? bytes : kMostOfOneCall);
}

namespace {
/// A copy of the program's vector, made without trusting its address: a bad one
/// is for the kernel to refuse.
class Pieces {
public:
  Pieces(const iovec *vector, sptr count) : vector_(vector) {
    if (!ShadowReady() || count <= 0 || count > kMost)
      return;
    if (CopyFromProgram(pieces_, vector, (uptr)count * sizeof(iovec)))
      count_ = (uptr)count;
  }

  /// The span of all pieces, to be noted as in flight.
  InFlight Span() const {
    uptr low = ~uptr{0}, high = 0;
    for (uptr i = 0; i < count_; ++i) {
      if (!pieces_[i].iov_len)
        continue;
      uptr begin = (uptr)pieces_[i].iov_base;
      uptr end = begin + pieces_[i].iov_len;
      low = begin < low ? begin : low;
      high = end > high ? end : high;
    }
    return InFlight((void *)low, high > low ? high - low : 0);
  }

  /// Marks the vector as read, and the bytes that `done` covers of its pieces,
  /// in order.
  template <typename Mark> void MarkDone(sptr done, Mark mark) const {
    if (!count_ || (done < 0 && errno != EFAULT))
      return; // refused unseen
    MarkRead((uptr)vector_, count_ * sizeof(iovec));
    uptr left = done < 0 ? 0 : (uptr)done;
    for (uptr i = 0; i < count_ && left; ++i) {
      uptr bytes = pieces_[i].iov_len < left ? pieces_[i].iov_len : left;
      mark((uptr)pieces_[i].iov_base, bytes);
      left -= bytes;
    }
  }
  void MarkInputDone(sptr done) const {
    MarkDone(done, MarkWrite);
    if (done < 0 && errno == EFAULT)
      for (uptr i = 0; i < count_; ++i)
        MarkInput(pieces_[i].iov_base, pieces_[i].iov_len, done);
  }
  void MarkOutputDone(sptr done) const {
    MarkDone(done, MarkRead);
    if (done < 0 && errno == EFAULT)
      for (uptr i = 0; i < count_; ++i)
        MarkOutput(pieces_[i].iov_base, pieces_[i].iov_len, done);
  }

private:
  static constexpr sptr kMost = 1024; // UIO_MAXIOV: the kernel refuses more
  const iovec *vector_;
  uptr count_ = 0;
  iovec pieces_[kMost];
};

/// A message's header, copied likewise.
struct MessageCopy {
  explicit MessageCopy(const msghdr *message) {
    if (!ShadowReady() || !CopyFromProgram(&copy, message, sizeof(copy)))
      copy = {};
  }
  msghdr copy;
};
} // namespace

#define PAGETIDE_INPUT(name, parameters, arguments, buffer, bytes)             \
  INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {                     \
    OnInterceptedCall();                                                       \
    InFlight in_flight(buffer, bytes);                                         \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    MarkInput(buffer, bytes, done);                                            \
    return done;                                                               \
  }
#define PAGETIDE_OUTPUT(name, parameters, arguments, buffer, bytes)            \
  INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {                     \
    OnInterceptedCall();                                                       \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    MarkOutput(buffer, bytes, done);                                           \
    return done;                                                               \
  }
#define PAGETIDE_INPUT_PIECES(name, parameters, arguments)                     \
  INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {                     \
    OnInterceptedCall();                                                       \
    Pieces pieces(v, n);                                                       \
    InFlight in_flight = pieces.Span();                                        \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    pieces.MarkInputDone(done);                                                \
    return done;                                                               \
  }
#define PAGETIDE_OUTPUT_PIECES(name, parameters, arguments)                    \
  INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {                     \
    OnInterceptedCall();                                                       \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    Pieces(v, n).MarkOutputDone(done);                                         \
    return done;                                                               \
  }
#define PAGETIDE_UNPACK(...) __VA_ARGS__

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

/// A length that the kernel reads and writes; 0 where it cannot be read.
static socklen_t LengthAt(const socklen_t *p) {
  socklen_t length = 0;
  return CopyFromProgram(&length, p, sizeof(length)) ? length : 0;
}

INTERCEPTOR(SSIZE_T, recvfrom, int fd, void *p, SIZE_T n, int flags,
            sockaddr *from, socklen_t *from_bytes) {
  OnInterceptedCall();
  InFlight in_flight(p, n);
  socklen_t room = from ? LengthAt(from_bytes) : 0;
  SSIZE_T done = RESOLVED(recvfrom)(fd, p, n, flags, from, from_bytes);
  MarkInput(p, n, done);
  if (done >= 0 && room && ShadowReady()) {
    MarkWrite((uptr)from, *from_bytes < room ? *from_bytes : room);
    MarkWrite((uptr)from_bytes, sizeof(*from_bytes));
  }
  return done;
}

INTERCEPTOR(SSIZE_T, __recvfrom_chk, int fd, void *p, SIZE_T n, SIZE_T room,
            int flags, sockaddr *from, socklen_t *from_bytes) {
  if (n > room) // no more counted than marked: it ends the program
    return RESOLVED(__recvfrom_chk)(fd, p, n, room, flags, from, from_bytes);
  return WRAP(recvfrom)(fd, p, n, flags, from, from_bytes);
}

INTERCEPTOR(SSIZE_T, recvmsg, int fd, msghdr *message, int flags) {
  OnInterceptedCall();
  const msghdr before = MessageCopy(message).copy;
  Pieces pieces(before.msg_iov, (sptr)before.msg_iovlen);
  InFlight in_flight = pieces.Span();
  SSIZE_T done = RESOLVED(recvmsg)(fd, message, flags);
  pieces.MarkInputDone(done);
  if (done >= 0 && ShadowReady()) {
    MarkRead((uptr)message, sizeof(*message));
    MarkWrite((uptr)message, sizeof(*message)); // lengths and flags
    // The name's length may come back larger than its room.
    MarkWrite((uptr)before.msg_name,
              Min(message->msg_namelen, before.msg_namelen));
    MarkWrite((uptr)before.msg_control,
              Min(message->msg_controllen, before.msg_controllen));
  }
  return done;
}

INTERCEPTOR(SSIZE_T, sendto, int fd, const void *p, SIZE_T n, int flags,
            const sockaddr *to, socklen_t to_bytes) {
  OnInterceptedCall();
  SSIZE_T done = RESOLVED(sendto)(fd, p, n, flags, to, to_bytes);
  MarkOutput(p, n, done);
  if (done >= 0 && to && ShadowReady())
    MarkRead((uptr)to, to_bytes);
  return done;
}

INTERCEPTOR(SSIZE_T, sendmsg, int fd, const msghdr *message, int flags) {
  OnInterceptedCall();
  SSIZE_T done = RESOLVED(sendmsg)(fd, message, flags);
  const msghdr copy = MessageCopy(message).copy;
  Pieces(copy.msg_iov, (sptr)copy.msg_iovlen).MarkOutputDone(done);
  if (done >= 0 && ShadowReady()) {
    MarkRead((uptr)message, sizeof(*message));
    MarkRead((uptr)copy.msg_name, copy.msg_namelen);
    MarkRead((uptr)copy.msg_control, copy.msg_controllen);
  }
  return done;
}

//===- Threads ------------------------------------------------------------===//

INTERCEPTOR(int, pthread_create, void *thread, const void *attr,
            void *(*run)(void *), void *arg) {
  OnInterceptedCall();
  if (!ShadowReady())
    return RESOLVED(pthread_create)(thread, attr, run, arg);
  ScopedBlockSignals block_signals; // see PrepareThread
  const u64 signals = block_signals.saved();
  ThreadStart *start =
      PrepareThread(run, arg, SetsSignals(attr) ? nullptr : &signals);
  if (!start)
    return EAGAIN;
  int error = RESOLVED(pthread_create)(thread, attr, RunThread, start);
  if (error)
    CancelThread(start);
  return error;
}

/// libc's thrd_create does not call pthread_create by name. A C11 thread's
/// result is an int, which a pthread's pointer holds.
INTERCEPTOR(int, thrd_create, void *thread, int (*run)(void *), void *arg) {
  OnInterceptedCall();
  if (!ShadowReady())
    return RESOLVED(thrd_create)(thread, run, arg);
  using Erased = void *(*)(void *);
  ScopedBlockSignals block_signals;
  const u64 signals = block_signals.saved();
  ThreadStart *start = PrepareThread((Erased)(void *)run, arg, &signals);
  if (!start)
    return 3; // thrd_nomem
  int result = RESOLVED(thrd_create)(
      thread, [](void *p) { return (int)(sptr)RunThread(p); }, start);
  if (result != 0 /* thrd_success */)
    CancelThread(start);
  return result;
}

//===- Processes -----------------------------------------------------------===//

/// libc's fork without its handlers.
INTERCEPTOR(int, _Fork, void) {
  if (!ShadowReady())
    return RESOLVED(_Fork)();
  // Until the child has a shadow of its own, no handler may run in it.
  ScopedBlockSignals block_signals;
  int pid = RESOLVED(_Fork)();
  if (!pid)
    InChildOfUnderscoreFork();
  return pid;
}

//===- The end of the program, and exec -----------------------------------===//

INTERCEPTOR(void, _exit, int status) {
  EndOfProgram(trace::EndReason::kExit);
  RESOLVED(_exit)(status);
}
INTERCEPTOR(void, _Exit, int status) {
  EndOfProgram(trace::EndReason::kExit);
  RESOLVED(_Exit)(status);
}
/// libc's abort raises SIGABRT, and once more if a handler returns. The handler
/// is the program's code, so it runs before recording ends; it may also leave by
/// a jump, and the program goes on.
INTERCEPTOR(void, abort, void) {
  struct sigaction action;
  if (ShadowReady() && !sigaction(SIGABRT, nullptr, &action) &&
      action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGABRT);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    Syscall(SYS_tgkill, GetPidRaw(), GetTidRaw(), SIGABRT);
    action = {};
    action.sa_handler = SIG_DFL; // it has had its turn
    sigaction(SIGABRT, &action, nullptr);
  }
  EndOfProgram(trace::EndReason::kAbort);
  RESOLVED(abort)();
}

using Strings = char *const *;

INTERCEPTOR(int, execve, const char *path, Strings argv, Strings env) {
  EndOfProgram(trace::EndReason::kExec);
  return RESOLVED(execve)(path, argv, env);
}
INTERCEPTOR(int, execv, const char *path, Strings argv) {
  EndOfProgram(trace::EndReason::kExec);
  return RESOLVED(execv)(path, argv);
}
INTERCEPTOR(int, execvp, const char *file, Strings argv) {
  EndOfProgram(trace::EndReason::kExec);
  return RESOLVED(execvp)(file, argv);
}
INTERCEPTOR(int, execvpe, const char *file, Strings argv, Strings env) {
  EndOfProgram(trace::EndReason::kExec);
  return RESOLVED(execvpe)(file, argv, env);
}
INTERCEPTOR(int, fexecve, int fd, Strings argv, Strings env) {
  EndOfProgram(trace::EndReason::kExec);
  return RESOLVED(fexecve)(fd, argv, env);
}
INTERCEPTOR(int, execveat, int dir, const char *path, Strings argv, Strings env,
            int flags) {
  EndOfProgram(trace::EndReason::kExec);
  return RESOLVED(execveat)(dir, path, argv, env, flags);
}

/// The arguments of an execl: first, ..., nullptr.
#define PAGETIDE_COLLECT_ARGUMENTS(first)                                      \
  uptr count = 1;                                                              \
  va_list list;                                                                \
  va_start(list, first);                                                       \
  while (va_arg(list, char *))                                                 \
    ++count;                                                                   \
  va_end(list);                                                                \
  char *argv[count + 1];                                                       \
  argv[0] = const_cast<char *>(first);                                         \
  va_start(list, first);                                                       \
  for (uptr i = 1; i <= count; ++i)                                            \
    argv[i] = va_arg(list, char *);

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wvla-extension"
INTERCEPTOR(int, execl, const char *path, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  va_end(list);
  return WRAP(execv)(path, argv);
}
INTERCEPTOR(int, execlp, const char *file, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  va_end(list);
  return WRAP(execvp)(file, argv);
}
INTERCEPTOR(int, execle, const char *path, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  Strings env = va_arg(list, Strings);
  va_end(list);
  return WRAP(execve)(path, argv, env);
}
#pragma clang diagnostic pop

//===- Locking memory -----------------------------------------------------===//

/// Locking all would fill the shadow's tens of gigabytes with pages. Pages are
/// locked as they are touched instead.
INTERCEPTOR(int, mlockall, int flags) {
  OnInterceptedCall();
  return RESOLVED(mlockall)(ShadowReady() ? flags | MCL_ONFAULT : flags);
}

//===- All of them --------------------------------------------------------===//

namespace pagetide {

void InitInterceptors() {
#define PAGETIDE_INTERCEPTED(name) INTERCEPT_FUNCTION(name);
#include "intercepted.inc"
#undef PAGETIDE_INTERCEPTED
  InitThreadInterceptors();
  __atomic_store_n(&intercepting, true, __ATOMIC_RELEASE);
}

} // namespace pagetide
