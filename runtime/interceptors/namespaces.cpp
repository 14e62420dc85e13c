//===- namespaces.cpp - Calls for processes of one thread -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel refuses some of what unshare and setns can do if the process has
// more than one thread. It sees the recorder's.

#include "interceptors/namespaces.h"

#include "interceptors/interceptor.h"
#include "recorder/step_out.h"

#include <linux/sched.h>

using namespace pagetide;

/// How the kernel says that there are too many threads. setns has EUSERS for
/// time namespaces.
static bool MayBeForThreads(int result) {
  return result && (errno == EINVAL || errno == EUSERS);
}

int pagetide::EnterNamespaceBy(const char *name, u64 flags,
                               int (*call)(void *, u64), void *argument) {
  const int saved = errno;
  int result = call(argument, flags);
  if (!ControlReady() || !MayBeForThreads(result))
    return result;
  // After these the process can make no thread. So they follow when the
  // recorder's threads are back. A process of several threads may make them.
  const u64 last = flags & (CLONE_NEWPID | CLONE_NEWTIME);
  const u64 first = flags & ~last;
  auto alone = [&] { result = call(argument, first ? first : flags); };
  if (!RunAlone(name, [](void *step) { (*(decltype(alone) *)step)(); }, &alone))
    return result;
  if (!result && first && last)
    result = call(argument, last);
  if (!result)
    errno = saved;
  return result;
}

PAGETIDE_INTERCEPTOR(int, unshare, int flags) {
  return EnterNamespace("unshare", (u32)flags,
                        [](u64 now) { return RESOLVED(unshare)((int)now); });
}
PAGETIDE_INTERCEPTOR(int, setns, int descriptor, int flags) {
  return EnterNamespace("setns", (u32)flags, [=](u64 now) {
    return RESOLVED(setns)(descriptor, (int)now);
  });
}
