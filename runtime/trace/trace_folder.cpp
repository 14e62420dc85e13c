//===- trace_folder.cpp - A bound on the traces of a folder ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_folder.h"

#include "pagetide/trace_format.h"
#include "platform/small_file.h"
#include "trace/trace_file.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

using namespace __sanitizer;

namespace pagetide {

namespace {
/// As getdents64 returns it.
struct FolderEntry {
  u64 inode;
  s64 next;
  u16 bytes;
  u8 type;
  char name[];
};

/// The traces of a folder at one look.
struct FolderLook {
  u64 traces = 0;
  bool can_remove = false;
  timespec oldest = {};
  char oldest_name[256];
};
} // namespace

static bool IsEarlier(const timespec &a, const timespec &b) {
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/// Whether the file begins as a trace does. One that was created just now is
/// still empty, and locked.
static bool IsTrace(uptr file) {
  char magic[sizeof(trace::kMagic)];
  return ReadSmallFile(file, magic, sizeof(magic)) == sizeof(magic) &&
         !internal_memcmp(magic, trace::kMagic, sizeof(magic));
}

static bool IsBeingWritten(uptr file) {
  return Failed(Syscall(SYS_flock, file, LOCK_SH | LOCK_NB));
}

static void LookAt(uptr folder, const char *name, FolderLook &look) {
  const uptr file = OpenSmallFile((int)folder, name);
  if (Failed(file))
    return;
  struct stat status;
  const bool regular = !Failed(Syscall(SYS_fstat, file, (uptr)&status)) &&
                       S_ISREG(status.st_mode);
  const bool written = regular && IsBeingWritten(file);
  const bool trace = regular && IsTrace(file);
  Syscall(SYS_close, file); // also unlocks it
  look.traces += trace || written;
  if (!trace || written || internal_strlen(name) >= sizeof(look.oldest_name) ||
      (look.can_remove && !IsEarlier(status.st_mtim, look.oldest)))
    return;
  look.can_remove = true;
  look.oldest = status.st_mtim;
  internal_strncpy(look.oldest_name, name, sizeof(look.oldest_name) - 1);
  look.oldest_name[sizeof(look.oldest_name) - 1] = 0;
}

static FolderLook LookAtFolder(uptr folder) {
  FolderLook look;
  alignas(FolderEntry) char entries[4096];
  Syscall(SYS_lseek, folder, 0, 0 /*SEEK_SET*/);
  for (;;) {
    const uptr bytes =
        Syscall(SYS_getdents64, folder, (uptr)entries, sizeof(entries));
    if (Failed(bytes) || !bytes)
      return look;
    for (uptr at = 0; at < bytes;) {
      const auto *entry = (const FolderEntry *)(entries + at);
      LookAt(folder, entry->name, look);
      at += entry->bytes;
    }
  }
}

/// Two processes that start at once must not both take the last place. Another
/// one may have been stopped while it holds the lock. Returns 0 or an errno.
static int LockFolder(uptr folder) {
  constexpr int kTries = 200;
  constexpr u64 kPauseNs = 5 * kNsPerMs;
  for (int i = 0; i < kTries; ++i) {
    const int error = ErrnoOf(Syscall(SYS_flock, folder, LOCK_EX | LOCK_NB));
    if (error != EWOULDBLOCK && error != EINTR)
      return error;
    SleepNs(kPauseNs);
  }
  return EBUSY;
}

/// Returns 0 or an errno.
static int MakeRoom(uptr folder, u64 keep) {
  for (;;) {
    const FolderLook look = LookAtFolder(folder);
    if (look.traces < keep)
      return 0;
    if (!look.can_remove)
      return EBUSY;
    if (const uptr result =
            Syscall(SYS_unlinkat, folder, (uptr)look.oldest_name, 0);
        Failed(result) && ErrnoOf(result) != ENOENT)
      return ErrnoOf(result);
  }
}

int CreateTraceInFolder(const char *path, u64 keep, char *taken, int *fd) {
  char folder_path[4096];
  internal_strncpy(folder_path, path, sizeof(folder_path) - 1);
  folder_path[sizeof(folder_path) - 1] = 0;
  char *const slash = internal_strrchr(folder_path, '/');
  slash[slash == folder_path] = 0; // "/" stays
  const uptr folder = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)folder_path,
                              O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Failed(folder))
    return ErrnoOf(folder);
  int error = LockFolder(folder);
  if (!error)
    error = MakeRoom(folder, keep);
  if (!error)
    error = CreateTraceFile(path, taken, fd);
  Syscall(SYS_close, folder);
  return error;
}

} // namespace pagetide
