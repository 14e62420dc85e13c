//===- interceptors.cpp - Memory that libc and the kernel touch for the program
//---===//
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

#include "internal_mem.h"
#include "recorder.h"
#include "rtl.h"
#include "shadow.h"
#include "threads.h"

#include "interception/interception.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>

using namespace pagetide;

// Used before their interceptors.
DECLARE_REAL(void *, memcpy, void *d, const void *s, SIZE_T n)
DECLARE_REAL(void *, memmove, void *d, const void *s, SIZE_T n)
DECLARE_REAL(void *, memset, void *d, int c, SIZE_T n)

namespace pagetide {
static bool intercepting; ///< the real functions are known

static inline bool Active() { return __builtin_expect(intercepting, 1); }
} // namespace pagetide

//===- Moves
//---------------------------------------------------------------===//

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
  return MarkedMemcpy(d, s, n);
}
PAGETIDE_EXPORT void *__pagetide_memmove(void *d, const void *s, uptr n) {
  return MarkedMemmove(d, s, n);
}
PAGETIDE_EXPORT void *__pagetide_memset(void *d, int c, uptr n) {
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
  return (u8 *)MarkedMemcpy(d, s, n) + n;
}
INTERCEPTOR(void, bcopy, const void *s, void *d, SIZE_T n) {
  MarkedMemmove(d, s, n);
}
INTERCEPTOR(void, bzero, void *d, SIZE_T n) { MarkedMemset(d, 0, n); }

// With _FORTIFY_SOURCE. libc ends the program where the room is too small.
INTERCEPTOR(void *, __memcpy_chk, void *d, const void *s, SIZE_T n,
            SIZE_T room) {
  return n > room ? REAL(__memcpy_chk)(d, s, n, room) : MarkedMemcpy(d, s, n);
}
INTERCEPTOR(void *, __memmove_chk, void *d, const void *s, SIZE_T n,
            SIZE_T room) {
  return n > room ? REAL(__memmove_chk)(d, s, n, room) : MarkedMemmove(d, s, n);
}
INTERCEPTOR(void *, __memset_chk, void *d, int c, SIZE_T n, SIZE_T room) {
  return n > room ? REAL(__memset_chk)(d, c, n, room) : MarkedMemset(d, c, n);
}
INTERCEPTOR(void *, __mempcpy_chk, void *d, const void *s, SIZE_T n,
            SIZE_T room) {
  return n > room ? REAL(__mempcpy_chk)(d, s, n, room)
                  : (u8 *)MarkedMemcpy(d, s, n) + n;
}

//===- Comparisons and strings
//---------------------------------------------===//

using Unaligned __attribute__((aligned(1), may_alias)) = u64;

/// Bytes that a comparison must look at: up to the first that differs.
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
  uptr compared = ComparedBytes((const u8 *)a, (const u8 *)b, n);
  if (ShadowReady()) {
    MarkRead((uptr)a, compared);
    MarkRead((uptr)b, compared);
  }
  if (!compared)
    return 0;
  return ((const u8 *)a)[compared - 1] - ((const u8 *)b)[compared - 1];
}

INTERCEPTOR(int, memcmp, const void *a, const void *b, SIZE_T n) {
  return MarkedMemcmp(a, b, n);
}
INTERCEPTOR(int, bcmp, const void *a, const void *b, SIZE_T n) {
  return MarkedMemcmp(a, b, n);
}

INTERCEPTOR(SIZE_T, strlen, const char *s) {
  SIZE_T n = Active() ? REAL(strlen)(s) : InternalStrlen(s);
  if (ShadowReady())
    MarkRead((uptr)s, n + 1);
  return n;
}
INTERCEPTOR(void *, memchr, const void *s, int c, SIZE_T n) {
  void *found = Active() ? REAL(memchr)(s, c, n) : InternalMemchr(s, c, n);
  if (ShadowReady())
    MarkRead((uptr)s, found ? (uptr)found - (uptr)s + 1 : n);
  return found;
}
INTERCEPTOR(char *, strcpy, char *d, const char *s) {
  MarkedMemcpy(d, s, InternalStrlen(s) + 1);
  return d;
}
INTERCEPTOR(char *, stpcpy, char *d, const char *s) {
  uptr n = InternalStrlen(s);
  MarkedMemcpy(d, s, n + 1);
  return d + n;
}
INTERCEPTOR(int, strcmp, const char *a, const char *b) {
  uptr n = 0;
  while (a[n] && a[n] == b[n])
    ++n;
  if (ShadowReady()) {
    MarkRead((uptr)a, n + 1);
    MarkRead((uptr)b, n + 1);
  }
  return (int)(u8)a[n] - (int)(u8)b[n];
}
INTERCEPTOR(int, strncmp, const char *a, const char *b, SIZE_T most) {
  uptr n = 0;
  while (n < most && a[n] && a[n] == b[n])
    ++n;
  if (ShadowReady()) {
    uptr looked_at = n < most ? n + 1 : most;
    MarkRead((uptr)a, looked_at);
    MarkRead((uptr)b, looked_at);
  }
  return n < most ? (int)(u8)a[n] - (int)(u8)b[n] : 0;
}

