/*===- cut_kernel_writes.c - Cuts of what nobody has marked ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: userfaultfd
// RUN: rm -rf %t && mkdir %t
// RUN: %plain_c -O2 -DLIBRARY -c %s -o %t/library.o
// RUN: %plain_c -O2 -c %support/reference_hash.c -o %t/reference.o
// RUN: %build_c -O1 %s %t/library.o %t/reference.o -o %t/program

// The set names what the kernel saw written and nobody marked.
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:cut_stop=2s %t/program names
// RUN: env PAGETIDE_OPTIONS=cut_stop=2s not %t/program names 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MARKS
// MARKS: flags_of(0, oracle_page(UNMARKED))
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:cut_stop=2s %t/program threads
// RUN: %build_c -O1 -Xclang -mllvm -Xclang -pagetide-layout=write %s \
// RUN:   %t/library.o %t/reference.o -o %t/write
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:cut_stop=2s %t/write names
// The kernel knows pages, and no parts of them.
// RUN: %build_c -O1 -Xclang -mllvm -Xclang -pagetide-granule=6 %s \
// RUN:   %t/library.o %t/reference.o -o %t/fine
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:cut_stop=2s %t/fine granules
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:cut_stop=2s:granularity=64K \
// RUN:   %t/program units

// All contents are of one instant.
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:settle_wait=20ms:cut_stop=2s \
// RUN:   %t/program turns
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=kernel_writes=1:settle_wait=20ms:cut_stop=2s:cut_without=kernel \
// RUN:   %t/program turns
// The kernel writes for a thread that slept.
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:settle_wait=20ms:cut_stop=2s \
// RUN:   %t/program woken
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=kernel_writes=1:settle_wait=20ms:cut_stop=2s:cut_without=repeat \
// RUN:   %t/program woken
// Memory is mapped by code that nobody sees.
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:settle_wait=20ms:cut_stop=2s \
// RUN:   %t/program mapped
// RUN: %until_seen 'the cut contradicts itself' env PAGETIDE_OPTIONS=kernel_writes=1:settle_wait=20ms:cut_stop=2s:cut_without=kernel \
// RUN:   %t/program mapped

// Where there is no cut, what was read ahead is still looked at.
// RUN: env PAGETIDE_OPTIONS=kernel_writes=1:cut_stop=1us %t/program no-cut

// A trace tells these rows apart, and the report counts them.
// RUN: cd %t && %pagetide record -p 0 --checksum written \
// RUN:   --kernel-writes -o trace -- ./program names > address
// RUN: %pagetide export --format csv %t/trace | FileCheck %s \
// RUN:   --check-prefix=ROWS -D#ORACLE=$(cat %t/address)
// ROWS: period,start_ns
// ROWS-DAG: ,[[#%#x,ORACLE]],0,1,0x{{[0-9a-f]+}},stable,{{$}}
// ROWS-DAG: ,[[#%#x,ORACLE+0x1000]],0,1,0x{{[0-9a-f]+}},stable+unmarked,{{$}}
// RUN: %pagetide report %t/trace | FileCheck %s --check-prefix=REPORT
// REPORT: written, no mark {{ *[0-9]+}}
// RUN: %pagetide report --json %t/trace | grep -q '"unmarked"'
// What the kernel alone saw is still no mark.
// RUN: not %pagetide audit --from %t/trace | FileCheck %s --check-prefix=AUDIT
// AUDIT: the page sets lack

#ifdef LIBRARY

#include <stdint.h>
#include <sys/syscall.h>

static long call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                     "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

long library_reads(int fd, void *at, long bytes) {
  return call(SYS_read, fd, (long)at, bytes, 0, 0, 0);
}

/* Private pages of zeros, at this address. */
long library_maps(void *at, long bytes) {
  return call(SYS_mmap, (long)at, bytes, 3, 0x32, -1, 0);
}

#else

#include "cut_oracle.h"

long library_reads(int fd, void *at, long bytes);
long library_maps(void *at, long bytes);

enum { MARKED, UNMARKED, BOTH, READ_ONLY, UNTOUCHED };
enum { FIRST = 0, SECOND = 500, LAST = 1000, BULK = 10, BULK_PAGES = 480 };

static const char *test;

static void library_puts(int page, int number) {
  unmarked_store(oracle_page(page), (uint64_t)(number % NUMBERS));
}

