//===- files.cpp - Files and directories ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/io.h"
#include "interceptors/libc_sizes.h"
#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"
#include "shadow/call_sites.h"

#include <stdarg.h>

using namespace pagetide;

//===- Directories --------------------------------------------------------===//

/// A list of names that libc has allocated.
static void DidList(u8 **const *list, int count) {
  constexpr uptr kBytesAt = 16; // of a dirent: its length
  if (count < 0)
    return;
  DidWriteAt(list);
  MarkWrite((uptr)*list, (uptr)count * sizeof(**list));
  for (int i = 0; i < count; ++i)
    MarkWrite((uptr)(*list)[i], *(const u16 *)((*list)[i] + kBytesAt));
}
// The filter and the comparison are the program's code, and mark what they do
// themselves. They get here again if they make the same call.
#define PAGETIDE_LIST_DIRECTORY(name, first, first_argument)                   \
  PAGETIDE_INTERCEPTOR(int, name, PAGETIDE_UNPACK first const char *path,      \
                       u8 ***list, int (*filter)(const void *),                \
                       int (*compare)(const void *, const void *)) {           \
    OnInterceptedCall();                                                       \
    const KeptCaller kept;                                                     \
    const int count = RESOLVED(name)(PAGETIDE_UNPACK first_argument path,      \
                                     list, filter, compare);                   \
    if (ShadowReady()) {                                                       \
      DidReadPath(path, count < 0);                                            \
      DidList(list, count);                                                    \
    }                                                                          \
    return count;                                                              \
  }
PAGETIDE_LIST_DIRECTORY(scandir, (), ())
PAGETIDE_LIST_DIRECTORY(scandir64, (), ())
PAGETIDE_LIST_DIRECTORY(scandirat, (int fd, ), (fd, ))
PAGETIDE_LIST_DIRECTORY(scandirat64, (int fd, ), (fd, ))

namespace pagetide {
struct Glob { // glob_t, without the program's functions behind
  uptr count;
  char **paths;
  uptr empty;
  int flags;
};
} // namespace pagetide
static void DidGlob(const char *pattern, int flags, Glob *found, int result) {
  constexpr int kEmptyFirst = 1 << 3, kNoMatch = 3; // GLOB_DOOFFS
  if (result && result != kNoMatch)
    return MayHaveReadString(pattern, false);
  DidReadString(pattern);
  MarkWrite((uptr)found, sizeof(*found));
  MarkMayRead((uptr)found, sizeof(*found));
  if (!found->paths)
    return;
  const uptr empty = flags & kEmptyFirst ? found->empty : 0;
  MarkWrite((uptr)found->paths, (empty + found->count + 1) * sizeof(char *));
  for (uptr i = 0; i < found->count; ++i)
    DidWriteString(found->paths[empty + i]);
}
#define PAGETIDE_GLOB(name)                                                    \
  PAGETIDE_INTERCEPTOR(int, name, const char *pattern, int flags,              \
                       int (*failed)(const char *, int), Glob *found) {        \
    OnInterceptedCall();                                                       \
    const KeptCaller kept;                                                     \
    const int result = RESOLVED(name)(pattern, flags, failed, found);          \
    if (ShadowReady())                                                         \
      DidGlob(pattern, flags, found, result);                                  \
    return result;                                                             \
  }
PAGETIDE_GLOB(glob)
PAGETIDE_GLOB(glob64)

//===- Files and their names ----------------------------------------------===//

#define PAGETIDE_BY_PATH(name, pointer, bytes)                                 \
  PAGETIDE_AFTER(int, name, (const char *path, pointer p), (path, p),          \
                 DidReadPath(path, result);                                    \
                 DidWrite(p, bytes, !result))
#define PAGETIDE_BY_DESCRIPTOR(name, bytes)                                    \
  PAGETIDE_AFTER(int, name, (int fd, void *p), (fd, p),                        \
                 DidWrite(p, bytes, !result))
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
                 DidWrite(p, kStatBytes, !result))
