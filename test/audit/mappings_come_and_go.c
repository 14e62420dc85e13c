/*===- mappings_come_and_go.c - Memory that appears, moves and vanishes ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -c %inputs/plain.c -o plain.o
// RUN: %build_c -O1 -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 --json -r report -- ./program; test $? = 1)
// RUN: %check_audit report known

#include "audited.h"

static char *map_at(char *where, size_t pages) {
  char *p = (char *)mmap(where, pages * PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  REQUIRE(p == where);
  return p;
}

int main(void) {
  // A mapping made and written within the period.
  char *fresh = pages_apart(4);
  plain_write(fresh + PAGE);
  plain_read(fresh + 2 * PAGE);
  end_period();
  known("anonymous", fresh + PAGE, 1);

  // Another in its place: its pages are new, and only what is written counts.
  map_at(fresh, 4);
  plain_write(fresh);
  plain_read(fresh + PAGE);
  end_period();
  known("anonymous", fresh, 1);

  // Gone before anyone looks.
  char *gone = pages_apart(4);
  plain_write(gone);
  REQUIRE(munmap(gone, 4 * PAGE) == 0);
  end_period();

  // Moved: a move writes nothing, and what is written afterwards is seen.
  char *moved = pages_apart(8), *there = pages_apart(8);
  for (int i = 0; i < 8; ++i)
    *(volatile char *)(moved + i * PAGE) = 1;
  end_period();
  REQUIRE(mremap(moved, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                 there) == there);
  plain_write(there + 3 * PAGE);
  end_period();
  known("anonymous", there + 3 * PAGE, 1);
  plain_write(there + 5 * PAGE);
  end_period();
  known("anonymous", there + 5 * PAGE, 1);

  // Given back to the kernel and used again.
  REQUIRE(madvise(there, 8 * PAGE, MADV_DONTNEED) == 0);
  plain_read(there);
  plain_write(there + PAGE);
  end_period();
  known("anonymous", there + PAGE, 1);

  // Written and then made read-only, as the loader and compilers at run time
  // do.
  char *sealed = pages_apart(2);
  plain_write(sealed);
  REQUIRE(mprotect(sealed, 2 * PAGE, PROT_READ) == 0);
  end_period();
  known("anonymous", sealed, 1);

  // Shared memory counts from the period after its first one on.
  char *shared = (char *)mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  plain_read(shared);
  plain_write(shared + PAGE);
  end_period();
  plain_read(shared + 2 * PAGE);
  plain_write(shared + 3 * PAGE);
  plain_write(shared);
  end_period();
  known("shared", shared + 3 * PAGE, 1);
  known("shared", shared, 1);

  // A file's private copy.
  int fd = open("program", O_RDONLY);
  char *file =
      (char *)mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  REQUIRE(file != MAP_FAILED);
  plain_read(file);
  plain_write(file + PAGE);
  end_period();
  plain_read(file + 2 * PAGE);
  plain_write(file);
  end_period();
  // As data of the program: it is the program's file.
  known("program", file + PAGE, 1);
  known("program", file, 1);
  return 0;
}
