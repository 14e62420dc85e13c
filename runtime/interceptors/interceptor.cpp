//===- interceptor.cpp - Memory that libc and the kernel touch for the program ===//
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

#include "interceptors/interceptor.h"
#include "interceptors/address_limit.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/own_memory.h"

#include "recorder/requests.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>

using namespace pagetide;

// Used before its interceptor.
DECLARE_REAL(SIZE_T, strlen, const char *s)

namespace pagetide {

bool intercepting;

uptr Length(const char *s) {
  if (Active())
    return REAL(strlen)(s);
  uptr n = 0;
  while (s[n])
    ++n;
  return n;
}

} // namespace pagetide

//===- Moves --------------------------------------------------------------===//

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
PAGETIDE_EXPORT void __pagetide_mark_may_read(const void *p, uptr n) {
  if (ShadowReady())
    MarkMayRead((uptr)p, n);
}
PAGETIDE_EXPORT void __pagetide_mark_may_write(const void *p, uptr n) {
  if (ShadowReady())
    MarkMayWrite((uptr)p, n);
}

PAGETIDE_INTERCEPTOR(void *, memcpy, void *d, const void *s, SIZE_T n) {
  return MarkedMemcpy(d, s, n);
}
PAGETIDE_INTERCEPTOR(void *, memmove, void *d, const void *s, SIZE_T n) {
  return MarkedMemmove(d, s, n);
}
PAGETIDE_INTERCEPTOR(void *, memset, void *d, int c, SIZE_T n) {
  return MarkedMemset(d, c, n);
}
PAGETIDE_INTERCEPTOR(void *, mempcpy, void *d, const void *s, SIZE_T n) {
  OnInterceptedCall();
  return (u8 *)MarkedMemcpy(d, s, n) + n;
}
PAGETIDE_INTERCEPTOR(void, bcopy, const void *s, void *d, SIZE_T n) {
  OnInterceptedCall();
  MarkedMemmove(d, s, n);
}
PAGETIDE_INTERCEPTOR(void, bzero, void *d, SIZE_T n) {
  OnInterceptedCall();
  MarkedMemset(d, 0, n);
}

// With _FORTIFY_SOURCE. libc ends the program where the room is too small.
PAGETIDE_INTERCEPTOR(void *, __memcpy_chk, void *d, const void *s, SIZE_T n,
                     SIZE_T room) {
  OnInterceptedCall();
  return n > room ? RESOLVED(__memcpy_chk)(d, s, n, room)
                  : MarkedMemcpy(d, s, n);
}
PAGETIDE_INTERCEPTOR(void *, __memmove_chk, void *d, const void *s, SIZE_T n,
                     SIZE_T room) {
  OnInterceptedCall();
  return n > room ? RESOLVED(__memmove_chk)(d, s, n, room)
                  : MarkedMemmove(d, s, n);
}
PAGETIDE_INTERCEPTOR(void *, __memset_chk, void *d, int c, SIZE_T n,
                     SIZE_T room) {
  OnInterceptedCall();
  return n > room ? RESOLVED(__memset_chk)(d, c, n, room)
                  : MarkedMemset(d, c, n);
}
PAGETIDE_INTERCEPTOR(void *, __mempcpy_chk, void *d, const void *s, SIZE_T n,
                     SIZE_T room) {
  OnInterceptedCall();
  return n > room ? RESOLVED(__mempcpy_chk)(d, s, n, room)
                  : (u8 *)MarkedMemcpy(d, s, n) + n;
}

//===- Input and output ---------------------------------------------------===//

