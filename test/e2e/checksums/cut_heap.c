/*===- cut_heap.c - Cuts of memory that libc gives back by itself ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// free() and realloc() unmap memory, give it back or move it by system calls
// within libc, which nobody sees. What malloc() then returns there is zero.
// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t

// A block that is a mapping of its own.
// RUN: env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s %t mapped
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:cut_without=discarded \
// RUN:   %t mapped
// The same where the program had a mapping of its own, which it has unmapped.
// RUN: env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s %t mapped-again
// The end of the heap.
// RUN: env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s %t trimmed
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:cut_without=discarded \
// RUN:   %t trimmed
// The end of another arena's heap.
// RUN: env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s %t arena
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:cut_without=discarded \
// RUN:   %t arena
// realloc() unmaps the end of a mapping, and maps it anew.
// RUN: env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s %t resized
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:cut_without=discarded \
// RUN:   %t resized
// The same in units of several pages, most of which are never touched.
// RUN: env PAGETIDE_OPTIONS=settle=100us:settle_wait=20ms:cut_stop=2s:granularity=64K \
// RUN:   %t units

#include "cut_oracle.h"

#include <malloc.h>
#include <sys/prctl.h>

enum { BLOCK = 0, BEFORE = 500, AFTER = 1000 };
enum { BLOCK_BYTES = 3 << 20, SMALLER = 1 << 20 };
/* Not the first page, which has the allocator's header. */
enum { INSIDE = 512 * PAGE };

static const char *test;
static char *block;

static char *inside(char *p) {
  return (char *)(((uintptr_t)p + INSIDE) & ~(uintptr_t)(PAGE - 1));
}

/* What others map finds room in small gaps above, and leaves the place of a
 * block free. */
static void make_gaps(void) {
  enum { GAP = 1 << 20, GAPS = 64 };
  char *reserved = (char *)mmap(NULL, (size_t)2 * GAPS * GAP, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(reserved != MAP_FAILED);
  for (int i = 0; i < GAPS; ++i)
    require(munmap(reserved + (size_t)2 * i * GAP, GAP) == 0);
}

/* The next block is where the last one was. 0 if libc has kept its memory. */
static int give_back(void) {
  if (!strcmp(test, "resized")) {
    require(realloc(block, SMALLER) == block);
    require(realloc(block, BLOCK_BYTES) == block);
    return 1;
  }
  const char *end = (const char *)sbrk(0);
  free(block);
  /* Another block may lie at the heap's end. */
  const int is_kept = !strcmp(test, "trimmed") && (const char *)sbrk(0) >= end;
  block = (char *)malloc(BLOCK_BYTES);
  /* Another thread may have had a block there for a moment. */
  int is_elsewhere = 0;
  for (; block && inside(block) != moved_to && is_elsewhere < 1000;
       ++is_elsewhere) {
    free(block);
    usleep(1000);
    block = (char *)malloc(BLOCK_BYTES);
  }
  require(block && inside(block) == moved_to);
  return !is_kept && !is_elsewhere;
}

static void *gives_back(void *unused) {
  unsigned seed = 1;
  /* What the runtime and libc allocate for the recording is there by then. */
  while (*(volatile int *)&cuts < 5)
    usleep(1000);
  char *own = NULL;
  if (!strcmp(test, "mapped-again")) {
    const size_t bytes = BLOCK_BYTES + PAGE; /* of malloc's header too */
    own = (char *)mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0);
    require(own != MAP_FAILED && munmap(own, bytes) == 0);
  }
  block = (char *)malloc(BLOCK_BYTES); /* from this thread's arena */
  require(block && (!own || inside(block) == inside(own)));
  moved_to = inside(block);
  moved_page = BLOCK;
  require_status(pagetide_watch(moved_to, PAGE), PAGETIDE_OK);
  for (int n = 1; !oracle_ends; n = n % (NUMBERS - 1) + 1) { /* never 0 */
    put_number(BLOCK, n);
    spin((int)(rand_r(&seed) % 4000));
    put_number(BEFORE, n);
    if (!give_back())
      continue;
    put_number(AFTER, n);
    spin((int)(rand_r(&seed) % 3000));
    require(*(volatile uint64_t *)oracle_page(BLOCK) == 0);
  }
  return unused;
}

/* After n was given back the block has zeros, until it gets the next number. */
static void check(const pagetide_period *period, void *unused) {
  (void)unused;
  if (!learn(period))
    return;
  const int a = known_numbers[BLOCK], b = known_numbers[BEFORE],
            c = known_numbers[AFTER];
  if (!page_was_listed[BLOCK] || a == UNKNOWN || b == UNKNOWN || b != c)
    return;
  consistent(a == 0 || a == b % (NUMBERS - 1) + 1);
}

static uint64_t zeros_but(uint64_t number) {
  static uint64_t unit[65536 / 8];
  unit[0] = number;
  return reference_hash(unit, sizeof unit);
}

/* A unit of which one page was touched is not read again for the others. */
static void units(void) {
  char *pages = arena(1, 16 * 65536);
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  config.unstable = PAGETIDE_UNSTABLE_CUT;
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  for (int i = 0; i < 16; ++i)
    *(volatile uint64_t *)(pages + i * 65536) = 5;
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(seen.period.cut_ns != 0);
  require_equal(seen.period.page_count, 16);
  require_equal(seen.period.cut_marked_count, 0);
  for (int i = 0; i < 16; ++i)
    require(seen.pages[i].checksum == zeros_but(5));
}

int main(int argc, char **argv) {
  require(argc == 2);
  test = argv[1];
  /* One write of the allocator's would make 512 pages anew. Nobody could tell
   * then that they were given back (but see kernel_writes). */
  if (!getenv("HUGE_PAGES"))
    require(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);
  if (!strcmp(test, "units")) {
    units();
    return 0;
  }
  const int is_mapping =
      !strncmp(test, "mapped", 6) || !strcmp(test, "resized");
  require(mallopt(M_MMAP_THRESHOLD, is_mapping ? BLOCK_BYTES / 2 : 64 << 20));
  require(mallopt(M_TRIM_THRESHOLD, 4 * PAGE));
  require(mallopt(M_ARENA_MAX, strcmp(test, "arena") ? 1 : 8));
  make_gaps();
  make_oracle();
  pthread_t thread;
  require(pthread_create(&thread, NULL, gives_back, NULL) == 0);
  record_cuts(check, 5 * 1000 * 1000, 150);
  pthread_join(thread, NULL);
  return 0;
}
