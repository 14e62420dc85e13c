//===- files.cpp - System calls by libc's names ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that have the kernel read or write the program's memory, and small
// ones of libc beside them. Marks are made at return: the kernel has then said
// what it did. Where it refused a call, an argument may or may not have been
// read. Sizes are those that the kernel and glibc move, not always those of the
// types (a signal set is 8 bytes of the 128).
//
//===----------------------------------------------------------------------===//

#include "interceptors/interceptor.h"
#include "platform/locks.h"
#include "shadow/marking.h"

#include <stdarg.h>

using namespace pagetide;

// A function, and what is to be marked after it. `result` is what it returned.
#define PAGETIDE_UNPACK(...) __VA_ARGS__
#define PAGETIDE_AFTER(type, name, parameters, arguments, after)               \
  PAGETIDE_INTERCEPTOR(type, name, PAGETIDE_UNPACK parameters) {               \
    OnInterceptedCall();                                                       \
    type result = KernelCall(RESOLVED(name)) arguments;                        \
    if (ShadowReady()) {                                                       \
      after;                                                                   \
    }                                                                          \
    return result;                                                             \
  }
#define PAGETIDE_AROUND(type, name, parameters, arguments, before, after)      \
  PAGETIDE_INTERCEPTOR(type, name, PAGETIDE_UNPACK parameters) {               \
    OnInterceptedCall();                                                       \
    before;                                                                    \
    type result = KernelCall(RESOLVED(name)) arguments;                        \
    if (ShadowReady()) {                                                       \
      after;                                                                   \
    }                                                                          \
    return result;                                                             \
  }

/// An argument that the kernel reads, unless it refuses the call before.
static void DidTake(const void *p, uptr bytes, bool succeeded) {
  if (!p)
    return;
  if (succeeded)
    MarkRead((uptr)p, bytes);
  else
    MarkMayRead((uptr)p, bytes);
}
/// A result of a fixed size.
static void DidGive(void *p, uptr bytes, bool succeeded) {
  if (p && succeeded)
    MarkWrite((uptr)p, bytes);
  else if (p && errno == EFAULT)
    MarkMayWrite((uptr)p, bytes);
}

//===- Sockets ------------------------------------------------------------===//

/// A socket's address or option, and its length, which comes back as what there
/// is and may exceed the room.
static void DidGiveSized(void *p, u32 *length, u32 room, bool succeeded) {
  if (!succeeded || !p || !length)
    return;
  DidReadAt(length);
  DidWriteAt(length);
  MarkWrite((uptr)p, Min(*length, room));
}
PAGETIDE_AROUND(int, accept, (int fd, void *p, u32 *length), (fd, p, length),
                u32 room = ValueAt(length);
                InFlight in_flight(p, room),
                DidGiveSized(p, length, room, result >= 0))
PAGETIDE_AROUND(int, accept4, (int fd, void *p, u32 *length, int flags),
                (fd, p, length, flags), u32 room = ValueAt(length);
                InFlight in_flight(p, room),
                DidGiveSized(p, length, room, result >= 0))
PAGETIDE_AROUND(int, getsockname, (int fd, void *p, u32 *length),
                (fd, p, length), u32 room = ValueAt(length),
                DidGiveSized(p, length, room, !result))
PAGETIDE_AROUND(int, getpeername, (int fd, void *p, u32 *length),
                (fd, p, length), u32 room = ValueAt(length),
                DidGiveSized(p, length, room, !result))
PAGETIDE_AROUND(int, getsockopt,
                (int fd, int level, int option, void *p, u32 *length),
                (fd, level, option, p, length), u32 room = ValueAt(length),
                DidGiveSized(p, length, room, !result))
PAGETIDE_AFTER(int, setsockopt,
               (int fd, int level, int option, const void *p, u32 bytes),
               (fd, level, option, p, bytes), DidTake(p, bytes, !result))
PAGETIDE_AFTER(int, bind, (int fd, const void *p, u32 bytes), (fd, p, bytes),
               DidTake(p, bytes, !result))
PAGETIDE_AFTER(int, connect, (int fd, const void *p, u32 bytes), (fd, p, bytes),
               DidTake(p, bytes, !result || errno == EINPROGRESS))
PAGETIDE_AFTER(int, socketpair, (int domain, int type, int protocol, int *pair),
               (domain, type, protocol, pair), DidGive(pair, 8, !result))
PAGETIDE_AFTER(int, pipe, (int *pair), (pair), DidGive(pair, 8, !result))
PAGETIDE_AFTER(int, pipe2, (int *pair, int flags), (pair, flags),
               DidGive(pair, 8, !result))

namespace {
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
} // namespace
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
  Pieces(h.pieces, (sptr)h.piece_count).MarkOutputDone(message->bytes);
  MarkRead((uptr)h.name, h.name_bytes);
  MarkRead((uptr)h.control, h.control_bytes);
  DidWriteAt(&message->bytes);
}
PAGETIDE_INTERCEPTOR(int, recvmmsg, int fd, CountedMessage *messages, u32 n,
                     int flags, void *timeout) {
  OnInterceptedCall();
  constexpr u32 kMost = 1024; // UIO_MAXIOV: the kernel takes no more
  u32 name_rooms[kMost];
  u32 known = 0;
  for (; known < Min(n, kMost); ++known) {
    CountedMessage copy;
    if (!CopyFromProgram(&copy, messages + known, sizeof(copy)))
      break;
    name_rooms[known] = copy.header.name_bytes;
  }
  int done = RESOLVED(recvmmsg)(fd, messages, n, flags, timeout);
  if (!ShadowReady())
    return done;
  for (int i = 0; i < done && i < (int)known; ++i)
    DidReceive(messages + i, name_rooms[i]);
  DidTake(timeout, 16, done >= 0);
  if (timeout && done >= 0)
    MarkWrite((uptr)timeout, 16); // what was left of it
  return done;
}
PAGETIDE_AFTER(int, sendmmsg,
               (int fd, CountedMessage *messages, u32 n, int flags),
               (fd, messages, n, flags),
               for (int i = 0; i < result; ++i) DidSend(messages + i))

//===- Commands -----------------------------------------------------------===//

