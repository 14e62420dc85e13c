//===- started_by_recorded.cpp - What a recorded program starts -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/started_by_recorded.h"

#include "platform/environment.h"
#include "platform/messages.h"
#include "platform/notice.h"
#include "platform/small_file.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

using namespace __sanitizer;

namespace pagetide {

/// Whether something of the run, and not `pagetide record`, has started this
/// process. That need not be recorded itself. False if there is no /proc.
static bool ParentIsOfRun() {
  static const char kName[] = "pagetide";
  constexpr uptr kBytes = sizeof(kName) - 1;
  const u32 parent = (u32)Syscall(SYS_getppid);
  if (!parent) // it is in another namespace, which record makes for nobody
    return true;
  char path[32], name[kBytes + 1];
  internal_snprintf(path, sizeof(path), "/proc/%u/comm", parent);
  const uptr bytes = ReadSmallFile(AT_FDCWD, path, name, sizeof(name));
  return bytes && (bytes < kBytes || internal_memcmp(name, kName, kBytes));
}

/// Whether the socket of `pagetide record` belongs to another user, or is
/// beyond reach: it is in a directory that only its user may enter.
static bool IsOfAnotherUser(const sockaddr_un &control) {
  char directory[sizeof(control.sun_path)];
  internal_strncpy(directory, control.sun_path, sizeof(directory) - 1);
  directory[sizeof(directory) - 1] = 0;
  if (char *slash = internal_strrchr(directory, '/'))
    *slash = 0;
  struct stat status;
  return Failed(Syscall(SYS_newfstatat, (uptr)AT_FDCWD, (uptr)directory,
                        (uptr)&status, 0)) ||
         status.st_uid != (u32)Syscall(SYS_geteuid);
}

bool IsStartedByRecorded() {
  sockaddr_un control = {};
  return FindControlSocket(OptionsOfProcess(), control) &&
         (IsOfAnotherUser(control) || ParentIsOfRun());
}

void RunUnrecorded(const char *why) {
  const auto *name = (const char *)getauxval(AT_EXECFN);
  const uptr bytes = internal_strlen(why);
  Warning("process %u (%s) of user %u runs unrecorded: %s%s\n", GetPidRaw(),
          name ? name : "?", (u32)Syscall(SYS_geteuid), why,
          bytes && why[bytes - 1] == '.' ? "" : ".");
  NotifyRecord(shadow_file::NoticeKind::kUnrecorded);
}

} // namespace pagetide