PAGETIDE_STAT_AT(fstatat)
PAGETIDE_STAT_AT(fstatat64)
// Programs built before glibc 2.33 call these.
#define PAGETIDE_OLD_STAT(name)                                                \
  PAGETIDE_AFTER(int, name, (int version, const char *path, void *p),          \
                 (version, path, p), DidReadPath(path, result);                \
                 DidWrite(p, kStatBytes, !result))
PAGETIDE_OLD_STAT(__xstat)
PAGETIDE_OLD_STAT(__xstat64)
PAGETIDE_OLD_STAT(__lxstat)
PAGETIDE_OLD_STAT(__lxstat64)
PAGETIDE_AFTER(int, __fxstat, (int version, int fd, void *p), (version, fd, p),
               DidWrite(p, kStatBytes, !result))
PAGETIDE_AFTER(int, __fxstat64, (int version, int fd, void *p),
               (version, fd, p), DidWrite(p, kStatBytes, !result))
/// A file_handle: the bytes behind, a type, the bytes.
constexpr uptr kHandleHeader = 8;
PAGETIDE_AFTER(
    int, name_to_handle_at,
    (int fd, const char *path, const u32 *handle, int *mount, int flags),
    (fd, path, handle, mount, flags),
    DidReadPath(path, result < 0 && errno != EOVERFLOW);
    if (!result || errno == EOVERFLOW) {
      DidRead(handle, 4);
      DidWrite(handle, result ? kHandleHeader : kHandleHeader + *handle);
      DidWriteAt(mount);
    })
PAGETIDE_AFTER(int, open_by_handle_at, (int fd, const u32 *handle, int flags),
               (fd, handle, flags),
               result < 0 ? MayHaveRead(handle, kHandleHeader)
                          : DidRead(handle, kHandleHeader + *handle))
PAGETIDE_AFTER(int, statx,
               (int fd, const char *path, int flags, u32 mask, void *p),
               (fd, path, flags, mask, p), DidReadPath(path, result);
               DidWrite(p, kStatxBytes, !result))

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

/// A string in the caller's memory or in libc's. If the call fails, libc may
/// have written a part of it.
static void DidWriteString(const char *got, char *p, uptr room) {
  if (got)
    DidWriteString(got);
  else if (p)
    MarkMayWrite((uptr)p, room);
}
constexpr uptr kPathRoom = 4096; // PATH_MAX
PAGETIDE_AFTER(char *, getcwd, (char *p, SIZE_T n), (p, n),
               DidWriteString(result, nullptr, 0))
PAGETIDE_AFTER(char *, __getcwd_chk, (char *p, SIZE_T n, SIZE_T room),
               (p, n, room), DidWriteString(result, nullptr, 0))
PAGETIDE_AFTER(char *, getwd, (char *p), (p),
               DidWriteString(result, p, kPathRoom))
PAGETIDE_AFTER(char *, __getwd_chk, (char *p, SIZE_T room), (p, room),
               DidWriteString(result, p, kPathRoom))
PAGETIDE_AFTER(char *, get_current_dir_name, (), (),
               DidWriteString(result, nullptr, 0))
PAGETIDE_AFTER(char *, realpath, (const char *path, char *p), (path, p),
               DidReadPath(path, !result);
               DidWriteString(result, p, kPathRoom))
PAGETIDE_AFTER(char *, __realpath_chk, (const char *path, char *p, SIZE_T room),
               (path, p, room), DidReadPath(path, !result);
               DidWriteString(result, p, kPathRoom))
PAGETIDE_AFTER(char *, canonicalize_file_name, (const char *path), (path),
               DidReadPath(path, !result);
               DidWriteString(result, nullptr, 0))

/// Functions that take one or two paths and return no data.
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

// The mode is passed only with O_CREAT and O_TMPFILE. Otherwise va_arg reads a
// register whose value is not used.
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

