/*===- filled_pages.c - Pages that requests of a userfaultfd fill
 *-----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: userfaultfd
// RUN: %build_c -O1 %s -o %t
// RUN: %pagetide record -p 0 --no-output -- %t

#define _GNU_SOURCE

#include "require.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pagetide/pagetide.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 8 };

static char *map(void) {
  char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(p != MAP_FAILED);
  return p;
}

/* Of `pages` pages, the first `done` have these states, the others none. */
static void require_states(const char *p, int pages, int done, int states) {
  for (int i = 0; i < pages; ++i)
    require_equal(pagetide_query(p + i * PAGE, PAGE), i < done ? states : 0);
}

int main(void) {
  const int uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1);
  struct uffdio_api api = {.api = UFFD_API};
  require(uffd >= 0 && ioctl(uffd, UFFDIO_API, &api) == 0);
  char *filled = map(), *source = map();
  memset(source, 1, PAGES * PAGE);
  struct uffdio_register all = {.range = {(uintptr_t)filled, PAGES * PAGE},
                                .mode = UFFDIO_REGISTER_MODE_MISSING};
  require(ioctl(uffd, UFFDIO_REGISTER, &all) == 0);

  /* It may be another process's memory. */
  require(pagetide_period_end() == 0);
  struct uffdio_copy copy = {.dst = (uintptr_t)filled + PAGE,
                             .src = (uintptr_t)source,
                             .len = 2 * PAGE};
  require(ioctl(uffd, UFFDIO_COPY, &copy) == 0);
  require_states(filled, 1, 0, 0);
  require_states(filled + PAGE, 4, 2, PAGETIDE_MAY_WRITTEN);
  require_states(source, 4, 2, PAGETIDE_READ);

  /* A part was done before the page that is there. */
  require(pagetide_period_end() == 0);
  struct uffdio_zeropage zero = {.range = {(uintptr_t)filled, 2 * PAGE}};
  require(ioctl(uffd, UFFDIO_ZEROPAGE, &zero) == -1 && zero.zeropage == PAGE);
  require_states(filled, 4, 1, PAGETIDE_MAY_WRITTEN);

  /* Nothing was done. */
  require(pagetide_period_end() == 0);
  require(ioctl(uffd, UFFDIO_COPY, &copy) == -1 && errno == EEXIST);
  require_states(filled, PAGES, 0, 0);
  require_states(source, PAGES, 0, 0);
  return 0;
}
