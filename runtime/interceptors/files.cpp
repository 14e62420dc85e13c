//===- files.cpp - Files and directories ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/call_effects.h"
#include "interceptors/io.h"
#include "interceptors/libc_sizes.h"
#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"
#include "platform/syscalls.h"
#include "shadow/call_sites.h"

#include <stdarg.h>

using namespace pagetide;
using calls::Effects;

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

PAGETIDE_INTERCEPTOR(SSIZE_T, process_vm_readv, int pid, const iovec *v, uptr n,
                     const iovec *remote, uptr remote_n, uptr flags) {
  OnInterceptedCall();
  Pieces pieces(v, (sptr)n);
  InFlight in_flight = pieces.Span();
  SSIZE_T done = RESOLVED(process_vm_readv)(pid, v, n, remote, remote_n, flags);
  pieces.MarkInputDone(done);
  if (ShadowReady())
    Effects(done >= 0).Remote((u32)pid, (uptr)remote, remote_n, done, false);
  return done;
}
PAGETIDE_INTERCEPTOR(SSIZE_T, process_vm_writev, int pid, const iovec *v,
                     uptr n, const iovec *remote, uptr remote_n, uptr flags) {
  OnInterceptedCall();
  const Pieces written(remote, (u32)pid == GetPidRaw() ? (sptr)remote_n : 0);
  InFlight in_flight = written.Span();
  SSIZE_T done =
      RESOLVED(process_vm_writev)(pid, v, n, remote, remote_n, flags);
  MarkOutputPieces(v, (sptr)n, done);
  if (ShadowReady())
    Effects(done >= 0).Remote((u32)pid, (uptr)remote, remote_n, done, true);
  return done;
}
PAGETIDE_INTERCEPTOR(SSIZE_T, vmsplice, int pipe, const iovec *v, SIZE_T n,
                     unsigned flags) {
  OnInterceptedCall();
  const Pieces pieces(v, (sptr)n); // it may write them
  InFlight in_flight = pieces.Span();
  const SSIZE_T done = RESOLVED(vmsplice)(pipe, v, n, flags);
  if (ShadowReady())
    Effects(done >= 0).Spliced((u32)pipe, (uptr)v, n, done);
  return done;
}