PAGETIDE_INTERCEPTOR(int, system, const char *command) {
  OnInterceptedCall();
  HoldProtection(+1);
  int result = RESOLVED(system)(command);
  HoldProtection(-1);
  if (ShadowReady())
    DidReadPath(command, result < 0);
  return result;
}

//===- Directories --------------------------------------------------------===//

/// libc has the kernel write entries into a buffer behind the directory's
/// descriptor, on the heap. The kernel refuses a bad one before it has moved on.
#define PAGETIDE_READ_DIRECTORY(name)                                          \
  PAGETIDE_INTERCEPTOR(void *, name, void *directory) {                        \
    OnInterceptedCall();                                                       \
    constexpr uptr kMostBuffer = uptr{64} << 10;                               \
    NeedReal();                                                                \
    if (!EngineListens())                                                      \
      return REAL(name)(directory);                                            \
    const int before = errno;                                                  \
    for (int tries = 0;; ++tries) {                                            \
      KernelWillWrite(directory, kMostBuffer);                                 \
      errno = before;                                                          \
      void *entry = REAL(name)(directory);                                     \
      if (entry || errno != EFAULT || tries == kMaxTries)                      \
        return entry;                                                          \
    }                                                                          \
  }
PAGETIDE_READ_DIRECTORY(readdir)
PAGETIDE_READ_DIRECTORY(readdir64)

//===- Waiting for descriptors --------------------------------------------===//

constexpr uptr kSignalSetBytes = 8; // what the kernel knows of a sigset_t
constexpr uptr kTimeBytes = 16;     // timespec, timeval

/// A poll reads every entry and writes what it found into each, even when a
/// signal ended it.
static void DidPoll(void *entries, uptr n, int result) {
  constexpr uptr kBytes = 8, kFoundAt = 6; // of a pollfd
  bool looked = result >= 0 || errno == EINTR;
  DidTake(entries, n * kBytes, looked);
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
  DidTake(timeout, kTimeBytes, result >= 0);
  DidTake(signals, kSignalSetBytes, result >= 0);
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
    DidTake(set, bytes, result >= 0);
    DidGive(set, bytes, result >= 0);
  }
}
PAGETIDE_AFTER(int, select,
               (int n, fd_set *r, fd_set *w, fd_set *e, timeval *timeout),
               (n, r, w, e, timeout), DidSelect(n, {r, w, e}, result);
               DidTake(timeout, kTimeBytes, result >= 0);
               DidGive(timeout, kTimeBytes, result >= 0))
PAGETIDE_AFTER(int, pselect,
               (int n, fd_set *r, fd_set *w, fd_set *e, const timespec *timeout,
                const sigset_t *signals),
               (n, r, w, e, timeout, signals), DidSelect(n, {r, w, e}, result);
               DidTake(timeout, kTimeBytes, result >= 0);
               DidTake(signals, kSignalSetBytes, result >= 0))

constexpr uptr kEventBytes = 12; // epoll_event
PAGETIDE_AFTER(int, epoll_ctl, (int fd, int what, int other, void *event),
               (fd, what, other, event),
               if (what != 2 /* EPOLL_CTL_DEL */)
                   DidTake(event, kEventBytes, !result))
#define PAGETIDE_EPOLL(name, parameters, arguments, after)                     \
  PAGETIDE_AROUND(                                                             \
      int, name, (int fd, void *events, int n, PAGETIDE_UNPACK parameters),    \
      (fd, events, n, PAGETIDE_UNPACK arguments),                              \
      InFlight in_flight(events, n > 0 ? (uptr)n * kEventBytes : 0),           \
      if (result > 0) MarkWrite((uptr)events, (uptr)result *kEventBytes);      \
      after)
PAGETIDE_EPOLL(epoll_wait, (int ms), (ms), )
PAGETIDE_EPOLL(epoll_pwait, (int ms, const void *signals), (ms, signals),
               DidTake(signals, kSignalSetBytes, result >= 0))
PAGETIDE_EPOLL(epoll_pwait2, (const void *timeout, const void *signals),
               (timeout, signals), DidTake(timeout, kTimeBytes, result >= 0);
               DidTake(signals, kSignalSetBytes, result >= 0))

//===- Files and their names ----------------------------------------------===//

constexpr uptr kStatBytes = 144, kStatxBytes = 256;
constexpr uptr kStatfsBytes = 120, kStatvfsBytes = 112;

#define PAGETIDE_BY_PATH(name, pointer, bytes)                                 \
  PAGETIDE_AFTER(int, name, (const char *path, pointer p), (path, p),          \
                 DidReadPath(path, result);                                    \
                 DidGive(p, bytes, !result))
#define PAGETIDE_BY_DESCRIPTOR(name, bytes)                                    \
  PAGETIDE_AFTER(int, name, (int fd, void *p), (fd, p),                        \
                 DidGive(p, bytes, !result))
PAGETIDE_BY_PATH(stat, void *, kStatBytes)
PAGETIDE_BY_PATH(stat64, void *, kStatBytes)
PAGETIDE_BY_PATH(lstat, void *, kStatBytes)
PAGETIDE_BY_PATH(lstat64, void *, kStatBytes)
PAGETIDE_BY_PATH(statfs, void *, kStatfsBytes)
PAGETIDE_BY_PATH(statfs64, void *, kStatfsBytes)
PAGETIDE_BY_PATH(statvfs, void *, kStatvfsBytes)
PAGETIDE_BY_PATH(statvfs64, void *, kStatvfsBytes)
PAGETIDE_BY_DESCRIPTOR(fstat, kStatBytes)
PAGETIDE_BY_DESCRIPTOR(fstat64, kStatBytes)
PAGETIDE_BY_DESCRIPTOR(fstatfs, kStatfsBytes)
PAGETIDE_BY_DESCRIPTOR(fstatfs64, kStatfsBytes)
PAGETIDE_BY_DESCRIPTOR(fstatvfs, kStatvfsBytes)
PAGETIDE_BY_DESCRIPTOR(fstatvfs64, kStatvfsBytes)
#define PAGETIDE_STAT_AT(name)                                                 \
  PAGETIDE_AFTER(int, name, (int fd, const char *path, void *p, int flags),    \
                 (fd, path, p, flags), DidReadPath(path, result);              \
                 DidGive(p, kStatBytes, !result))