static void start_cuts(pagetide_callback callback, uint32_t per_thread) {
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  config.unstable = PAGETIDE_UNSTABLE_CUT;
  config.per_thread = per_thread;
  require_status(pagetide_on_period(callback, NULL), PAGETIDE_OK);
  const int status = pagetide_start(&config);
  require(status == PAGETIDE_OK || status == PAGETIDE_BUSY);
}

static void see_cut(const pagetide_period *period, void *user) {
  see(period, user);
  learn(period);
}

static void end_period_in_a_cut(void) {
  const int before = cuts;
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(cuts == before + 1);
}

static void write_each(int number) {
  put_number(MARKED, number);
  library_puts(UNMARKED, number);
  put_number(BOTH, number - 1);
  library_puts(BOTH, number);
  require(read_byte(oracle_page(READ_ONLY) + 8) == 0);
  library_puts(READ_ONLY, number);
}

static void expect_each(int number) {
  require(flags_of(0, oracle_page(MARKED)) == PAGETIDE_WRITTEN);
  require(flags_of(0, oracle_page(UNMARKED)) ==
          (PAGETIDE_WRITTEN | PAGETIDE_UNMARKED));
  require(flags_of(0, oracle_page(BOTH)) == PAGETIDE_WRITTEN);
  require((flags_of(0, oracle_page(READ_ONLY)) & ~(uint32_t)PAGETIDE_READ) ==
          (PAGETIDE_WRITTEN | PAGETIDE_UNMARKED));
  require(flags_of(0, oracle_page(UNTOUCHED)) == 0);
  for (int page = MARKED; page < UNTOUCHED; ++page)
    require_equal(known_numbers[page], number);
}

static void names(void) {
  start_cuts(see_cut, 0);
  for (int number = 7; number < 12; ++number) {
    write_each(number);
    end_period_in_a_cut();
    expect_each(number);
    end_period_in_a_cut(); /* nothing was written in this one */
    require(seen.run_count == 0);
  }
  printf("%zu\n", (size_t)oracle_pages);
}

static void *writes_on(void *unused) {
  put_number(MARKED, 5);
  library_puts(UNMARKED, 5);
  return unused;
}

static void threads(void) {
  start_cuts(see_cut, 1);
  pthread_t thread;
  require(pthread_create(&thread, NULL, writes_on, NULL) == 0);
  pthread_join(thread, NULL);
  require(read_byte(oracle_page(UNMARKED)) == 5);
  end_period_in_a_cut();
  require(flags_of(0, oracle_page(MARKED)) == 0);
  require(flags_of(0, oracle_page(UNMARKED)) ==
          (PAGETIDE_WRITTEN | PAGETIDE_UNMARKED));
  require(flags_of((uint32_t)thread_id(), oracle_page(UNMARKED)) ==
          PAGETIDE_READ);
  require(known_numbers[UNMARKED] == 5 && known_numbers[MARKED] == 5);
}

/* A page of which no granule has a mark may be written anywhere. */
static void granules(void) {
  start_cuts(see, 0);
  put_number(MARKED, 5);
  library_puts(UNMARKED, 5);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(seen.period.cut_ns != 0);
  require(flags_of(0, oracle_page(MARKED)) == PAGETIDE_WRITTEN);
  require(flags_of(0, oracle_page(MARKED) + 64) == 0);
  for (size_t i = 0; i < PAGE; i += 64)
    require(flags_of(0, oracle_page(UNMARKED) + i) ==
            (PAGETIDE_MAY_WRITTEN | PAGETIDE_UNMARKED));
  const pagetide_page *page = page_of(oracle_page(UNMARKED));
  require(page && page->state == PAGETIDE_STATE_STABLE);
  require(page->checksum == reference_hash(oracle_page(UNMARKED), 64));
}

static void units(void) {
  enum { UNIT = 64 * 1024 };
  start_cuts(see, 0);
  library_puts(1, 5);  /* beside a mark, in one unit */
  put_number(2, 5);
  library_puts(17, 5); /* in the next one, alone */
  library_puts(30, 5);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(seen.period.cut_ns != 0);
  require(flags_of(0, oracle_page(0)) == PAGETIDE_WRITTEN);
  require(flags_of(0, oracle_page(16)) ==
          (PAGETIDE_WRITTEN | PAGETIDE_UNMARKED));
  require(seen_granules() == 2);
  for (int page = 0; page < 32; page += 16)
    require(page_of(oracle_page(page))->checksum ==
            reference_hash(oracle_page(page), UNIT));
}

