//===- credentials_follow.cpp - The recorder takes on credentials ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/credentials_follow.h"

#include "platform/errno_names.h"
#include "platform/messages.h"
#include "trace/control_client.h"
#include "trace/trace_writer.h"

#include <sys/syscall.h>

namespace pagetide {

/// The capabilities of the caller that `header` names are this thread's.
static bool RepeatCapset(uptr header, uptr data) {
  struct {
    u32 version, pid;
  } mine = {*(const u32 *)header, 0}; // the caller may have named itself
  if (!Failed(Syscall(SYS_capset, (uptr)&mine, data)))
    return true;
  // The caller had capabilities that this thread does not have. It needs none.
  mine.version = 0x20080522; // _LINUX_CAPABILITY_VERSION_3
  const u32 none[6] = {};
  return !Failed(Syscall(SYS_capset, (uptr)&mine, (uptr)none));
}

/// On the recorder's thread and the writer's.
static void Repeat(void *arg) {
  const auto &call = *(const CredentialCall *)arg;
  const uptr *a = call.arguments;
  if (call.number == SYS_capset && RepeatCapset(a[0], a[1]))
    return;
  uptr result = Syscall(call.number, a[0], a[1], a[2], a[3], a[4]);
  if (!Failed(result))
    return;
  Fatal("the program has changed its user, group or capabilities (system call "
        "%ld), and the same call fails on the recorder's threads: %s.\n",
        call.number, DescribeErrno(ErrnoOf(result)));
}

void FollowCredentials(const CredentialCall &call) {
  NoteRightsChanged();
  Repeat((void *)&call);
  RunOnTraceWriter(Repeat, (void *)&call);
}

} // namespace pagetide
