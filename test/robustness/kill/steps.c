/*===- steps.c - A program that says how far it has come --------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// Writes page after page of an arena at a known address. A file that outlives
// it has the page that it will write next (first), the pages that it has
// written (second), who it is, and since when it watches. It ends by itself as
// its arguments say, or is killed from outside.
//
// Killed at a random moment, in every way, under periods of a millisecond: every
// page that was written is in the trace, and none beyond the one attempted.
// RUN: %build_c -O2 %s -o %t
// RUN: %python %S/moments.py --pagetide %pagetide --program %t --work %t.work \
// RUN:   --way kill --way segv --way abort --way exit --rounds 12 --seed 1
// The same with the sets of threads, of whole periods only when the program
// dies, and with checksums.
// RUN: %python %S/moments.py --pagetide %pagetide --program %t --work %t.work \
// RUN:   --way kill --rounds 4 --seed 2 --record=--per-thread
// RUN: %python %S/moments.py --pagetide %pagetide --program %t --work %t.work \
// RUN:   --way kill --rounds 4 --seed 3 --period=10s
// RUN: %python %S/moments.py --pagetide %pagetide --program %t --work %t.work \
// RUN:   --way kill --rounds 4 --seed 4 --record=--checksum=written
// Parent and forked child, killed together: both are harvested.
// RUN: %python %S/moments.py --pagetide %pagetide --program %t --work %t.work \
// RUN:   --way kill --rounds 4 --seed 5 --forked

#include "pagetide/pagetide.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define UNSEEN                                                                 \
  __attribute__((noinline, disable_sanitizer_instrumentation))

enum { PAGE = 4096 };
static const size_t pages = 1 << 18;

static volatile uint64_t *progress;

static UNSEEN void about_to_write(uint64_t page) { progress[0] = page; }
static UNSEEN void has_written(uint64_t page) { progress[1] = page; }
/* Periods that ended before may hold pages that were not watched yet. */
static UNSEEN void watches_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  progress[3] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static UNSEEN void pause_ns(long ns) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec -
             begin.tv_nsec <
         ns);
}

int main(int argc, char **argv) {
  // steps PROGRESS-FILE ARENA-ADDRESS WAY LAST-PAGE [forked]
  if (argc < 5)
    return 2;
  int fd = open(argv[1], O_RDWR);
  progress = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  uintptr_t address = strtoull(argv[2], NULL, 0);
  char *arena = mmap((void *)address, pages * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                         MAP_FIXED_NOREPLACE,
                     -1, 0);
  if (fd < 0 || progress == MAP_FAILED || arena != (char *)address)
    return 3;
  pagetide_watch(arena, pages * PAGE);
  watches_now();
  if (argc > 5 && fork())
    pause(); // the child writes; whoever kills us kills both
  progress[2] = (uint64_t)getpid();
  uint64_t last = strtoull(argv[4], NULL, 0);
  for (uint64_t page = 0; page < pages && page < last; ++page) {
    about_to_write(page + 1);
    ((volatile char *)arena)[page * PAGE] = 1;
    has_written(page + 1);
    pause_ns(2000);
  }
  switch (argv[3][0]) {
  case 's': // a signal whose handler is the default
    *(volatile char *)(uintptr_t)(pages / 8) = 1;
    break;
  case 'a':
    abort();
  case 'e':
    _exit(7);
  }
  return 0;
}
