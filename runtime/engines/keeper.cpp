//===- keeper.cpp - Processes that keep the program's memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/keeper.h"

#include "platform/fork_reset.h"
#include "platform/own_memory.h"
#include "platform/small_file.h"
#include "platform/uffd_wp.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace __sanitizer;

namespace pagetide {

namespace {
struct Keepers {
  u8 *witness; ///< a page that forked processes get, and keepers do not
  int pagemap; ///< this process's own
  bool forked; ///< this process was forked from one that had a witness
};
} // namespace

PAGETIDE_RECORDER_STATE static Keepers keepers;
/// A forked child has it too, and makes a witness of its own.
static bool made_witness;

static constexpr char kKeeperName[] = "pagetide-keeper";

//===- A keeper's life ----------------------------------------------------===//

[[noreturn]] static void KeepMemory(u32 starter, int leave) {
  Syscall(SYS_prctl, PR_SET_NAME, (uptr)kKeeperName);
  Syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  u64 count;
  if (Syscall(SYS_getppid) == starter) // else it died before that
    Syscall(SYS_read, (uptr)leave, (uptr)&count, sizeof(count));
  for (;;)
    Syscall(SYS_exit_group, 0);
}

/// Opens a file in the keeper's folder of /proc. Returns an errno.
static int OpenInProc(u32 pid, const char *name, int flags, int &fd) {
  char path[64];
  internal_snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
  const uptr result =
      Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path, (uptr)flags | O_CLOEXEC);
  fd = Failed(result) ? -1 : (int)result;
  return ErrnoOf(result);
}

/// When memory runs out, the kernel shall kill the keeper, not the program.
static void OfferToOomKiller(u32 pid) {
  int fd;
  if (OpenInProc(pid, "oom_score_adj", O_WRONLY, fd))
    return;
  Syscall(SYS_write, (uptr)fd, (uptr) "1000", 4);
  Syscall(SYS_close, (uptr)fd);
}

static void AdviseWitness(int advice) {
  if (keepers.witness)
    Syscall(SYS_madvise, (uptr)keepers.witness, kPageBytes, (uptr)advice);
}

static void CloseFiles(const Keeper &keeper) {
  const int files[] = {keeper.pagemap, keeper.memory, keeper.leave};
  for (const int fd : files)
    if (fd > 0)
      Syscall(SYS_close, (uptr)fd);
}

/// exec ends the thread that has made a keeper, and so the keeper. It stays as
/// a zombie, of which the program that exec has started knows nothing. One that
/// kept much memory may take a while to end.
static void ReapKeepersOfFormerProgram() {
  for (;;) {
    siginfo_t ended = {};
    if (Syscall(SYS_waitid, P_ALL, 0, (uptr)&ended,
                WEXITED | WNOHANG | WNOWAIT | __WCLONE, 0) ||
        !ended.si_pid)
      return;
    char path[32], name[sizeof(kKeeperName)];
    internal_snprintf(path, sizeof(path), "/proc/%d/comm", ended.si_pid);
    if (ReadSmallFile(AT_FDCWD, path, name, sizeof(name)) <
            sizeof(kKeeperName) - 1 ||
        internal_memcmp(name, kKeeperName, sizeof(kKeeperName) - 1))
      return;
    Syscall(SYS_wait4, (uptr)ended.si_pid, 0, __WALL, 0);
  }
}

const char *StartKeeper(Keeper &keeper) {
  ReapKeepersOfFormerProgram();
  const u32 starter = GetPidRaw();
  const uptr leave = Syscall(SYS_eventfd2, 0, EFD_CLOEXEC);
  if (Failed(leave))
    return Missing("eventfd", ErrnoOf(leave));
  keeper.leave = (int)leave;
  AdviseWitness(MADV_DONTFORK);
  const uptr pid = Syscall(SYS_clone, CLONE_FILES | CLONE_UNTRACED, 0, 0, 0, 0);
  if (!pid)
    KeepMemory(starter, keeper.leave);
  AdviseWitness(MADV_DOFORK);
  if (Failed(pid)) {
    CloseFiles(keeper);
    keeper = {};
    return Missing("a process that keeps its memory: clone", ErrnoOf(pid));
  }
  keeper.pid = (u32)pid;
  OfferToOomKiller(keeper.pid);
  int error = OpenInProc(keeper.pid, "pagemap", O_RDONLY, keeper.pagemap);
  if (!error)
    error = OpenInProc(keeper.pid, "mem", O_RDONLY, keeper.memory);
  if (error) {
    EndKeeper(keeper);
    return Missing("the files pagemap and mem in /proc/PID", error);
  }
  return nullptr;
}

bool IsKept(const Keeper &keeper) {
  siginfo_t ended = {};
  return keeper.pid &&
         !Syscall(SYS_waitid, P_PID, keeper.pid, (uptr)&ended,
                  WEXITED | WNOHANG | WNOWAIT | __WALL, 0) &&
         !ended.si_pid;
}

void EndKeeper(Keeper &keeper) {
  if (!keeper.pid)
    return;
  // The program may have given up the right to kill what was made before. A
  // keeper that somebody has stopped does not leave by itself.
  const u64 one = 1;
  Syscall(SYS_write, (uptr)keeper.leave, (uptr)&one, sizeof(one));
  if (IsKept(keeper)) // else another process may have its number
    Syscall(SYS_kill, keeper.pid, SIGKILL);
  int status;
  while (ErrnoOf(Syscall(SYS_wait4, keeper.pid, (uptr)&status, __WALL, 0)) ==
         EINTR) {
  }
  CloseFiles(keeper);
  keeper = {};
}

//===- Its pages ----------------------------------------------------------===//