PAGETIDE_STAT_AT(fstatat)
PAGETIDE_STAT_AT(fstatat64)
// What programs built before glibc 2.33 call.
#define PAGETIDE_OLD_STAT(name)                                                \
  PAGETIDE_AFTER(int, name, (int version, const char *path, void *p),          \
                 (version, path, p), DidReadPath(path, result);                \
                 DidGive(p, kStatBytes, !result))
PAGETIDE_OLD_STAT(__xstat)
PAGETIDE_OLD_STAT(__xstat64)
PAGETIDE_OLD_STAT(__lxstat)
PAGETIDE_OLD_STAT(__lxstat64)
PAGETIDE_AFTER(int, __fxstat, (int version, int fd, void *p), (version, fd, p),
               DidGive(p, kStatBytes, !result))
PAGETIDE_AFTER(int, __fxstat64, (int version, int fd, void *p),
               (version, fd, p), DidGive(p, kStatBytes, !result))
PAGETIDE_AFTER(int, statx,
               (int fd, const char *path, int flags, u32 mask, void *p),
               (fd, path, flags, mask, p), DidReadPath(path, result);
               DidGive(p, kStatxBytes, !result))

static void DidReadLink(const char *path, char *p, uptr room, sptr n) {
  DidReadPath(path, n < 0);
  if (n > 0)
    MarkWrite((uptr)p, (uptr)n);
  else if (n < 0 && errno == EFAULT)
    MarkMayWrite((uptr)p, room);
}
PAGETIDE_AFTER(SSIZE_T, readlink, (const char *path, char *p, SIZE_T n),
               (path, p, n), DidReadLink(path, p, n, result))
PAGETIDE_AFTER(SSIZE_T, readlinkat,
               (int fd, const char *path, char *p, SIZE_T n), (fd, path, p, n),
               DidReadLink(path, p, n, result))
PAGETIDE_AFTER(SSIZE_T, __readlink_chk,
               (const char *path, char *p, SIZE_T n, SIZE_T room),
               (path, p, n, room), DidReadLink(path, p, n, result))
PAGETIDE_AFTER(SSIZE_T, __readlinkat_chk,
               (int fd, const char *path, char *p, SIZE_T n, SIZE_T room),
               (fd, path, p, n, room), DidReadLink(path, p, n, result))

/// A string that libc has put where the caller said, or into memory of its own.
/// libc may have begun to when it fails.
static void DidGiveString(const char *got, char *p, uptr room) {
  if (got)
    DidWriteString(got);
  else if (p)
    MarkMayWrite((uptr)p, room);
}
constexpr uptr kPathRoom = 4096; // PATH_MAX
PAGETIDE_AFTER(char *, getcwd, (char *p, SIZE_T n), (p, n),
               DidGiveString(result, nullptr, 0))
PAGETIDE_AFTER(char *, __getcwd_chk, (char *p, SIZE_T n, SIZE_T room),
               (p, n, room), DidGiveString(result, nullptr, 0))
PAGETIDE_AFTER(char *, getwd, (char *p), (p),
               DidGiveString(result, p, kPathRoom))
PAGETIDE_AFTER(char *, __getwd_chk, (char *p, SIZE_T room), (p, room),
               DidGiveString(result, p, kPathRoom))
PAGETIDE_AFTER(char *, get_current_dir_name, (), (),
               DidGiveString(result, nullptr, 0))
PAGETIDE_AFTER(char *, realpath, (const char *path, char *p), (path, p),
               DidReadPath(path, !result);
               DidGiveString(result, p, kPathRoom))
PAGETIDE_AFTER(char *, __realpath_chk, (const char *path, char *p, SIZE_T room),
               (path, p, room), DidReadPath(path, !result);
               DidGiveString(result, p, kPathRoom))
PAGETIDE_AFTER(char *, canonicalize_file_name, (const char *path), (path),
               DidReadPath(path, !result);
               DidGiveString(result, nullptr, 0))

/// Functions that take a path, or two, and give nothing back.
#define PAGETIDE_PATH(name, rest, rest_arguments)                              \
  PAGETIDE_AFTER(int, name, (const char *path PAGETIDE_UNPACK rest),           \
                 (path PAGETIDE_UNPACK rest_arguments),                        \
                 DidReadPath(path, result < 0))
#define PAGETIDE_PATH_AT(name, rest, rest_arguments)                           \
  PAGETIDE_AFTER(int, name, (int fd, const char *path PAGETIDE_UNPACK rest),   \
                 (fd, path PAGETIDE_UNPACK rest_arguments),                    \
                 DidReadPath(path, result < 0))
#define PAGETIDE_TWO_PATHS(name)                                               \
  PAGETIDE_AFTER(int, name, (const char *path, const char *other),             \
                 (path, other), DidReadPath(path, result < 0);                 \
                 DidReadPath(other, result < 0))
PAGETIDE_PATH(access, (, int mode), (, mode))
PAGETIDE_PATH_AT(faccessat, (, int mode, int flags), (, mode, flags))
PAGETIDE_PATH(unlink, (), ())
PAGETIDE_PATH_AT(unlinkat, (, int flags), (, flags))
PAGETIDE_PATH(remove, (), ())
PAGETIDE_PATH(rmdir, (), ())
PAGETIDE_PATH(mkdir, (, u32 mode), (, mode))
PAGETIDE_PATH_AT(mkdirat, (, u32 mode), (, mode))
PAGETIDE_PATH(mkfifo, (, u32 mode), (, mode))
PAGETIDE_PATH(chdir, (), ())
PAGETIDE_PATH(chmod, (, u32 mode), (, mode))
PAGETIDE_PATH_AT(fchmodat, (, u32 mode, int flags), (, mode, flags))
PAGETIDE_PATH(chown, (, u32 user, u32 group), (, user, group))
PAGETIDE_PATH(lchown, (, u32 user, u32 group), (, user, group))
PAGETIDE_PATH_AT(fchownat, (, u32 user, u32 group, int flags),
                 (, user, group, flags))