namespace pagetide {

/// Changes the range of a slot so that the recorder, whenever it looks, finds
/// one that covers both the former and the new one, where one contains the
/// other.
static void SetInFlight(InFlightRange &range, u64 address, u64 bytes) {
  if (range.bytes && bytes)
    StoreRelease(&range.bytes, u64{1} << abi::kAddressBits);
  StoreRelease(&range.address, address);
  StoreRelease(&range.bytes, bytes);
}

InFlight::InFlight(const void *p, uptr bytes, InFlightKind kind) {
  if (!ShadowReady() || !bytes || !InShadowedRange((uptr)p, bytes))
    return;
  u32 slot = CurrentSlot();
  const bool orphan = slot == shadow_file::kOrphanSlot;
  if (orphan || SharesSlot(slot)) { // several threads': only counted
    counted_ = true;
    __atomic_fetch_add(&shadow.header->orphan_calls_in_flight, 1,
                       __ATOMIC_ACQ_REL);
    if (orphan) {
      ++self.orphan_calls;
      innermost_ = &self.orphan_call;
    }
  } else {
    range_ = &shadow.slots[slot].inflight[(u32)kind];
    innermost_ = &shadow.slots[slot].inflight_call;
    address_ = range_->address;
    bytes_ = range_->bytes;
    u64 low = (uptr)p, high = low + bytes;
    if (bytes_) {
      low = Min(low, address_);
      high = address_ + bytes_ > high ? address_ + bytes_ : high;
    }
    SetInFlight(*range_, low, high - low);
  }
  if (innermost_) {
    outer_ = *innermost_;
    *innermost_ = (std::uint64_t)this;
  }
  if (EngineListens() && bytes < kAnywhere && kind == InFlightKind::kBuffer)
    KernelWillWrite(p, bytes);
}

void InFlight::Leave() {
  if (innermost_)
    *innermost_ = outer_;
  if (counted_)
    __atomic_fetch_sub(&shadow.header->orphan_calls_in_flight, 1,
                       __ATOMIC_ACQ_REL);
  if (counted_ && innermost_)
    --self.orphan_calls;
  if (range_)
    SetInFlight(*range_, address_, bytes_);
}

InFlight::~InFlight() { Leave(); }

void AbandonCalls(uptr stack) {
  if (!ShadowReady())
    return;
  u32 slot = CurrentSlot();
  const std::uint64_t &innermost = slot == shadow_file::kOrphanSlot
                                       ? self.orphan_call
                                       : shadow.slots[slot].inflight_call;
  if ((!innermost && !self.unwindable) || SharesSlot(slot))
    return;
  // Stacks grow downward. Calls lie between here and the target; or, where the
  // target is on another stack than the handler that jumps, anywhere on the
  // handler's and below the target on the other. Only what is certain to be left
  // is: a call too many is no worse than a page called unstable.
  const uptr here = (uptr)__builtin_frame_address(0);
  stack_t handlers = {};
  Syscall(SYS_sigaltstack, 0, (uptr)&handlers);
  const uptr low = (uptr)handlers.ss_sp, high = low + handlers.ss_size;
  auto on_handlers = [&](uptr p) { return p >= low && p < high; };
  const bool leaves_stack = (handlers.ss_flags & SS_ONSTACK) &&
                            on_handlers(here) && !on_handlers(stack);
  auto left = [&](uptr call) {
    return leaves_stack ? on_handlers(call) || call < stack
                        : call > here && call < stack;
  };
  while (innermost && left(innermost))
    ((InFlight *)innermost)->Leave();
  AbandonUnwindable(
      [](uptr frame, const void *arg) {
        return (*(const decltype(left) *)arg)(frame);
      },
      &left);
}

/// The kernel moves no more than this in one call (MAX_RW_COUNT).
constexpr uptr kMostOfOneCall = 0x7ffff000;

void MarkInput(const void *p, uptr bytes, sptr done) {
  if (done > 0)
    DidWrite(p, Min((uptr)done, bytes));
  else if (done < 0 && errno == EFAULT)
    MayHaveWritten(p, Min(bytes, kMostOfOneCall));
}

void MarkOutput(const void *p, uptr bytes, sptr done) {
  if (done > 0)
    DidRead(p, Min((uptr)done, bytes));
  else if (done < 0 && errno == EFAULT)
    MayHaveRead(p, Min(bytes, kMostOfOneCall));
}

Pieces::Pieces(const iovec *vector, sptr count) : vector_(vector) {
  if (!ShadowReady() || count <= 0 || count > kMost)
    return;
  if (count > kFew)
    pieces_ = (iovec *)MapAnonymous(kMost * sizeof(iovec));
  if (!pieces_)
    Fatal("out of memory for the vector of a system call.\n");
  if (CopyFromProgram(pieces_, vector, (uptr)count * sizeof(iovec)))
    count_ = (uptr)count;
}

Pieces::~Pieces() {
  if (pieces_ != few_)
    Unmap(pieces_, kMost * sizeof(iovec));
}

InFlight Pieces::Span() const {
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

template <typename Mark> void Pieces::MarkDone(sptr done, Mark mark) const {
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

void Pieces::MarkInputDone(sptr done) const {
  MarkDone(done, MarkWrite);
  if (done < 0 && errno == EFAULT)
    for (uptr i = 0; i < count_; ++i)
      MarkInput(pieces_[i].iov_base, pieces_[i].iov_len, done);
}

void Pieces::MarkOutputDone(sptr done) const {
  MarkDone(done, MarkRead);
  if (done < 0 && errno == EFAULT)
    for (uptr i = 0; i < count_; ++i)
      MarkOutput(pieces_[i].iov_base, pieces_[i].iov_len, done);
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

PAGETIDE_INTERCEPTOR(SSIZE_T, recvfrom, int fd, void *p, SIZE_T n, int flags,
                     sockaddr *from, socklen_t *from_bytes) {
  OnInterceptedCall();
  InFlight in_flight(p, n);
  socklen_t room = from ? ValueAt(from_bytes) : 0;
  SSIZE_T done = RESOLVED(recvfrom)(fd, p, n, flags, from, from_bytes);
  MarkInput(p, n, done);
  if (done >= 0 && room && ShadowReady()) {
    MarkWrite((uptr)from, *from_bytes < room ? *from_bytes : room);
    MarkWrite((uptr)from_bytes, sizeof(*from_bytes));
  }
  return done;
}

PAGETIDE_INTERCEPTOR(SSIZE_T, __recvfrom_chk, int fd, void *p, SIZE_T n,
                     SIZE_T room, int flags, sockaddr *from,
                     socklen_t *from_bytes) {
  if (n > room) // no more counted than marked: it ends the program
    return RESOLVED(__recvfrom_chk)(fd, p, n, room, flags, from, from_bytes);
  return WRAP(recvfrom)(fd, p, n, flags, from, from_bytes);
}

PAGETIDE_INTERCEPTOR(SSIZE_T, recvmsg, int fd, msghdr *message, int flags) {
  OnInterceptedCall();
  const msghdr before = ValueAt(message);
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

PAGETIDE_INTERCEPTOR(SSIZE_T, sendto, int fd, const void *p, SIZE_T n,
                     int flags, const sockaddr *to, socklen_t to_bytes) {
  OnInterceptedCall();
  SSIZE_T done = RESOLVED(sendto)(fd, p, n, flags, to, to_bytes);
  MarkOutput(p, n, done);
  if (done >= 0 && to && ShadowReady())
    MarkRead((uptr)to, to_bytes);
  return done;
}

PAGETIDE_INTERCEPTOR(SSIZE_T, sendmsg, int fd, const msghdr *message,
                     int flags) {
  OnInterceptedCall();
  SSIZE_T done = RESOLVED(sendmsg)(fd, message, flags);
  const msghdr copy = ValueAt(message);
  Pieces(copy.msg_iov, (sptr)copy.msg_iovlen).MarkOutputDone(done);
  if (done >= 0 && ShadowReady()) {
    MarkRead((uptr)message, sizeof(*message));
    MarkRead((uptr)copy.msg_name, copy.msg_namelen);
    MarkRead((uptr)copy.msg_control, copy.msg_controllen);
  }
  return done;
}

//===- Threads ------------------------------------------------------------===//

namespace {
constexpr uptr kAttrBytes = 48; // what is used of a pthread_attr_t
} // namespace

PAGETIDE_INTERCEPTOR(int, pthread_create, void *thread, const void *attr,
                     void *(*run)(void *), void *arg) {
  OnInterceptedCall();
  if (!ShadowReady())
    return RESOLVED(pthread_create)(thread, attr, run, arg);
  ScopedBlockSignals block_signals; // see PrepareThread
  const u64 signals = block_signals.saved();
  ThreadStart *start =
      PrepareThread(run, arg, SetsSignals(attr) ? nullptr : &signals, attr);
  DidRead(attr, attr ? kAttrBytes : 0);
  DidWrite(thread, sizeof(uptr)); // before the thread runs
  KernelWillWrite(thread, sizeof(uptr));
  int error = RESOLVED(pthread_create)(thread, attr, RunThread, start);
  if (error)
    CancelThread(start);
  else
    DidWrite(thread, sizeof(uptr));
  return error;
}

/// libc's thrd_create does not call pthread_create by name. A C11 thread's
/// result is an int, which a pthread's pointer holds.
PAGETIDE_INTERCEPTOR(int, thrd_create, void *thread, int (*run)(void *),
                     void *arg) {
  OnInterceptedCall();
  if (!ShadowReady())
    return RESOLVED(thrd_create)(thread, run, arg);
  using Erased = void *(*)(void *);
  ScopedBlockSignals block_signals;
  const u64 signals = block_signals.saved();
  ThreadStart *start =
      PrepareThread((Erased)(void *)run, arg, &signals, nullptr);
  DidWrite(thread, sizeof(uptr));
  int result = RESOLVED(thrd_create)(
      thread, [](void *p) { return (int)(sptr)RunThread(p); }, start);
  if (result != 0 /* thrd_success */)
    CancelThread(start);
  else
    DidWrite(thread, sizeof(uptr));
  return result;
}

//===- Processes -----------------------------------------------------------===//

/// libc's fork without its handlers.
PAGETIDE_INTERCEPTOR(int, _Fork, void) {
  if (!ControlReady())
    return RESOLVED(_Fork)();
  // Until the child has a shadow of its own, no handler may run in it.
  ScopedBlockSignals block_signals;
  int pid = RESOLVED(_Fork)();
  if (!pid)
    InChildOfUnderscoreFork();
  return pid;
}

//===- The end of the program, and exec -----------------------------------===//

PAGETIDE_INTERCEPTOR(void, _exit, int status) {
  EndOfProgram(trace::EndReason::kExit);
  RESOLVED(_exit)(status);
}
PAGETIDE_INTERCEPTOR(void, _Exit, int status) {
  EndOfProgram(trace::EndReason::kExit);
  RESOLVED(_Exit)(status);
}
/// libc's abort raises SIGABRT, and once more if a handler returns. The handler
/// is the program's code, so it runs before recording ends; it may also leave by
/// a jump, and the program goes on.
PAGETIDE_INTERCEPTOR(void, abort, void) {
  struct sigaction action;
  if (ControlReady() && !sigaction(SIGABRT, nullptr, &action) &&
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

static void BeforeExec() {
  EndOfProgram(trace::EndReason::kExec);
  LowerAddressLimitForExec();
}
static int ExecFailed(int result) {
  RaiseAddressLimit();
  return result;
}

PAGETIDE_INTERCEPTOR(int, execve, const char *path, Strings argv, Strings env) {
  BeforeExec();
  return ExecFailed(RESOLVED(execve)(path, argv, env));
}
PAGETIDE_INTERCEPTOR(int, execv, const char *path, Strings argv) {
  BeforeExec();
  return ExecFailed(RESOLVED(execv)(path, argv));
}
PAGETIDE_INTERCEPTOR(int, execvp, const char *file, Strings argv) {
  BeforeExec();
  return ExecFailed(RESOLVED(execvp)(file, argv));
}
PAGETIDE_INTERCEPTOR(int, execvpe, const char *file, Strings argv,
                     Strings env) {
  BeforeExec();
  return ExecFailed(RESOLVED(execvpe)(file, argv, env));
}
PAGETIDE_INTERCEPTOR(int, fexecve, int fd, Strings argv, Strings env) {
  BeforeExec();
  return ExecFailed(RESOLVED(fexecve)(fd, argv, env));
}
PAGETIDE_INTERCEPTOR(int, execveat, int dir, const char *path, Strings argv,
                     Strings env, int flags) {
  BeforeExec();
  return ExecFailed(RESOLVED(execveat)(dir, path, argv, env, flags));
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
PAGETIDE_INTERCEPTOR(int, execl, const char *path, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  va_end(list);
  return WRAP(execv)(path, argv);
}
PAGETIDE_INTERCEPTOR(int, execlp, const char *file, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  va_end(list);
  return WRAP(execvp)(file, argv);
}
PAGETIDE_INTERCEPTOR(int, execle, const char *path, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  Strings env = va_arg(list, Strings);
  va_end(list);
  return WRAP(execve)(path, argv, env);
}
#pragma clang diagnostic pop

//===- All of them --------------------------------------------------------===//

// Set by the linker.
extern const char own_begin[] asm("__ehdr_start");
extern const char own_end[] asm("_end");
extern const RealFunction first_real_function[] asm("__start_pagetide_real");
extern const RealFunction end_of_real_functions[] asm("__stop_pagetide_real");

namespace pagetide {

/// Conditions had another layout once, and libc still has the functions for it,
/// by the same names.
static const char *VersionOf(const char *name) {
  constexpr char kPrefix[] = "pthread_cond_", kLater[] = "pthread_cond_clock";
  const bool is_old =
      !__sanitizer::internal_strncmp(name, kPrefix, sizeof(kPrefix) - 1) &&
      __sanitizer::internal_strncmp(name, kLater, sizeof(kLater) - 1) != 0;
  return is_old ? "GLIBC_2.3.2" : nullptr;
}

/// The function that the program would call if this library were not there;
/// null where there is none.
void *ResolveReal(const char *name) {
  if (const char *version = VersionOf(name))
    if (void *next = dlvsym(RTLD_NEXT, name, version))
      return next;
  if (void *next = dlsym(RTLD_NEXT, name))
    return next;
  // Loaded after the library that has it: not in the program's way, then.
  void *any = dlsym(RTLD_DEFAULT, name);
  return any >= own_begin && any < own_end ? nullptr : any;
}

void InitInterceptors() {
  if (Active())
    return;
  for (const RealFunction *f = first_real_function; f < end_of_real_functions;
       ++f)
    *f->address = ResolveReal(f->name);
  // The table must be made once. Its making may call interceptors itself; other
  // threads wait for it.
  static u32 maker;
  u32 other = 0;
  const u32 tid = GetTidRaw();
  if (__atomic_compare_exchange_n(&maker, &other, tid, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    InitTableInterceptors();
    __atomic_store_n(&intercepting, true, __ATOMIC_RELEASE);
    ChooseMoves();
  } else if (other != tid) {
    while (!__atomic_load_n(&intercepting, __ATOMIC_ACQUIRE))
      Syscall(SYS_sched_yield);
  }
}

} // namespace pagetide
