//===- started_by_recorded.cpp - What a recorded program starts -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/started_by_recorded.h"

#include "platform/environment.h"
#include "platform/messages.h"
#include "platform/notice.h"
#include "platform/options.h"
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
#include <unistd.h>

using namespace __sanitizer;

namespace pagetide {

namespace {
enum class Namer { kUnknown, kPagetide, kOther };
} // namespace

/// Who has given another process's thread its name: the runtime's threads have
/// that of `pagetide record`.
static Namer NamerOf(int tasks, u32 tid) {
  static const char kName[] = "pagetide";
  char path[64], name[sizeof(kName)];
  internal_snprintf(path, sizeof(path), "%u/comm", tid);
  const uptr bytes = ReadSmallFile(tasks, path, name, sizeof(name));
  if (!bytes)
    return Namer::kUnknown;
  return bytes >= sizeof(kName) - 1 &&
                 !internal_memcmp(name, kName, sizeof(kName) - 1)
             ? Namer::kPagetide
             : Namer::kOther;
}

/// Whether the user has asked for an engine: `record` brings the runtime into
/// all programs of the run, and has not chosen the engine by itself.
static bool EngineIsAskedFor() {
  return EngineIsNamed() &&
         !internal_strstr(OptionsOfProcess(), "marks_first=1");
}

/// Whether the parent is being recorded: it has the runtime's threads, and
/// `pagetide record` has none but its first one. If an engine is asked for,
/// each parent but `record` counts, also a process between two recorded
/// programs that has no recorder, as in a sandbox.
static bool ParentIsRecorded() {
  const bool by_engine = EngineIsAskedFor();
  const u32 parent = (u32)Syscall(SYS_getppid);
  char path[32];
  internal_snprintf(path, sizeof(path), "/proc/%u/task", parent);
  const uptr tasks = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path,
                             O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Failed(tasks)) // it may be in another namespace of processes than /proc
    return by_engine && !Failed(Syscall(SYS_faccessat, (uptr)AT_FDCWD,
                                        (uptr) "/proc/self", (uptr)F_OK));
  alignas(dirent64) static char entries[4096];
  bool found = by_engine && NamerOf((int)tasks, parent) == Namer::kOther;
  for (uptr n;
       !found &&
       (n = Syscall(SYS_getdents64, tasks, (uptr)entries, sizeof(entries))) &&
       !Failed(n);)
    for (uptr at = 0; !found && at < n;) {
      const auto *entry = (const dirent64 *)(entries + at);
      at += entry->d_reclen;
      const u32 tid = (u32)internal_atoll(entry->d_name);
      found =
          tid && tid != parent && NamerOf((int)tasks, tid) == Namer::kPagetide;
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