PAGETIDE_PATH(truncate, (, s64 length), (, length))
PAGETIDE_PATH(truncate64, (, s64 length), (, length))
PAGETIDE_PATH(creat, (, u32 mode), (, mode))
PAGETIDE_PATH(creat64, (, u32 mode), (, mode))
PAGETIDE_PATH(__open_2, (, int flags), (, flags))
PAGETIDE_PATH(__open64_2, (, int flags), (, flags))
PAGETIDE_PATH_AT(__openat_2, (, int flags), (, flags))
PAGETIDE_PATH_AT(__openat64_2, (, int flags), (, flags))
PAGETIDE_TWO_PATHS(rename)
PAGETIDE_TWO_PATHS(link)
PAGETIDE_TWO_PATHS(symlink)
PAGETIDE_AFTER(int, renameat,
               (int fd, const char *path, int other_fd, const char *other),
               (fd, path, other_fd, other), DidReadPath(path, result < 0);
               DidReadPath(other, result < 0))
PAGETIDE_AFTER(void *, opendir, (const char *path), (path),
               DidReadPath(path, !result))

// The mode is there only with O_CREAT and O_TMPFILE; to take it for granted
// reads a register.
#define PAGETIDE_OPEN(name, parameters, arguments)                             \
  PAGETIDE_INTERCEPTOR(int, name, PAGETIDE_UNPACK parameters const char *path, \
                       int flags, ...) {                                       \
    OnInterceptedCall();                                                       \
    va_list list;                                                              \
    va_start(list, flags);                                                     \
    u32 mode = va_arg(list, u32);                                              \
    va_end(list);                                                              \
    int fd = RESOLVED(name)(PAGETIDE_UNPACK arguments path, flags, mode);      \
    DidReadPath(path, fd < 0);                                                 \
    return fd;                                                                 \
  }
PAGETIDE_OPEN(open, (), ())
PAGETIDE_OPEN(open64, (), ())
PAGETIDE_OPEN(openat, (int dir, ), (dir, ))
PAGETIDE_OPEN(openat64, (int dir, ), (dir, ))

/// Names made of a pattern: its last X's are written.
static void DidMakeName(char *p, uptr suffix) {
  constexpr uptr kMade = 6;
  uptr n = Length(p);
  MarkRead((uptr)p, n + 1);
  if (n >= kMade + suffix)
    MarkWrite((uptr)p + n - suffix - kMade, kMade);
}
#define PAGETIDE_MAKE_NAME(type, name, rest, rest_arguments, suffix)           \
  PAGETIDE_AFTER(type, name, (char *p PAGETIDE_UNPACK rest),                   \
                 (p PAGETIDE_UNPACK rest_arguments), DidMakeName(p, suffix))
PAGETIDE_MAKE_NAME(int, mkstemp, (), (), 0)
PAGETIDE_MAKE_NAME(int, mkstemp64, (), (), 0)
PAGETIDE_MAKE_NAME(int, mkostemp, (, int flags), (, flags), 0)
PAGETIDE_MAKE_NAME(int, mkostemp64, (, int flags), (, flags), 0)
PAGETIDE_MAKE_NAME(int, mkstemps, (, int suffix), (, suffix), (uptr)suffix)
PAGETIDE_MAKE_NAME(int, mkostemps, (, int suffix, int flags), (, suffix, flags),
                   (uptr)suffix)
PAGETIDE_MAKE_NAME(char *, mkdtemp, (), (), 0)

PAGETIDE_AFTER(SSIZE_T, sendfile, (int out, int in, s64 *at, SIZE_T n),
               (out, in, at, n), DidTake(at, 8, result >= 0);
               DidGive(at, 8, result >= 0))
PAGETIDE_AFTER(SSIZE_T, sendfile64, (int out, int in, s64 *at, SIZE_T n),
               (out, in, at, n), DidTake(at, 8, result >= 0);
               DidGive(at, 8, result >= 0))
static void DidMoveOffset(s64 *at, bool succeeded) {
  DidTake(at, 8, succeeded);
  DidGive(at, 8, succeeded);
}
#define PAGETIDE_BETWEEN_FILES(name)                                           \
  PAGETIDE_AFTER(SSIZE_T, name,                                                \
                 (int in, s64 *in_at, int out, s64 *out_at, SIZE_T n, u32 f),  \
                 (in, in_at, out, out_at, n, f),                               \
                 DidMoveOffset(in_at, result >= 0);                            \
                 DidMoveOffset(out_at, result >= 0))
PAGETIDE_BETWEEN_FILES(splice)
PAGETIDE_BETWEEN_FILES(copy_file_range)
PAGETIDE_AROUND(SSIZE_T, getrandom, (void *p, SIZE_T n, u32 flags),
                (p, n, flags), InFlight in_flight(p, n),
                MarkInput(p, n, result))
PAGETIDE_AROUND(int, getentropy, (void *p, SIZE_T n), (p, n),
                InFlight in_flight(p, n), DidGive(p, n, !result))

/// The other process's memory is its own affair.
PAGETIDE_INTERCEPTOR(SSIZE_T, process_vm_readv, int pid, const iovec *v, uptr n,
                     const iovec *remote, uptr remote_n, uptr flags) {
  OnInterceptedCall();
  Pieces pieces(v, (sptr)n);
  InFlight in_flight = pieces.Span();
  SSIZE_T done = RESOLVED(process_vm_readv)(pid, v, n, remote, remote_n, flags);
  pieces.MarkInputDone(done);
  if (done >= 0)
    DidRead(remote, remote_n * sizeof(*remote));
  return done;
}
PAGETIDE_INTERCEPTOR(SSIZE_T, process_vm_writev, int pid, const iovec *v,
                     uptr n, const iovec *remote, uptr remote_n, uptr flags) {
  OnInterceptedCall();
  SSIZE_T done =
      RESOLVED(process_vm_writev)(pid, v, n, remote, remote_n, flags);
  Pieces(v, (sptr)n).MarkOutputDone(done);
  if (done >= 0)
    DidRead(remote, remote_n * sizeof(*remote));
  return done;
}

//===- Time ---------------------------------------------------------------===//

