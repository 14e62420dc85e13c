//===- started_by_recorded.cpp - What a recorded program starts -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/started_by_recorded.h"

#include "platform/environment.h"
#include "platform/messages.h"
#include "platform/notice.h"
#include "platform/small_file.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

using namespace __sanitizer;

namespace pagetide {

/// Whether a thread of another process is one of the runtime's.
static bool IsRuntimes(int tasks, const char *tid) {
  static const char kName[] = "pagetide";
  char path[64], name[sizeof(kName)];
  internal_snprintf(path, sizeof(path), "%s/comm", tid);
  return ReadSmallFile(tasks, path, name, sizeof(name)) >= sizeof(kName) - 1 &&
         !internal_memcmp(name, kName, sizeof(kName) - 1);
}

/// Whether the parent has the runtime's threads. `pagetide record` has none but
/// its first one.
static bool ParentIsRecorded() {
  const u32 parent = (u32)Syscall(SYS_getppid);
  char path[32];
  internal_snprintf(path, sizeof(path), "/proc/%u/task", parent);
  const uptr tasks = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path,
                             O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Failed(tasks))
    return false;
  alignas(dirent64) static char entries[4096];
  bool found = false;
  for (uptr n;
       !found &&
       (n = Syscall(SYS_getdents64, tasks, (uptr)entries, sizeof(entries))) &&
       !Failed(n);)
    for (uptr at = 0; !found && at < n;) {
      const auto *entry = (const dirent64 *)(entries + at);
      at += entry->d_reclen;
      const u32 tid = (u32)internal_atoll(entry->d_name);
      found = tid && tid != parent && IsRuntimes((int)tasks, entry->d_name);
    }
  Syscall(SYS_close, tasks);
  return found;
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
         (IsOfAnotherUser(control) || ParentIsRecorded());
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
