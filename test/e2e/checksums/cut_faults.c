/*===- cut_faults.c - Pages that cannot be read in a cut -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Whoever reads pages where they are may fault. The program does not see that,
// and the period says of each page why it has no checksum.
// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t && %t

#include "recording.h"
#include "reference_hash.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { FORBIDDEN, UNMAPPED, CUT_OFF, READABLE, KINDS, PER_KIND = 100 };

static char *pages;
static volatile sig_atomic_t faults;
static void counts(int signal) {
  (void)signal;
  ++faults;
}

static char *first_of(int kind) {
  return pages + (size_t)kind * PER_KIND * PAGE;
}

/* Writes all pages, and then changes what lies there. */
static void write_and_change(void) {
  const int fd = (int)syscall(SYS_memfd_create, "cut off", 0);
  const size_t bytes = PER_KIND * PAGE;
  require(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
  require(mmap(first_of(CUT_OFF), bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_FIXED, fd, 0) == first_of(CUT_OFF));
  for (int i = 0; i < KINDS * PER_KIND; ++i)
    *(volatile int *)(pages + (size_t)i * PAGE) = i + 1;
  require(mprotect(first_of(FORBIDDEN), bytes, PROT_NONE) == 0);
  require(munmap(first_of(UNMAPPED), bytes) == 0);
  require(ftruncate(fd, 0) == 0);
  close(fd);
}

static void check_page(const pagetide_page *page) {
  const size_t n = (page->address - (uintptr_t)pages) / PAGE;
  switch (n / PER_KIND) {
  case FORBIDDEN:
  case CUT_OFF:
    require(page->state == PAGETIDE_STATE_UNREADABLE);
    break;
  case UNMAPPED:
    require(page->state == PAGETIDE_STATE_GONE);
    break;
  default:
    require(page->state == PAGETIDE_STATE_STABLE);
    require(page->checksum == reference_hash(pages + n * PAGE, PAGE));
  }
}

int main(void) {
  for (const int *signal = (const int[]){SIGSEGV, SIGBUS, 0}; *signal; ++signal)
    require(sigaction(*signal, &(struct sigaction){.sa_handler = counts},
                      NULL) == 0);
  pages = arena(0, KINDS * PER_KIND * PAGE);
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  config.unstable = PAGETIDE_UNSTABLE_CUT;
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  write_and_change();
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(seen.period.cut_ns != 0);
  size_t checked = 0;
  for (size_t i = 0; i < seen.period.page_count; ++i)
    if (seen.pages[i].address - (uintptr_t)pages < KINDS * PER_KIND * PAGE) {
      check_page(&seen.pages[i]);
      ++checked;
    }
  require(checked == KINDS * PER_KIND);
  require(faults == 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
