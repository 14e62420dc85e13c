//===- credentials.cpp - Rights that a program gives up -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If one thread keeps rights that the program has given up, an attacker who
// takes over the program has them too. libc makes such a call on every thread
// that it knows. Here the runtime's own threads repeat it.

#include "interceptors/call_effects.h"
#include "interceptors/filters.h"
#include "interceptors/interceptor.h"
#include "platform/messages.h"
#include "platform/own_memory.h"
#include "recorder/requests.h"

#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/syscall.h>

using namespace pagetide;

static int Follow(int result, long number, uptr a = 0, uptr b = 0, uptr c = 0,
                  uptr d = 0, uptr e = 0) {
  if (result == 0)
    ApplyCredentialsToRuntimeThreads(number, a, b, c, d, e);
  return result;
}
static uptr Id(unsigned id) { return (uptr)(sptr)(int)id; }

/// A call whose arguments are numbers of users or groups, and the system call
/// that libc makes on every thread.
#define PAGETIDE_SET_IDS(name, parameters, arguments, ...)                     \
  PAGETIDE_INTERCEPTOR(int, name, PAGETIDE_UNPACK parameters) {                \
    return Follow(RESOLVED(name) arguments, __VA_ARGS__);                      \
  }
PAGETIDE_SET_IDS(setuid, (unsigned id), (id), SYS_setuid, Id(id))
PAGETIDE_SET_IDS(setgid, (unsigned id), (id), SYS_setgid, Id(id))
PAGETIDE_SET_IDS(seteuid, (unsigned id), (id), SYS_setresuid, Id(~0u), Id(id),
                 Id(~0u))
PAGETIDE_SET_IDS(setegid, (unsigned id), (id), SYS_setresgid, Id(~0u), Id(id),
                 Id(~0u))
PAGETIDE_SET_IDS(setreuid, (unsigned real, unsigned effective),
                 (real, effective), SYS_setreuid, Id(real), Id(effective))
PAGETIDE_SET_IDS(setregid, (unsigned real, unsigned effective),
                 (real, effective), SYS_setregid, Id(real), Id(effective))
PAGETIDE_SET_IDS(setresuid, (unsigned real, unsigned effective, unsigned saved),
                 (real, effective, saved), SYS_setresuid, Id(real),
                 Id(effective), Id(saved))
PAGETIDE_SET_IDS(setresgid, (unsigned real, unsigned effective, unsigned saved),
                 (real, effective, saved), SYS_setresgid, Id(real),
                 Id(effective), Id(saved))
PAGETIDE_INTERCEPTOR(int, setgroups, uptr count, const unsigned *groups) {
  int result = RESOLVED(setgroups)(count, groups);
  if (result == 0)
    DidRead(groups, count * sizeof(*groups));
  return Follow(result, SYS_setgroups, count, (uptr)groups);
}
PAGETIDE_INTERCEPTOR(int, initgroups, const char *user, unsigned group) {
  int result = RESOLVED(initgroups)(user, group);
  if (result)
    return result;
  MayHaveReadString(user, false);    // compared with the members of groups
  constexpr uptr kMaxGroups = 65536; // the kernel's NGROUPS_MAX
  void *groups = MapAnonymous(kMaxGroups * sizeof(unsigned));
  if (!groups)
    Fatal("out of memory for the program's list of groups.\n");
  uptr count = Syscall(SYS_getgroups, kMaxGroups, (uptr)groups);
  if (!Failed(count))
    ApplyCredentialsToRuntimeThreads(SYS_setgroups, count, (uptr)groups);
  Unmap(groups, kMaxGroups * sizeof(unsigned));
  return result;
}
PAGETIDE_INTERCEPTOR(int, capset, void *header, const void *data) {
  int result = RESOLVED(capset)(header, data);
  if (result) {
    MayHaveRead(header, 8);
    MayHaveWritten(header, 4); // the version that the kernel wants
  } else {
    // A header of two words; one set of three words in version 1, else two.
    constexpr unsigned kVersion1 = 0x19980330;
    DidRead(header, 8);
    DidRead(data, *(const unsigned *)header == kVersion1 ? 12 : 24);
  }
  return Follow(result, SYS_capset, (uptr)header, (uptr)data);
}
PAGETIDE_INTERCEPTOR(int, prctl, int option, ...) {
  uptr a[4];
  va_list list;
  va_start(list, option);
  for (uptr &argument : a)
    argument = va_arg(list, uptr);
  va_end(list);
  if (option == PR_SET_SECCOMP)
    BeforeFilterByControl(a[0], a[1]);
  int result = RESOLVED(prctl)(option, a[0], a[1], a[2], a[3]);
  if (result >= 0 && ShadowReady())
    calls::Effects(true).Property(option, a[0]);
  switch (option) {
  case PR_CAPBSET_DROP:
  case PR_SET_SECUREBITS:
  case PR_SET_KEEPCAPS:
  case PR_SET_NO_NEW_PRIVS:
    return Follow(result, SYS_prctl, (uptr)option, a[0], a[1], a[2], a[3]);
  case PR_CAP_AMBIENT:
    if (a[0] != PR_CAP_AMBIENT_IS_SET)
      return Follow(result, SYS_prctl, (uptr)option, a[0], a[1], a[2], a[3]);
    return result;
  default:
    return result;
  }
}