//===- Input and output
//----------------------------------------------------===//

namespace {
/// A range that the kernel may write until this goes. Calls may nest, by signal
/// handlers.
class InFlight {
public:
  InFlight(const void *p, uptr bytes) {
    if (!ShadowReady() || !bytes || !InShadowedRange((uptr)p, bytes))
      return;
    u32 slot = CurrentSlot();
    if (slot == shadow_file::kOrphanSlot)
      return;
    entry_ = &shadow.slots[slot];
    address_ = entry_->inflight_address;
    bytes_ = entry_->inflight_bytes;
    StoreRelease(&entry_->inflight_bytes, 0);
    StoreRelease(&entry_->inflight_address, (u64)(uptr)p);
    StoreRelease(&entry_->inflight_bytes, (u64)bytes);
  }
  ~InFlight() { // after the marks
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
  u64 address_ = 0, bytes_ = 0;
};
} // namespace

/// Marks what a call has written: `done` bytes, or, where it failed on a bad
/// address, nobody knows how much of the range.
static void MarkInput(const void *p, uptr bytes, ssize_t done) {
  if (!ShadowReady())
    return;
  if (done > 0)
    MarkWrite((uptr)p, (uptr)done < bytes ? (uptr)done : bytes);
  else if (done < 0 && errno == EFAULT)
    MarkMayWrite((uptr)p, bytes);
}

static void MarkOutput(const void *p, uptr bytes, ssize_t done) {
  if (ShadowReady() && done > 0)
    MarkRead((uptr)p, (uptr)done < bytes ? (uptr)done : bytes);
}

/// The bytes that `done` covers of a vector's pieces, in order.
template <typename Mark>
static void ForEachPiece(const iovec *pieces, uptr count, ssize_t done,
                         Mark mark) {
  if (!ShadowReady())
    return;
  MarkRead((uptr)pieces, count * sizeof(iovec));
  uptr left = done < 0 ? 0 : (uptr)done;
  for (uptr i = 0; i < count && left; ++i) {
    uptr bytes = pieces[i].iov_len < left ? pieces[i].iov_len : left;
    mark((uptr)pieces[i].iov_base, bytes);
    left -= bytes;
  }
}

/// The span of a vector's pieces, to be noted as in flight.
static InFlight SpanInFlight(const iovec *pieces, int count) {
  uptr low = ~uptr{0}, high = 0;
  for (int i = 0; i < count; ++i) {
    if (!pieces[i].iov_len)
      continue;
    uptr begin = (uptr)pieces[i].iov_base, end = begin + pieces[i].iov_len;
    low = begin < low ? begin : low;
    high = end > high ? end : high;
  }
  return InFlight((void *)low, high > low ? high - low : 0);
}

static void MarkInputPieces(const iovec *pieces, int count, ssize_t done) {
  ForEachPiece(pieces, (uptr)count, done, MarkWrite);
  if (done < 0 && errno == EFAULT && ShadowReady())
    for (int i = 0; i < count; ++i)
      MarkMayWrite((uptr)pieces[i].iov_base, pieces[i].iov_len);
}

#define PAGETIDE_INPUT(name, parameters, arguments, buffer, bytes)             \
  INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {                     \
    InFlight in_flight(buffer, bytes);                                         \
    SSIZE_T done = REAL(name) arguments;                                       \
    MarkInput(buffer, bytes, done);                                            \
    return done;                                                               \
  }
#define PAGETIDE_OUTPUT(name, parameters, arguments, buffer, bytes)            \
  INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {                     \
    SSIZE_T done = REAL(name) arguments;                                       \
    MarkOutput(buffer, bytes, done);                                           \
    return done;                                                               \
  }
#define PAGETIDE_INPUT_PIECES(name, parameters, arguments)                     \
  INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {                     \
    InFlight in_flight = SpanInFlight(v, n);                                   \
    SSIZE_T done = REAL(name) arguments;                                       \
    MarkInputPieces(v, n, done);                                               \
    return done;                                                               \
  }
#define PAGETIDE_OUTPUT_PIECES(name, parameters, arguments)                    \
  INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {                     \
    SSIZE_T done = REAL(name) arguments;                                       \
    ForEachPiece(v, (uptr)n, done, MarkRead);                                  \
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
PAGETIDE_OUTPUT_PIECES(writev, (int fd, const iovec *v, int n), (fd, v, n))
PAGETIDE_OUTPUT_PIECES(pwritev, (int fd, const iovec *v, int n, off_t at),
                       (fd, v, n, at))
PAGETIDE_OUTPUT_PIECES(pwritev64, (int fd, const iovec *v, int n, off_t at),
                       (fd, v, n, at))

INTERCEPTOR(SSIZE_T, recvfrom, int fd, void *p, SIZE_T n, int flags,
            sockaddr *from, socklen_t *from_bytes) {
  InFlight in_flight(p, n);
  socklen_t room = from && from_bytes ? *from_bytes : 0;
  SSIZE_T done = REAL(recvfrom)(fd, p, n, flags, from, from_bytes);
  MarkInput(p, n, done);
  if (done >= 0 && room && ShadowReady()) {
    MarkWrite((uptr)from, *from_bytes < room ? *from_bytes : room);
    MarkWrite((uptr)from_bytes, sizeof(*from_bytes));
  }
  return done;
}

INTERCEPTOR(SSIZE_T, __recvfrom_chk, int fd, void *p, SIZE_T n, SIZE_T room,
            int flags, sockaddr *from, socklen_t *from_bytes) {
  if (n > room)
    return REAL(__recvfrom_chk)(fd, p, n, room, flags, from, from_bytes);
  return WRAP(recvfrom)(fd, p, n, flags, from, from_bytes);
}

INTERCEPTOR(SSIZE_T, recvmsg, int fd, msghdr *message, int flags) {
  InFlight in_flight = SpanInFlight(message->msg_iov, (int)message->msg_iovlen);
  SSIZE_T done = REAL(recvmsg)(fd, message, flags);
  MarkInputPieces(message->msg_iov, (int)message->msg_iovlen, done);
  if (done >= 0 && ShadowReady()) {
    MarkRead((uptr)message, sizeof(*message));
    MarkWrite((uptr)message, sizeof(*message)); // lengths and flags
    MarkWrite((uptr)message->msg_name, message->msg_namelen);
    MarkWrite((uptr)message->msg_control, message->msg_controllen);
  }
  return done;
}

INTERCEPTOR(SSIZE_T, sendto, int fd, const void *p, SIZE_T n, int flags,
            const sockaddr *to, socklen_t to_bytes) {
  SSIZE_T done = REAL(sendto)(fd, p, n, flags, to, to_bytes);
  MarkOutput(p, n, done);
  if (done >= 0 && to && ShadowReady())
    MarkRead((uptr)to, to_bytes);
  return done;
}

INTERCEPTOR(SSIZE_T, sendmsg, int fd, const msghdr *message, int flags) {
  SSIZE_T done = REAL(sendmsg)(fd, message, flags);
  ForEachPiece(message->msg_iov, message->msg_iovlen, done, MarkRead);
  if (done >= 0 && ShadowReady()) {
    MarkRead((uptr)message, sizeof(*message));
    MarkRead((uptr)message->msg_name, message->msg_namelen);
    MarkRead((uptr)message->msg_control, message->msg_controllen);
  }
  return done;
}

//===- Threads
//-------------------------------------------------------------===//

INTERCEPTOR(int, pthread_create, void *thread, const void *attr,
            void *(*run)(void *), void *arg) {
  if (!ShadowReady())
    return REAL(pthread_create)(thread, attr, run, arg);
  ThreadStart *start = PrepareThread(run, arg);
  int error = REAL(pthread_create)(thread, attr, RunThread, start);
  if (error)
    CancelThread(start);
  return error;
}

/// libc's thrd_create does not call pthread_create by name. A C11 thread's
/// result is an int, which a pthread's pointer holds.
INTERCEPTOR(int, thrd_create, void *thread, int (*run)(void *), void *arg) {
  if (!ShadowReady())
    return REAL(thrd_create)(thread, run, arg);
  using Erased = void *(*)(void *);
  ThreadStart *start = PrepareThread((Erased)(void *)run, arg);
  int result = REAL(thrd_create)(
      thread, [](void *p) { return (int)(sptr)RunThread(p); }, start);
  if (result != 0 /* thrd_success */)
    CancelThread(start);
  return result;
}

//===- The end of the program, and exec
//------------------------------------===//

INTERCEPTOR(void, _exit, int status) {
  EndOfProgram(trace::EndReason::kExit);
  REAL(_exit)(status);
}
INTERCEPTOR(void, _Exit, int status) {
  EndOfProgram(trace::EndReason::kExit);
  REAL(_Exit)(status);
}
INTERCEPTOR(void, abort, void) {
  EndOfProgram(trace::EndReason::kAbort);
  REAL(abort)();
}

using Strings = char *const *;

INTERCEPTOR(int, execve, const char *path, Strings argv, Strings env) {
  EndOfProgram(trace::EndReason::kExec);
  return REAL(execve)(path, argv, env);
}
INTERCEPTOR(int, execv, const char *path, Strings argv) {
  EndOfProgram(trace::EndReason::kExec);
  return REAL(execv)(path, argv);
}
INTERCEPTOR(int, execvp, const char *file, Strings argv) {
  EndOfProgram(trace::EndReason::kExec);
  return REAL(execvp)(file, argv);
}
INTERCEPTOR(int, execvpe, const char *file, Strings argv, Strings env) {
  EndOfProgram(trace::EndReason::kExec);
  return REAL(execvpe)(file, argv, env);
}
INTERCEPTOR(int, fexecve, int fd, Strings argv, Strings env) {
  EndOfProgram(trace::EndReason::kExec);
  return REAL(fexecve)(fd, argv, env);
}
INTERCEPTOR(int, execveat, int dir, const char *path, Strings argv, Strings env,
            int flags) {
  EndOfProgram(trace::EndReason::kExec);
  return REAL(execveat)(dir, path, argv, env, flags);
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

//===- Locking memory
//------------------------------------------------------===//

/// Locking all would fill the shadow's tens of gigabytes with pages. Pages are
/// locked as they are touched instead.
INTERCEPTOR(int, mlockall, int flags) {
  return REAL(mlockall)(ShadowReady() ? flags | MCL_ONFAULT : flags);
}

//===- All of them
//---------------------------------------------------------===//

#define PAGETIDE_INTERCEPTED(X)                                                \
  X(memcpy)                                                                    \
  X(memmove)                                                                   \
  X(memset) X(mempcpy) X(bcopy) X(bzero) X(__memcpy_chk) X(__memmove_chk)      \
      X(__memset_chk) X(__mempcpy_chk) X(memcmp) X(bcmp) X(strlen) X(memchr)   \
          X(strcpy) X(stpcpy) X(strcmp) X(strncmp) X(read) X(pread) X(pread64) \
              X(recv) X(__read_chk) X(__pread_chk) X(__pread64_chk)            \
                  X(__recv_chk) X(write) X(pwrite) X(pwrite64) X(send)         \
                      X(readv) X(preadv) X(preadv64) X(writev) X(pwritev)      \
                          X(pwritev64) X(recvfrom) X(__recvfrom_chk)           \
                              X(recvmsg) X(sendto) X(sendmsg)                  \
                                  X(pthread_create) X(thrd_create) X(_exit)    \
                                      X(_Exit) X(abort) X(execve) X(execv)     \
                                          X(execvp) X(execvpe) X(fexecve)      \
                                              X(execveat) X(execl) X(execlp)   \
                                                  X(execle) X(mlockall)

namespace pagetide {

void InitInterceptors() {
#define PAGETIDE_INTERCEPT(name) INTERCEPT_FUNCTION(name);
  PAGETIDE_INTERCEPTED(PAGETIDE_INTERCEPT)
#undef PAGETIDE_INTERCEPT
  __atomic_store_n(&intercepting, true, __ATOMIC_RELEASE);
}

} // namespace pagetide
