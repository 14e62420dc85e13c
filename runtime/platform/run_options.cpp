//===- run_options.cpp - Options of the record above this process ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/run_options.h"

#include "platform/small_file.h"
#include "platform/start_data.h"
#include "platform/syscalls.h"

#include "pagetide/shadow_file.h"
#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

static char run_options[shadow_file::kMaxRunOptionsBytes];

struct ProcessStat {
  u32 parent;
  u64 start_time; ///< in ticks since the system started
};

/// Returns false if the process has ended, or if /proc does not show it.
static bool ReadStat(u32 pid, ProcessStat &stat) {
  char name[32], text[1024];
  internal_snprintf(name, sizeof(name), "/proc/%u/stat", pid);
  const uptr bytes = ReadSmallFile(AT_FDCWD, name, text, sizeof(text) - 1);
  text[bytes] = 0;
  // Field 2 is the program's name in parentheses. It may hold blanks and
  // parentheses itself; the fields after it do not.
  const char *p = internal_strrchr(text, ')');
  for (int field = 3; p; ++field) {
    p = internal_strchr(p, ' ');
    if (!p)
      return false;
    ++p;
    if (field == 4)
      stat.parent = (u32)internal_atoll(p);
    if (field == 22) {
      stat.start_time = (u64)internal_atoll(p);
      return true;
    }
  }
  return false;
}

/// Opens the directory where the user's records leave their options. Returns -1
/// if there is none, or if another user could have put files there.
static int OpenRunDirectory() {
  const u32 user = (u32)Syscall(SYS_geteuid);
  char path[64];
  internal_snprintf(path, sizeof(path), "%s%u", shadow_file::kRunDirectory,
                    user);
  const uptr fd = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path,
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (Failed(fd))
    return -1;
  struct stat status;
  if (!Failed(Syscall(SYS_fstat, fd, (uptr)&status)) && status.st_uid == user &&
      !(status.st_mode & 077))
    return (int)fd;
  Syscall(SYS_close, fd);
  return -1;
}

enum class Walk { kFound, kNone, kInterrupted };

/// Walks from the parent upwards, and reads the first record's options.
static Walk WalkAncestors(int directory) {
  ProcessStat stat;
  for (u32 pid = (u32)Syscall(SYS_getppid); pid; pid = stat.parent) {
    // An ancestor that ends meanwhile gives its children to another one.
    if (!ReadStat(pid, stat))
      return Walk::kInterrupted;
    char name[48];
    internal_snprintf(name, sizeof(name), "%u.%llu", pid, stat.start_time);
    const uptr bytes =
        ReadSmallFile(directory, name, run_options, sizeof(run_options));
    if (bytes && bytes < sizeof(run_options)) {
      run_options[bytes] = 0;
      return Walk::kFound;
    }
  }
  return Walk::kNone;
}

static bool FindOptions() {
  const int directory = OpenRunDirectory();
  if (directory < 0)
    return false;
  constexpr int kMaxWalks = 16;
  Walk walk = Walk::kInterrupted;
  for (int i = 0; i < kMaxWalks && walk == Walk::kInterrupted; ++i)
    walk = WalkAncestors(directory);
  Syscall(SYS_close, (uptr)directory);
  return walk == Walk::kFound;
}

const char *OptionsOfRun() {
  PAGETIDE_START_DATA static bool looked, found;
  if (!looked) {
    looked = true;
    found = FindOptions();
  }
  return found ? run_options : nullptr;
}

} // namespace pagetide