PAGETIDE_AFTER(long, time, (long *t), (t), DidGive(t, sizeof(*t), true))
PAGETIDE_AFTER(int, gettimeofday, (void *t, void *zone), (t, zone),
               DidGive(t, kTimeBytes, !result);
               DidGive(zone, 8, !result))
PAGETIDE_AFTER(int, clock_gettime, (int clock, void *t), (clock, t),
               DidGive(t, kTimeBytes, !result))
PAGETIDE_AFTER(int, clock_getres, (int clock, void *t), (clock, t),
               DidGive(t, kTimeBytes, !result))
PAGETIDE_AFTER(int, timespec_get, (void *t, int base), (t, base),
               DidGive(t, kTimeBytes, result))
PAGETIDE_AFTER(int, nanosleep, (const void *t, void *left), (t, left),
               DidTake(t, kTimeBytes, !result || errno == EINTR);
               DidGive(left, kTimeBytes, result &&errno == EINTR))
PAGETIDE_AFTER(int, clock_nanosleep,
               (int clock, int flags, const void *t, void *left),
               (clock, flags, t, left),
               DidTake(t, kTimeBytes, !result || result == EINTR);
               DidGive(left, kTimeBytes,
                       result == EINTR && !(flags & 1 /* TIMER_ABSTIME */)))
