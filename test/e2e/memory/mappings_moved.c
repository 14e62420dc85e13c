/*===- mappings_change.c - Pages that move, vanish, come back and are replaced ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// mremap, MAP_FIXED over used pages, munmap, brk, mprotect, madvise, stacks that
// grow, huge pages, memory shared between two recorded processes: the sets are
// by address, as the program used it, and a checksum is of what is there when
// pages are hashed.
// RUN: %known_sets --ways O1,O2/write --checksum written \
// RUN:   --plain %support/reference_hash.c %s

#include "known_sets.h"
#include "reference_hash.h"

#include <sys/wait.h>

static void expect_state(const char *p, const char *state) {
  truth_line("checksum %d %llu 0x%llx %s\n", (int)getpid(),
             (unsigned long long)known_period_,
             (unsigned long long)(uintptr_t)p, state);
}
static void expect_stable(const char *p) {
  truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
             (unsigned long long)known_period_,
             (unsigned long long)(uintptr_t)p,
             (unsigned long long)reference_hash(p, PAGE));
}
static void put(char *p, int value) {
  *p = (char)value;
  expect_write(p, 1);
}

int main(void) {
  const int rw = PROT_READ | PROT_WRITE,
            anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  char *a = arena(0, 64 * PAGE), *b = (char *)ARENA_BASE + GIB;
  require_status(pagetide_watch(b, 64 * PAGE), PAGETIDE_OK);

  /* Moved: what was written stands under the old address and the new. */
  put(a, 1), put(a + PAGE, 2);
  require(mremap(a, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, b) == b);
  put(b + PAGE, 3), put(b + 3 * PAGE, 4);
  expect_state(a, "gone"), expect_state(a + PAGE, "gone");
  expect_stable(b + PAGE), expect_stable(b + 3 * PAGE);
  end_period();
  require(b[0] == 1);
  expect_read(b, 1);

  /* Moved, and the old place stays mapped, empty (MREMAP_DONTUNMAP). */
  put(b + PAGE, 5);
  void *moved = mremap(b, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | 4, NULL);
  if (moved == MAP_FAILED) /* before Linux 5.7 */
    require(errno == EINVAL);
  else
    require(reference_hash(b + PAGE, PAGE) !=
            reference_hash((char *)moved + PAGE, PAGE));
  expect_stable(b + PAGE);
  end_period();

  /* Grown in place, and shrunk. */
  char *grows = (char *)mmap(b + 16 * PAGE, PAGE, rw,
                             anonymous | MAP_FIXED_NOREPLACE, -1, 0);
  require(grows == b + 16 * PAGE);
  require(mremap(grows, PAGE, 8 * PAGE, 0) == grows);
  put(grows, 1), put(grows + 7 * PAGE, 2);
  require(mremap(grows, 8 * PAGE, PAGE, 0) == grows);
  expect_stable(grows), expect_state(grows + 7 * PAGE, "gone");
  end_period();

  /* Used pages under a new mapping. */
  put(a + 8 * PAGE, 1), put(a + 9 * PAGE, 1);
  require(mmap(a + 8 * PAGE, PAGE, rw, anonymous | MAP_FIXED, -1, 0) ==
          a + 8 * PAGE);
  put(a + 8 * PAGE + 8, 2);
  expect_stable(a + 8 * PAGE), expect_stable(a + 9 * PAGE);
  end_period();

  /* Thrown away by the program: it is there, and zero. */
  put(a + 10 * PAGE, 1), put(a + 11 * PAGE, 1);
  require(madvise(a + 10 * PAGE, PAGE, MADV_DONTNEED) == 0);
  expect_stable(a + 10 * PAGE), expect_stable(a + 11 * PAGE);
  end_period();

  /* Without permission. */
  put(a + 12 * PAGE, 1), put(a + 13 * PAGE, 1);
  require(mprotect(a + 12 * PAGE, PAGE, PROT_NONE) == 0);
  expect_state(a + 12 * PAGE, "unreadable"), expect_stable(a + 13 * PAGE);
  end_period();

  /* A stack that grows by itself, with nothing near below it. */
  char *top = (char *)ARENA_BASE + 3 * GIB + 32 * PAGE;
  require_status(pagetide_watch(top - 16 * PAGE, 16 * PAGE), PAGETIDE_OK);
  require(mmap(top - PAGE, PAGE, rw,
               anonymous | MAP_GROWSDOWN | MAP_FIXED_NOREPLACE, -1,
               0) == top - PAGE);
  for (int i = 1; i <= 6; ++i)
    put(top - (size_t)i * PAGE + 8, i);
  for (int i = 1; i <= 6; ++i)
    expect_stable(top - (size_t)i * PAGE);
  end_period();

  /* The heap's end goes up and down. */
  char *end = (char *)sbrk(0);
  char *heap = (char *)(((uintptr_t)end + PAGE - 1) & -PAGE);
  require(sbrk((intptr_t)(heap - end + 4 * (ptrdiff_t)PAGE)) == end);
  require_status(pagetide_watch(heap, 4 * PAGE), PAGETIDE_OK);
  put(heap, 1), put(heap + 3 * PAGE, 2);
  require(sbrk(-2 * (intptr_t)PAGE) != (void *)-1);
  expect_stable(heap), expect_state(heap + 3 * PAGE, "gone");
  end_period();
  require_status(pagetide_unwatch(heap, 4 * PAGE), PAGETIDE_OK);

  /* Memory of two recorded processes: each has its own sets. Nobody knows what
   * the other does while a page is hashed. */
  char *shared = b + 40 * PAGE;
  require(mmap(shared, 8 * PAGE, rw,
               MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
               0) == shared);
  put(shared, 1);
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    known_sets_after_fork();
    put(shared + PAGE, 2);
    expect_state(shared + PAGE, "unstable");
    /* Kept out of a fork of this fork, which has nothing there. */
    require(madvise(a + 20 * PAGE, PAGE, MADV_DONTFORK) == 0);
    put(a + 20 * PAGE, 1);
    expect_stable(a + 20 * PAGE);
    end_period();
    pid = fork();
    if (pid == 0) {
      known_sets_after_fork();
      put(a + 21 * PAGE, 1);
      expect_stable(a + 21 * PAGE);
      exit(0);
    }
    require(waitpid(pid, NULL, 0) == pid);
    exit(0);
  }
  require(waitpid(pid, NULL, 0) == pid);
  require(*(volatile char *)(shared + PAGE) == 2);
  expect_read(shared + PAGE, 1);
  expect_state(shared, "unstable");
  end_period();

  /* Transparent huge pages; huge_pages.c has real ones. */
  char *huge = (char *)ARENA_BASE + 2 * GIB;
  require(mmap(huge, 8 * MIB, rw, anonymous | MAP_FIXED_NOREPLACE, -1, 0) ==
          huge);
  madvise(huge, 8 * MIB, MADV_HUGEPAGE);
  require_status(pagetide_watch(huge, 8 * MIB), PAGETIDE_OK);
  put(huge + 3 * MIB, 1), put(huge + 5 * MIB + 5 * PAGE, 2);
  expect_stable(huge + 3 * MIB), expect_stable(huge + 5 * MIB + 5 * PAGE);
  end_period();
  return 0;
}
