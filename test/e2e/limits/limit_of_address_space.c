/*===- limit_of_address_space.c - The program limits its own address space -===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// A limit that the program sets means its own memory: the shadow does not count.
// It holds, it is read back as it was set, and exec passes it on.
// RUN: %known_sets --ways O1 %s
// RUN: %build_c -O1 %s -o %t && PAGETIDE_TRUTH=%t.truth %t exec | grep -x 1048576

#include "known_sets.h"

#include <sys/resource.h>

static char *a;

int main(int argc, char **argv) {
  (void)argv;
  struct rlimit limit, seen;
  a = arena(0, 64 * PAGE);
  require(getrlimit(RLIMIT_AS, &seen) == 0 && seen.rlim_cur == RLIM_INFINITY);
  limit.rlim_cur = GIB, limit.rlim_max = 2 * GIB;
  require(setrlimit(RLIMIT_AS, &limit) == 0);
  require(getrlimit(RLIMIT_AS, &seen) == 0);
  require(seen.rlim_cur == GIB && seen.rlim_max == 2 * GIB);
  if (argc > 1) {
    execl("/nowhere", "nowhere", (char *)NULL);
    require(getrlimit(RLIMIT_AS, &seen) == 0 && seen.rlim_cur == GIB);
    require(malloc(100 * MIB) != NULL);
    execl("/bin/sh", "sh", "-c", "ulimit -S -v", (char *)NULL);
    return 1;
  }
  /* There is room, and there is a limit to it. */
  void *p = mmap(NULL, 500 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(p != MAP_FAILED);
  require(mmap(NULL, 600 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
              MAP_FAILED &&
          errno == ENOMEM);
  /* Lower, and up again as far as the hard limit. */
  limit.rlim_cur = 800 * MIB;
  require(prlimit(0, RLIMIT_AS, &limit, &seen) == 0 && seen.rlim_cur == GIB);
  require(mmap(NULL, 400 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
          MAP_FAILED);
  limit.rlim_cur = 2 * GIB;
  require(setrlimit(RLIMIT_AS, &limit) == 0);
  require(mmap(NULL, 600 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
          MAP_FAILED);
  limit.rlim_cur = 3 * GIB;
  require(setrlimit(RLIMIT_AS, &limit) == -1 && errno == EINVAL);
  a[PAGE] = 1;
  expect_write(a + PAGE, 1);
  end_period();
  a[2 * PAGE] = 1;
  expect_write(a + 2 * PAGE, 1);
  return 0;
}
