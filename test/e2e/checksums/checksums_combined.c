/*===- checksums_combined.c - The combined checksum, and what it omits -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t && %t

#include "recording.h"
#include "reference_hash.h"

enum { PAGES = 500 };

static char *a;

static void check_period(size_t stable, size_t left_out) {
  require_equal(seen.period.page_count, stable + left_out);
  require_equal(seen.period.stable_count, stable);
  require_equal(seen.period.left_out_count, left_out);
  uint64_t combined = 0;
  size_t counted = 0;
  for (size_t i = 0; i < seen.period.page_count; ++i) {
    const pagetide_page *page = &seen.pages[i];
    if (page->state != PAGETIDE_STATE_STABLE) {
      require_equal(page->checksum, 0);
      continue;
    }
    ++counted;
    require_equal(page->checksum,
                  reference_hash((void *)page->address, PAGE));
    combined += reference_combined(page->address, page->checksum);
  }
  require_equal(counted, stable);
  require_equal(seen.period.combined_checksum, combined);
}

int main(void) {
  a = arena(0, 2 * PAGES * PAGE);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  require_status(pagetide_start(&config), PAGETIDE_OK);

  for (size_t i = 0; i < PAGES; ++i)
    a[i * PAGE + i] = (char)(i + 1);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  check_period(PAGES, 0);
  uint64_t first = seen.period.combined_checksum;
  require(first != 0);

  /* The order in which pages were written does not matter, nor does writing
   * what is there. */
  for (size_t i = 0; i < PAGES; ++i) {
    size_t k = (i * 373 + 11) % PAGES;
    a[k * PAGE + k] = (char)(k + 1);
  }
  require_status(pagetide_period_end(), PAGETIDE_OK);
  check_period(PAGES, 0);
  require_equal(seen.period.combined_checksum, first);

  /* The contents do, and so does the place. */
  for (size_t i = 0; i < PAGES; ++i)
    a[i * PAGE + i] = (char)(i + 1);
  a[77 * PAGE] ^= 1;
  require_status(pagetide_period_end(), PAGETIDE_OK);
  check_period(PAGES, 0);
  require(seen.period.combined_checksum != first);
  for (size_t i = 0; i < PAGES; ++i)
    a[(PAGES + i) * PAGE + i] = (char)(i + 1);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  check_period(PAGES, 0);
  require(seen.period.combined_checksum != first);

  for (size_t i = 0; i < PAGES; ++i)
    a[i * PAGE + i] = (char)(i + 1);
  munmap(a + 10 * PAGE, 5 * PAGE);
  mprotect(a + 20 * PAGE, 2 * PAGE, PROT_NONE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  check_period(PAGES - 7, 7);
  for (size_t i = 0; i < 5; ++i)
    require_equal(page_of(a + (10 + i) * PAGE)->state, PAGETIDE_STATE_GONE);
  require_equal(page_of(a + 20 * PAGE)->state, PAGETIDE_STATE_UNREADABLE);

  require_status(pagetide_period_end(), PAGETIDE_OK);
  check_period(0, 0);
  require_equal(seen.period.combined_checksum, 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