/// Names made from a pattern, whose last X's libc overwrites.
static void DidMakeName(char *p, uptr suffix) {
  constexpr uptr kMade = 6;
  uptr n = Length(p);
  MarkRead((uptr)p, n + 1);
  if (n >= kMade + suffix)
    MarkWrite((uptr)p + n - suffix - kMade, kMade);
}
/// mktemp makes its pattern empty if it fails.
static void DidMakeEmpty(char *p) {
  if (p && !*p)
    MarkWrite((uptr)p, 1);
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
PAGETIDE_AFTER(char *, mktemp, (char *p), (p), DidMakeName(p, 0);
               DidMakeEmpty(p))
PAGETIDE_MAKE_NAME(int, mkstemps64, (, int suffix), (, suffix), (uptr)suffix)
PAGETIDE_MAKE_NAME(int, mkostemps64, (, int suffix, int flags),
                   (, suffix, flags), (uptr)suffix)

/// The kernel stores an offset also if it could not move anything.
static void DidMoveOffset(s64 *at, bool succeeded) {
  DidRead(at, 8, succeeded);
  DidWrite(at, 8, succeeded);
  if (at && !succeeded)
    MarkMayWrite((uptr)at, 8);
}
PAGETIDE_AFTER(SSIZE_T, sendfile, (int out, int in, s64 *at, SIZE_T n),
               (out, in, at, n), DidMoveOffset(at, result >= 0))
PAGETIDE_AFTER(SSIZE_T, sendfile64, (int out, int in, s64 *at, SIZE_T n),
               (out, in, at, n), DidMoveOffset(at, result >= 0))
#define PAGETIDE_BETWEEN_FILES(name)                                           \
  PAGETIDE_AFTER(SSIZE_T, name,                                                \
                 (int in, s64 *in_at, int out, s64 *out_at, SIZE_T n, u32 f),  \
                 (in, in_at, out, out_at, n, f),                               \
                 DidMoveOffset(in_at, result > 0);                             \
                 DidMoveOffset(out_at, result > 0))
PAGETIDE_BETWEEN_FILES(splice)
PAGETIDE_BETWEEN_FILES(copy_file_range)
PAGETIDE_AROUND(SSIZE_T, getrandom, (void *p, SIZE_T n, u32 flags),
                (p, n, flags), InFlight in_flight(p, n),
                MarkInput(p, n, result))
PAGETIDE_AROUND(int, getentropy, (void *p, SIZE_T n), (p, n),
                InFlight in_flight(p, n), DidWrite(p, n, !result))

/// The kernel reads the remote vector if the local one is not empty.
static void DidReadRemote(const iovec *remote, uptr n, sptr done) {
  constexpr uptr kMax = 1024; // UIO_MAXIOV
  DidRead(remote, Min(n, kMax) * sizeof(*remote), done > 0);
}
/// The other process's memory is not marked here.
PAGETIDE_INTERCEPTOR(SSIZE_T, process_vm_readv, int pid, const iovec *v, uptr n,
                     const iovec *remote, uptr remote_n, uptr flags) {
  OnInterceptedCall();
  Pieces pieces(v, (sptr)n);
  InFlight in_flight = pieces.Span();
  SSIZE_T done = RESOLVED(process_vm_readv)(pid, v, n, remote, remote_n, flags);
  pieces.MarkInputDone(done);
  DidReadRemote(remote, remote_n, done);
  return done;
}
PAGETIDE_INTERCEPTOR(SSIZE_T, process_vm_writev, int pid, const iovec *v,
                     uptr n, const iovec *remote, uptr remote_n, uptr flags) {
  OnInterceptedCall();
  SSIZE_T done =
      RESOLVED(process_vm_writev)(pid, v, n, remote, remote_n, flags);
  MarkOutputPieces(v, (sptr)n, done);
  DidReadRemote(remote, remote_n, done);
  return done;
}