static bool ReadPages(int pagemap, u64 first, uptr count, KeptPage *pages) {
  constexpr uptr kStep = 512;
  kernel::PagemapEntry entries[kStep];
  for (uptr done = 0; done < count;) {
    const uptr step = Min(kStep, count - done);
    const uptr n = Syscall(SYS_pread64, (uptr)pagemap, (uptr)entries,
                           step * sizeof(u64), (first + done) * sizeof(u64));
    if (ErrnoOf(n) == EINTR)
      continue;
    if (Failed(n) || n < sizeof(u64))
      return false;
    for (uptr i = 0; i < n / sizeof(u64); ++i)
      pages[done + i] = KindOf(entries[i]);
    done += n / sizeof(u64);
  }
  return true;
}

bool ReadKeptPages(const Keeper &keeper, u64 first, uptr count,
                   KeptPage *pages) {
  return ReadPages(keeper.pagemap, first, count, pages);
}

int FindZeroPages(const Keeper &keeper, const u64 *numbers, uptr count,
                  void (*is_zero)(uptr place, void *arg), void *arg) {
  constexpr uptr kStep = 256;
  for (uptr done = 0; done < count; done += kStep) {
    const uptr step = Min(kStep, count - done);
    void *pages[kStep];
    int nodes[kStep];
    for (uptr i = 0; i < step; ++i)
      pages[i] = (void *)(numbers[done + i] << kPageShift);
    // Asks on which node they are. The page of zeros is on none: EFAULT.
    const uptr result = Syscall(SYS_move_pages, keeper.pid, step, (uptr)pages,
                                0, (uptr)nodes, 0);
    if (Failed(result))
      return ErrnoOf(result);
    for (uptr i = 0; i < step; ++i)
      if (nodes[i] == -EFAULT)
        is_zero(done + i, arg);
  }
  return 0;
}

bool ReadKept(const Keeper &keeper, uptr address, u8 *to, uptr bytes) {
  return Syscall(SYS_pread64, (uptr)keeper.memory, (uptr)to, bytes, address) ==
         bytes;
}

void BringBack(const Keeper &keeper, u64 number) {
  u8 byte;
  ReadKept(keeper, number << kPageShift, &byte, 1);
}

//===- Relatives ----------------------------------------------------------===//

// A forked process has its parent's witnesses until it executes a program or
// ends, and so have its own keepers. Nobody writes a witness. So the kernel
// calls it exclusively mapped exactly when this process has no descendant that
// may share a page of it.

static const char *MakeWitness() {
  keepers.forked = made_witness;
  made_witness = true;
  // Not in the list of the runtime's memory: a forked child must keep it.
  const uptr p = Syscall(SYS_mmap, 0, kPageBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, (uptr)-1, 0);
  if (Failed(p))
    return Missing("memory", ErrnoOf(p));
  // A descendant could have the page without mapping it if the page were paged
  // out. The lock prevents that. It makes no page before the first access.
  constexpr uptr kOnFault = 1; // MLOCK_ONFAULT
  Syscall(SYS_mlock2, p, kPageBytes, kOnFault);
  keepers.witness = (u8 *)p;
  *(volatile u8 *)p = 1;
  const uptr fd =
      Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr) "/proc/thread-self/pagemap",
              O_RDONLY | O_CLOEXEC);
  if (Failed(fd))
    return Missing("/proc/thread-self/pagemap", ErrnoOf(fd));
  keepers.pagemap = (int)fd;
  return nullptr;
}

bool HasRelatives() {
  // What it shares with its parent, and with other children of that, only they
  // could tell.
  if (keepers.forked)
    return true;
  KeptPage kind;
  return !ReadPages(keepers.pagemap, (uptr)keepers.witness >> kPageShift, 1,
                    &kind) ||
         kind != KeptPage::kOwn;
}

//===- A try --------------------------------------------------------------===//

/// Of two pages, the first was read and the second written before the keeper
/// was made.
static const char *TryPages(const Keeper &keeper, volatile u8 *pages) {
  const u64 first = (uptr)pages >> kPageShift;
  KeptPage kinds[2];
  u32 zeros = 0;
  const u64 numbers[2] = {first, first + 1};
  if (int error = FindZeroPages(
          keeper, numbers, 2,
          [](uptr place, void *arg) { *(u32 *)arg |= 1u << place; }, &zeros))
    return Missing("move_pages (CONFIG_NUMA)", error);
  if (!ReadKeptPages(keeper, first, 2, kinds) || zeros != 1 ||
      kinds[0] != KeptPage::kShared || kinds[1] != KeptPage::kShared)
    return Missing("an account of shared pages in /proc/PID/pagemap (bit 56)",
                   EOPNOTSUPP);
  pages[kPageBytes] = 2;
  if (!ReadKeptPages(keeper, first, 2, kinds) ||
      kinds[0] != KeptPage::kShared || kinds[1] != KeptPage::kOwn)
    return Missing("an account of written pages in /proc/PID/pagemap (bit 56)",
                   EOPNOTSUPP);
  return nullptr;
}

const char *TryKeeper() {
  if (!keepers.witness)
    if (const char *missing = MakeWitness())
      return missing;
  auto *pages = (volatile u8 *)MapAnonymous(2 * kPageBytes, false);
  if (!pages)
    return Missing("memory", ENOMEM);
  (void)pages[0];
  pages[kPageBytes] = 1;
  Keeper keeper = {};
  const char *missing = StartKeeper(keeper);
  if (!missing)
    missing = TryPages(keeper, pages);
  EndKeeper(keeper);
  Unmap((void *)pages, 2 * kPageBytes);
  return missing;
}

} // namespace pagetide