PAGETIDE_AFTER(int, getitimer, (int which, void *t), (which, t),
               DidGive(t, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, setitimer, (int which, const void *t, void *old),
               (which, t, old), DidTake(t, 2 * kTimeBytes, !result);
               DidGive(old, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, timer_gettime, (void *timer, void *t), (timer, t),
               DidGive(t, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, timer_settime,
               (void *timer, int flags, const void *t, void *old),
               (timer, flags, t, old), DidTake(t, 2 * kTimeBytes, !result);
               DidGive(old, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, timerfd_gettime, (int fd, void *t), (fd, t),
               DidGive(t, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, timerfd_settime,
               (int fd, int flags, const void *t, void *old),
               (fd, flags, t, old), DidTake(t, 2 * kTimeBytes, !result);
               DidGive(old, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(long, times, (void *t), (t), DidGive(t, 32, result != -1))

constexpr uptr kTmBytes = 56; // struct tm
PAGETIDE_AFTER(SIZE_T, strftime,
               (char *s, SIZE_T room, const char *format, const void *t),
               (s, room, format, t), DidReadString(format);
               MarkRead((uptr)t, kTmBytes);
               result ? MarkWrite((uptr)s, result + 1)
                      : MarkMayWrite((uptr)s, room))
PAGETIDE_AFTER(SIZE_T, strftime_l,
               (char *s, SIZE_T room, const char *format, const void *t,
                void *locale),
               (s, room, format, t, locale), DidReadString(format);
               MarkRead((uptr)t, kTmBytes);
               result ? MarkWrite((uptr)s, result + 1)
                      : MarkMayWrite((uptr)s, room))
/// Which fields it sets depends on the format.
PAGETIDE_AFTER(char *, strptime, (const char *s, const char *format, void *t),
               (s, format, t), DidReadString(format);
               if (result) MarkRead((uptr)s, (uptr)(result - s));
               MarkMayRead((uptr)s, Length(s) + 1);
               MarkMayWrite((uptr)t, kTmBytes))
PAGETIDE_AFTER(long, timegm, (void *t), (t), MarkRead((uptr)t, kTmBytes);
               MarkWrite((uptr)t, kTmBytes))

//===- Signals ------------------------------------------------------------===//

// glibc keeps, and the kernel takes, eight bytes of a set.
#define PAGETIDE_SET_ONLY(name)                                                \
  PAGETIDE_AFTER(int, name, (void *set), (set),                                \
                 DidGive(set, kSignalSetBytes, !result))
PAGETIDE_SET_ONLY(sigemptyset)
PAGETIDE_SET_ONLY(sigfillset)
PAGETIDE_SET_ONLY(sigpending)
PAGETIDE_AFTER(int, sigaddset, (void *set, int n), (set, n),
               DidTake(set, kSignalSetBytes, !result);
               DidGive(set, kSignalSetBytes, !result))
PAGETIDE_AFTER(int, sigdelset, (void *set, int n), (set, n),
               DidTake(set, kSignalSetBytes, !result);
               DidGive(set, kSignalSetBytes, !result))
PAGETIDE_AFTER(int, sigismember, (const void *set, int n), (set, n),
               DidTake(set, kSignalSetBytes, result >= 0))
/// A set without SIGSEGV where the runtime must be able to serve faults.
class ServableSet {
public:
  explicit ServableSet(const void *set) : set_(set) {
    if (!EngineListens() || !set)
      return;
    CopyFromProgram(copy_, set, kSignalSetBytes);
    copy_[0] &= signals_to_block;
    set_ = copy_;
  }
  ServableSet(const ServableSet &) = delete;
  ServableSet &operator=(const ServableSet &) = delete;
  const void *get() const { return set_; }

private:
  const void *set_;
  u64 copy_[16] = {}; // libc's sigset_t
};
#define PAGETIDE_MASK(name)                                                    \
  PAGETIDE_INTERCEPTOR(int, name, int how, const void *set, void *old) {       \
    OnInterceptedCall();                                                       \
    constexpr int kUnblock = 1;                                                \
    const ServableSet servable(how == kUnblock ? nullptr : set);               \
    KernelWillWrite(old, kSignalSetBytes);                                     \
    int result =                                                               \
        RESOLVED(name)(how, servable.get() ? servable.get() : set, old);       \
    if (ShadowReady()) {                                                       \
      DidTake(set, kSignalSetBytes, !result);                                  \
      DidGive(old, kSignalSetBytes, !result);                                  \
    }                                                                          \
    return result;                                                             \
  }
PAGETIDE_MASK(sigprocmask)
PAGETIDE_MASK(pthread_sigmask)
PAGETIDE_AFTER(int, sigsuspend, (const void *set), (set),
               DidTake(set, kSignalSetBytes, errno == EINTR))
constexpr uptr kSiginfoBytes = 128;
PAGETIDE_AFTER(int, sigwait, (const void *set, int *n), (set, n),
               DidTake(set, kSignalSetBytes, !result);
               DidGive(n, sizeof(*n), !result))
PAGETIDE_AFTER(int, sigwaitinfo, (const void *set, void *info), (set, info),
               DidTake(set, kSignalSetBytes, result > 0);
               DidGive(info, kSiginfoBytes, result > 0))
PAGETIDE_AFTER(int, sigtimedwait,
               (const void *set, void *info, const void *timeout),
               (set, info, timeout), DidTake(set, kSignalSetBytes, result > 0);
               DidTake(timeout, kTimeBytes, result > 0);
               DidGive(info, kSiginfoBytes, result > 0))

//===- Processes and the system -------------------------------------------===//

constexpr uptr kRusageBytes = 144;
PAGETIDE_AFTER(int, wait, (int *status), (status),
               DidGive(status, 4, result > 0))
PAGETIDE_AFTER(int, waitpid, (int pid, int *status, int options),
               (pid, status, options), DidGive(status, 4, result > 0))
PAGETIDE_AFTER(int, wait3, (int *status, int options, void *usage),
               (status, options, usage), DidGive(status, 4, result > 0);
               DidGive(usage, kRusageBytes, result > 0))
PAGETIDE_AFTER(int, wait4, (int pid, int *status, int options, void *usage),
               (pid, status, options, usage), DidGive(status, 4, result > 0);
               DidGive(usage, kRusageBytes, result > 0))
// Signal, error, code; then process, user, status.
PAGETIDE_AFTER(int, waitid, (int type, u32 id, void *info, int options),
               (type, id, info, options), DidGive(info, 28, !result))
PAGETIDE_AFTER(int, getrusage, (int who, void *usage), (who, usage),
               DidGive(usage, kRusageBytes, !result))
PAGETIDE_AFTER(int, uname, (void *p), (p), DidGive(p, 6 * 65, !result))
PAGETIDE_AFTER(int, sysinfo, (void *p), (p), DidGive(p, 112, !result))
PAGETIDE_AFTER(int, getgroups, (int n, u32 *p), (n, p),
               if (n > 0 && result > 0) MarkWrite((uptr)p, (uptr)result * 4))
PAGETIDE_AFTER(int, __getgroups_chk, (int n, u32 *p, SIZE_T room), (n, p, room),
               if (n > 0 && result > 0) MarkWrite((uptr)p, (uptr)result * 4))
#define PAGETIDE_THREE_IDS(name)                                               \
  PAGETIDE_AFTER(int, name, (u32 * a, u32 * b, u32 * c), (a, b, c),            \
                 DidGive(a, 4, !result);                                       \
                 DidGive(b, 4, !result); DidGive(c, 4, !result))
PAGETIDE_THREE_IDS(getresuid)
PAGETIDE_THREE_IDS(getresgid)
PAGETIDE_AFTER(int, sched_getaffinity, (int pid, SIZE_T n, void *mask),
               (pid, n, mask), DidGive(mask, n, !result))
PAGETIDE_AFTER(int, sched_setaffinity, (int pid, SIZE_T n, const void *mask),
               (pid, n, mask), DidTake(mask, Min(n, SIZE_T{8}), !result);
               MarkMayRead((uptr)mask, n))
PAGETIDE_AFTER(int, sched_getparam, (int pid, void *p), (pid, p),
               DidGive(p, 4, !result))

/// A name in a buffer of the caller's, which holds no end where it is full.
static void DidGiveName(char *p, uptr room, bool succeeded) {
  if (!succeeded)
    return;
  uptr n = 0;
  while (n < room && p[n])
    ++n;
  MarkWrite((uptr)p, n < room ? n + 1 : room);
}
#define PAGETIDE_NAME(name, first, first_arguments)                            \
  PAGETIDE_AFTER(int, name, (PAGETIDE_UNPACK first char *p, SIZE_T n),         \
                 (PAGETIDE_UNPACK first_arguments p, n),                       \
                 DidGiveName(p, n, !result))
#define PAGETIDE_NAME_CHK(name, first, first_arguments)                        \
  PAGETIDE_AFTER(int, name,                                                    \
                 (PAGETIDE_UNPACK first char *p, SIZE_T n, SIZE_T room),       \
                 (PAGETIDE_UNPACK first_arguments p, n, room),                 \
                 DidGiveName(p, n, !result))
PAGETIDE_NAME(gethostname, (), ())
PAGETIDE_NAME(getdomainname, (), ())
PAGETIDE_NAME(getlogin_r, (), ())
PAGETIDE_NAME(ttyname_r, (int fd, ), (fd, ))
PAGETIDE_NAME(ptsname_r, (int fd, ), (fd, ))
PAGETIDE_NAME_CHK(__gethostname_chk, (), ())
PAGETIDE_NAME_CHK(__getdomainname_chk, (), ())
PAGETIDE_NAME_CHK(__getlogin_r_chk, (), ())
PAGETIDE_NAME_CHK(__ttyname_r_chk, (int fd, ), (fd, ))
PAGETIDE_NAME_CHK(__ptsname_r_chk, (int fd, ), (fd, ))
PAGETIDE_AFTER(SIZE_T, confstr, (int name, char *p, SIZE_T n), (name, p, n),
               if (p) MarkWrite((uptr)p, Min(result, n)))
PAGETIDE_AFTER(SIZE_T, __confstr_chk,
               (int name, char *p, SIZE_T n, SIZE_T room), (name, p, n, room),
               if (p) MarkWrite((uptr)p, Min(result, n)))

//===- Users and groups ---------------------------------------------------===//

namespace {
struct User { // passwd
  char *name, *password;
  u32 id, group;
  char *real_name, *home, *shell;
};
struct Group { // group
  char *name, *password;
  u32 id;
  char **members;
};
} // namespace
static void DidGiveStrings(const User &user) {
  DidWriteString(user.name);
  DidWriteString(user.password);
  DidWriteString(user.real_name);
  DidWriteString(user.home);
  DidWriteString(user.shell);
}
static void DidGiveStrings(const Group &group) {
  DidWriteString(group.name);
  DidWriteString(group.password);
  char **member = group.members;
  for (; *member; ++member)
    DidWriteString(*member);
  MarkWrite((uptr)group.members, (uptr)(member + 1 - group.members) * 8);
}
/// The caller's room takes each line that libc looks at, one after the other.
template <typename Entry>
static void DidFind(Entry *entry, char *room, uptr bytes, Entry **found) {
  DidWriteAt(found);
  MarkMayWrite((uptr)room, bytes);
  MarkMayWrite((uptr)entry, sizeof(*entry));
  if (!*found)
    return;
  DidWriteAt(entry);
  DidGiveStrings(*entry);
}
#define PAGETIDE_FIND(name, Entry, parameters, arguments, after)               \
  PAGETIDE_AROUND(int, name,                                                   \
                  (PAGETIDE_UNPACK parameters Entry * entry, char *room,       \
                   SIZE_T bytes, Entry **found),                               \
                  (PAGETIDE_UNPACK arguments entry, room, bytes, found),       \
                  InFlight in_flight(room, bytes), after;                      \
                  DidFind(entry, room, bytes, found))
PAGETIDE_FIND(getpwnam_r, User, (const char *key, ), (key, ),
              DidReadString(key))
PAGETIDE_FIND(getpwuid_r, User, (u32 key, ), (key, ), )
PAGETIDE_FIND(getgrnam_r, Group, (const char *key, ), (key, ),
              DidReadString(key))
PAGETIDE_FIND(getgrgid_r, Group, (u32 key, ), (key, ), )
PAGETIDE_FIND(getpwent_r, User, (), (), )
PAGETIDE_FIND(getgrent_r, Group, (), (), )

//===- Regular expressions ------------------------------------------------===//

constexpr uptr kRegexBytes = 64, kMatchBytes = 8; // regex_t, regmatch_t
/// The program's REG_NOSUB: regexec leaves the matches alone.
static bool ReportsNoMatches(const u8 *regex) {
  constexpr uptr kFlagsAt = 56;
  return regex[kFlagsAt] & 1 << 5;
}
PAGETIDE_AFTER(int, regexec,
               (const u8 *regex, const char *s, SIZE_T n, void *matches,
                int flags),
               (regex, s, n, matches, flags),
               MarkRead((uptr)regex, kRegexBytes);
               DidReadString(s); if (!result && !ReportsNoMatches(regex))
                   MarkWrite((uptr)matches, n *kMatchBytes))
PAGETIDE_INTERCEPTOR(void, regfree, void *regex) {
  OnInterceptedCall();
  RESOLVED(regfree)(regex);
  constexpr uptr kPointerBytes = 48; // those of its memory come first
  DidRead(regex, kPointerBytes);
  DidWrite(regex, kPointerBytes);
}

//===- The command line ---------------------------------------------------===//

// libc's variables lie in the program where it names them.
extern "C" {
extern char *optarg;
extern int optind, opterr, optopt;
}
/// What exactly it read of the arguments depends on them; it may permute them.
static void DidGetOption(int n, char *const *arguments, const char *options) {
  DidReadString(options);
  DidReadAt(&optind);
  DidReadAt(&opterr);
  DidWriteAt(&optind);
  DidWriteAt(&optarg);
  DidWriteAt(&optopt);
  if (n <= 0)
    return;
  MarkMayRead((uptr)arguments, (uptr)n * sizeof(*arguments));
  MarkMayWrite((uptr)arguments, (uptr)n * sizeof(*arguments));
  for (int i = 0; i < n && arguments[i]; ++i)
    MarkMayRead((uptr)arguments[i], Length(arguments[i]) + 1);
}
#define PAGETIDE_GETOPT(name, rest, rest_arguments)                            \
  PAGETIDE_AFTER(                                                              \
      int, name,                                                               \
      (int n, char *const *p, const char *options PAGETIDE_UNPACK rest),       \
      (n, p, options PAGETIDE_UNPACK rest_arguments),                          \
      DidGetOption(n, p, options))
PAGETIDE_GETOPT(getopt, (), ())
PAGETIDE_GETOPT(__posix_getopt, (), ())
/// The index of a long option is written where one is found.
#define PAGETIDE_GETOPT_LONG(name)                                             \
  PAGETIDE_AFTER(int, name,                                                    \
                 (int n, char *const *p, const char *options,                  \
                  const void *long_options, int *index),                       \
                 (n, p, options, long_options, index),                         \
                 DidGetOption(n, p, options);                                  \
                 if (index) MarkMayWrite((uptr)index, sizeof(*index)))
PAGETIDE_GETOPT_LONG(getopt_long)
PAGETIDE_GETOPT_LONG(getopt_long_only)

//===- Character sets -----------------------------------------------------===//

PAGETIDE_INTERCEPTOR(SIZE_T, iconv, void *set, char **in, SIZE_T *in_left,
                     char **out, SIZE_T *out_left) {
  OnInterceptedCall();
  char *const in_from = ValueAt(in), *const out_from = ValueAt(out);
  InFlight in_flight(out_from, ValueAt(out_left));
  SIZE_T result = RESOLVED(iconv)(set, in, in_left, out, out_left);
  if (!ShadowReady())
    return result;
  if (out_from) {
    DidReadAt(out), DidWriteAt(out);
    DidReadAt(out_left), DidWriteAt(out_left);
    MarkWrite((uptr)out_from, (uptr)(*out - out_from));
  }
  if (in_from) {
    DidReadAt(in), DidWriteAt(in);
    DidReadAt(in_left), DidWriteAt(in_left);
    MarkRead((uptr)in_from, (uptr)(*in - in_from));
    // A character that is incomplete, bad or had no room.
    MarkMayRead((uptr)*in, Min(*in_left, SIZE_T{16}));
  }
  return result;
}

static uptr WideLength(const wchar_t *s, uptr most) {
  uptr n = 0;
  while (n < most && s[n])
    ++n;
  return n;
}
constexpr uptr kMostBytesOfCharacter = 16; // MB_LEN_MAX
/// n wide characters have been made of s, and `room` was what there was.
static void DidMakeWide(wchar_t *d, const char *s, uptr room, uptr n) {
  if (n == (uptr)-1) {
    MarkMayRead((uptr)s, Length(s) + 1);
    if (d)
      MarkMayWrite((uptr)d, room * 4);
    return;
  }
  if (d)
    MarkWrite((uptr)d, (n < room ? n + 1 : n) * 4);
  if (!d || n < room) {
    DidReadString(s);
  } else { // each character has one byte or several
    MarkRead((uptr)s, n);
    MarkMayRead((uptr)s, Min(Length(s) + 1, n * kMostBytesOfCharacter));
  }
}
static void DidMakeNarrow(char *d, const wchar_t *s, uptr room, uptr n) {
  if (n == (uptr)-1) {
    MarkMayRead((uptr)s, (WideLength(s, kNoBound) + 1) * 4);
    if (d)
      MarkMayWrite((uptr)d, room);
    return;
  }
  if (d)
    MarkWrite((uptr)d, n < room ? n + 1 : n);
  if (!d || n < room) {
    MarkRead((uptr)s, (WideLength(s, kNoBound) + 1) * 4);
  } else {
    uptr certain = n / kMostBytesOfCharacter;
    MarkRead((uptr)s, certain * 4);
    MarkMayRead((uptr)s, Min(WideLength(s, n) + 1, n) * 4);
  }
}
#define PAGETIDE_TO_WIDE(name, rest, rest_arguments)                           \
  PAGETIDE_AFTER(                                                              \
      SIZE_T, name,                                                            \
      (wchar_t * d, const char *s, SIZE_T room PAGETIDE_UNPACK rest),          \
      (d, s, room PAGETIDE_UNPACK rest_arguments),                             \
      DidMakeWide(d, s, room, result))
#define PAGETIDE_TO_NARROW(name, rest, rest_arguments)                         \
  PAGETIDE_AFTER(                                                              \
      SIZE_T, name,                                                            \
      (char *d, const wchar_t *s, SIZE_T room PAGETIDE_UNPACK rest),           \
      (d, s, room PAGETIDE_UNPACK rest_arguments),                             \
      DidMakeNarrow(d, s, room, result))
PAGETIDE_TO_WIDE(mbstowcs, (), ())
PAGETIDE_TO_WIDE(__mbstowcs_chk, (, SIZE_T size), (, size))
PAGETIDE_TO_NARROW(wcstombs, (), ())
PAGETIDE_TO_NARROW(__wcstombs_chk, (, SIZE_T size), (, size))

// These say in *s how far they came: null at the string's end.
template <typename To, typename From>
static void DidConvertFrom(To *d, const From **s, const From *from, uptr room,
                           uptr n) {
  DidReadAt(s);
  if (d)
    DidWriteAt(s);
  uptr characters = 0;
  while (from[characters])
    ++characters;
  if (n == (uptr)-1 || !d) {
    MarkMayRead((uptr)from, (characters + 1) * sizeof(From));
    if (d)
      MarkMayWrite((uptr)d, room * sizeof(To));
    return;
  }
  MarkWrite((uptr)d, (*s ? n : n + 1) * sizeof(To));
  MarkRead((uptr)from,
           *s ? (uptr)*s - (uptr)from : (characters + 1) * sizeof(From));
}
#define PAGETIDE_CONVERT_FROM(name, To, From, rest, rest_arguments)            \
  PAGETIDE_AROUND(                                                             \
      SIZE_T, name,                                                            \
      (To * d, const From **s, SIZE_T room, void *state PAGETIDE_UNPACK rest), \
      (d, s, room, state PAGETIDE_UNPACK rest_arguments),                      \
      const From *from = ValueAt(s), DidConvertFrom(d, s, from, room, result); \
      if (state) MarkMayWrite((uptr)state, 8))
PAGETIDE_CONVERT_FROM(mbsrtowcs, wchar_t, char, (), ())
PAGETIDE_CONVERT_FROM(__mbsrtowcs_chk, wchar_t, char, (, SIZE_T n), (, n))
PAGETIDE_CONVERT_FROM(wcsrtombs, char, wchar_t, (), ())
PAGETIDE_CONVERT_FROM(__wcsrtombs_chk, char, wchar_t, (, SIZE_T n), (, n))

/// One character: `used` bytes, or minus one or two for a bad or short one.
static void DidConvertOne(wchar_t *d, const char *s, uptr n, sptr used) {
  if (!s)
    return;
  if (used < 0) {
    MarkMayRead((uptr)s, Min(n, kMostBytesOfCharacter));
    return;
  }
  MarkRead((uptr)s, used ? (uptr)used : n ? 1 : 0);
  if (d && n)
    MarkWrite((uptr)d, 4);
}
PAGETIDE_AFTER(int, mbtowc, (wchar_t * d, const char *s, SIZE_T n), (d, s, n),
               DidConvertOne(d, s, n, result))
PAGETIDE_AFTER(int, mblen, (const char *s, SIZE_T n), (s, n),
               DidConvertOne(nullptr, s, n, result))
PAGETIDE_AFTER(SIZE_T, mbrtowc,
               (wchar_t * d, const char *s, SIZE_T n, void *state),
               (d, s, n, state), DidConvertOne(d, s, n, (sptr)result);
               if (state) MarkMayWrite((uptr)state, 8))
PAGETIDE_AFTER(SIZE_T, mbrlen, (const char *s, SIZE_T n, void *state),
               (s, n, state), DidConvertOne(nullptr, s, n, (sptr)result);
               if (state) MarkMayWrite((uptr)state, 8))
#define PAGETIDE_TO_BYTES(type, name, rest, rest_arguments)                    \
  PAGETIDE_AFTER(type, name, (char *d, wchar_t c PAGETIDE_UNPACK rest),        \
                 (d, c PAGETIDE_UNPACK rest_arguments),                        \
                 if (d && (sptr)result > 0) MarkWrite((uptr)d, (uptr)result))
PAGETIDE_TO_BYTES(int, wctomb, (), ())
PAGETIDE_TO_BYTES(int, __wctomb_chk, (, SIZE_T room), (, room))
PAGETIDE_TO_BYTES(SIZE_T, wcrtomb, (, void *state), (, state))
PAGETIDE_TO_BYTES(SIZE_T, __wcrtomb_chk, (, void *state, SIZE_T room),
                  (, state, room))
