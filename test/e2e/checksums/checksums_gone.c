/*===- checksums_gone.c - Pages that cannot be hashed any more -------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --checksum written --plain %support/reference_hash.c \
// RUN:   --ways O1,O1/write %s

#include "known_sets.h"
#include "reference_hash.h"

static char *a;

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

/* Writes the four pages from `first` on. */
static char *write_four(size_t first) {
  char *p = a + first * PAGE;
  for (int i = 0; i < 4; ++i)
    p[i * PAGE] = (char)(first + (size_t)i);
  expect_write(p, 3 * PAGE + 1);
  return p;
}

int main(void) {
  a = arena(0, 64 * PAGE);

  char *p = write_four(0);
  munmap(p + PAGE, 2 * PAGE);
  expect_stable(p), expect_state(p + PAGE, "gone");
  expect_state(p + 2 * PAGE, "gone"), expect_stable(p + 3 * PAGE);
  end_period();

  p = write_four(8);
  mprotect(p, PAGE, PROT_NONE);
  mprotect(p + 3 * PAGE, PAGE, PROT_READ);
  expect_state(p, "unreadable"), expect_stable(p + PAGE);
  expect_stable(p + 2 * PAGE), expect_stable(p + 3 * PAGE);
  end_period();

  /* All of them, so that no page of a batch can be read. */
  p = write_four(16);
  munmap(p, 4 * PAGE);
  for (int i = 0; i < 4; ++i)
    expect_state(p + i * PAGE, "gone");
  end_period();

  /* Something else is there by now: it has the checksum of what is there. */
  p = write_four(24);
  require(mmap(p, 4 * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
  for (int i = 0; i < 4; ++i)
    expect_stable(p + i * PAGE);
  end_period();

  /* A file, cut off under its mapping. Others may write what is left. */
  int fd = (int)syscall(SYS_memfd_create, "cut", 0);
  require(fd >= 0 && ftruncate(fd, 4 * (off_t)PAGE) == 0);
  p = a + 32 * PAGE;
  require(mmap(p, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
               0) == p);
  p = write_four(32);
  require(ftruncate(fd, 2 * (off_t)PAGE) == 0);
  expect_state(p, "unstable"), expect_state(p + PAGE, "unstable");
  expect_state(p + 2 * PAGE, "unreadable");
  expect_state(p + 3 * PAGE, "unreadable");
  end_period();
  return 0;
}