//===- While threads run --------------------------------------------------===//

static void *puts_in_turn(void *unused) {
  for (int n = 1; !oracle_ends; ++n) {
    library_puts(FIRST, n);
    spin(n % 300);
    put_number(SECOND, n);
    spin(n % 200);
    library_puts(LAST, n);
    spin(n % 100);
  }
  return unused;
}

static void *keeps_pages_dirty(void *unused) {
  for (int n = 1; !oracle_ends; ++n)
    for (int i = 0; i < BULK_PAGES; ++i)
      library_puts(BULK + i, n);
  return unused;
}

static int numbers_to_read[2];

static void *sends_numbers(void *unused) {
  for (uint64_t n = 1; !oracle_ends; ++n) {
    const uint64_t number = n % NUMBERS;
    require(write(numbers_to_read[1], &number, sizeof number) ==
            sizeof number);
    usleep(20);
  }
  close(numbers_to_read[1]);
  return unused;
}

static void *reads_numbers(void *unused) {
  while (library_reads(numbers_to_read[0], oracle_page(FIRST), 8) == 8) {
    const int number = (int)*(volatile uint64_t *)oracle_page(FIRST);
    library_puts(SECOND, number);
    library_puts(LAST, number);
  }
  return unused;
}

/* When the second and the last page have the same number, the first one was
 * written for it, and may be mapped anew already. */
static void *maps_in_turn(void *unused) {
  for (int n = 1; !oracle_ends; n = n % (NUMBERS - 1) + 1) { /* never 0 */
    require(library_maps(oracle_page(FIRST), PAGE) == (long)oracle_page(FIRST));
    spin(n % 500);
    put_number(SECOND, n);
    spin(n % 100);
    library_puts(FIRST, n);
    spin(n % 3000);
    put_number(LAST, n);
    spin(n % 1000);
  }
  return unused;
}

static void check_mapped(void) {
  const int a = known_numbers[FIRST], b = known_numbers[SECOND],
            c = known_numbers[LAST];
  /* What is mapped anew is in no set for that. */
  if (!page_was_listed[FIRST] || a == UNKNOWN || b == UNKNOWN || b != c)
    return;
  consistent(a == 0 || a == b);
}

static void check(const pagetide_period *period, void *unused) {
  (void)unused;
  if (!learn(period))
    return;
  if (!strcmp(test, "mapped"))
    check_mapped();
  else
    check_written_in_turn(FIRST, SECOND, LAST);
}

static void run_with(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t threads[3];
  require(pthread_create(&threads[0], NULL, one, NULL) == 0);
  require(pthread_create(&threads[1], NULL, keeps_pages_dirty, NULL) == 0);
  if (other)
    require(pthread_create(&threads[2], NULL, other, NULL) == 0);
  record_cuts(check, 5 * 1000 * 1000, 100);
  for (int i = 0; i < (other ? 3 : 2); ++i)
    pthread_join(threads[i], NULL);
}

static void learn_some(const pagetide_period *period, void *unused) {
  (void)unused;
  learn(period);
}

int main(int argc, char **argv) {
  require(argc == 2);
  test = argv[1];
  make_oracle();
  if (!strcmp(test, "names")) {
    names();
  } else if (!strcmp(test, "threads")) {
    threads();
  } else if (!strcmp(test, "granules")) {
    granules();
  } else if (!strcmp(test, "units")) {
    units();
  } else if (!strcmp(test, "turns")) {
    run_with(puts_in_turn, NULL);
  } else if (!strcmp(test, "mapped")) {
    run_with(maps_in_turn, NULL);
  } else if (!strcmp(test, "woken")) {
    require(pipe(numbers_to_read) == 0);
    run_with(reads_numbers, sends_numbers);
  } else {
    require(!strcmp(test, "no-cut"));
    pthread_t thread;
    require(pthread_create(&thread, NULL, keeps_pages_dirty, NULL) == 0);
    start_cuts(learn_some, 0);
    for (int i = 0; i < 20; ++i)
      require_status(pagetide_period_end(), PAGETIDE_OK);
    oracle_ends = 1;
    pthread_join(thread, NULL);
    require(no_cuts > 0);
  }
  return 0;
}

#endif
