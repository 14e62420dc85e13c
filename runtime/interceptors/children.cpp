//===- children.cpp - Programs that are started or traced -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/child_environment.h"
#include "interceptors/interceptor.h"
#include "interceptors/syscall_macros.h"

#include <fcntl.h>

using namespace pagetide;

//===- posix_spawn --------------------------------------------------------===//

/// The child reads the strings, and a bad address may kill it: then the call
/// has succeeded all the same.
#define PAGETIDE_SPAWN(name, searched)                                         \
  PAGETIDE_INTERCEPTOR(int, name, int *pid, const char *file,                  \
                       const void *actions, const void *attributes,            \
                       Strings argv, Strings env) {                            \
    OnInterceptedCall();                                                       \
    NeedReal();                                                                \
    int error;                                                                 \
    {                                                                          \
      const ChildEnvironment child(env, AT_FDCWD, searched);                   \
      error = REAL(name)(pid, file, actions, attributes, argv, child.Get());   \
    }                                                                          \
    if (!ShadowReady())                                                        \
      return error;                                                            \
    DidReadOneString(file, !error);                                            \
    DidReadStrings(argv, !error);                                              \
    DidReadStrings(env, !error);                                               \
    if (!error)                                                                \
      DidWriteAt(pid);                                                         \
    return error;                                                              \
  }
PAGETIDE_SPAWN(posix_spawn, file)
PAGETIDE_SPAWN(posix_spawnp, nullptr)
// They write a descriptor of the child instead of its number.
PAGETIDE_SPAWN(pidfd_spawn, file)
PAGETIDE_SPAWN(pidfd_spawnp, nullptr)

// Its place in posix_spawnattr_t, which grew into room that had been reserved.
static constexpr uptr kCgroupAt = 272;
PAGETIDE_AFTER(
    int, posix_spawnattr_getcgroup_np, (const char *attributes, int *group),
    (attributes, group), if (!result) {
      DidRead(attributes + kCgroupAt, sizeof(int));
      DidWriteAt(group);
    })
PAGETIDE_AFTER(int, posix_spawnattr_setcgroup_np, (char *attributes, int group),
               (attributes, group),
               if (!result) DidWrite(attributes + kCgroupAt, sizeof(int)))

//===- Scheduling ---------------------------------------------------------===//

// sched_attr had 48 bytes at first. The kernel fills in what it knows of.
static constexpr uptr kFirstSchedAttr = 48, kLaterSchedAttr = 56;
PAGETIDE_AFTER(
    int, sched_getattr,
    (int task, void *attributes, unsigned room, unsigned flags),
    (task, attributes, room, flags), if (!result) {
      DidWrite(attributes, kFirstSchedAttr);
      MayHaveWritten(attributes, room);
    })
PAGETIDE_AFTER(
    int, sched_setattr, (int task, void *attributes, unsigned flags),
    (task, attributes, flags), if (!result) {
      DidRead(attributes, kFirstSchedAttr);
      MayHaveRead(attributes, kLaterSchedAttr);
    })

//===- ptrace -------------------------------------------------------------===//

namespace {
struct TraceRequest {
  int number;
  u16 bytes;   ///< of the structure; 0: an iovec says it
  bool writes; ///< the structure
};
// GETREGS and so on, in the order of their numbers.
constexpr TraceRequest kRequests[] = {
    {12, 216, true},   {13, 216, false},    {14, 512, true},
    {15, 512, false},  {18, 512, true},     {19, 512, false},
    {0x4201, 8, true}, {0x4202, 128, true}, {0x4203, 128, false},
    {0x4204, 0, true}, {0x4205, 0, false},
};
struct Piece { // iovec
  void *p;
  uptr bytes;
};
} // namespace

static void DidTrace(int request, const void *data) {
  for (const TraceRequest &r : kRequests) {
    if (r.number != request)
      continue;
    if (r.bytes)
      return r.writes ? DidWrite(data, r.bytes) : DidRead(data, r.bytes);
    const Piece piece = *(const Piece *)data; // as much as was moved
    DidRead(data, sizeof(piece));
    DidWrite((const char *)data + 8, 8);
    return r.writes ? DidWrite(piece.p, piece.bytes)
                    : DidRead(piece.p, piece.bytes);
  }
}

PAGETIDE_INTERCEPTOR(long, ptrace, int request, int pid, void *address,
                     void *data) {
  OnInterceptedCall();
  const long result = RESOLVED(ptrace)(request, pid, address, data);
  if (ShadowReady() && !result && data)
    DidTrace(request, data);
  return result;
}
