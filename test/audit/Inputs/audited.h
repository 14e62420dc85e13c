/*===- audited.h - Programs that know what they write without a mark -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef PAGETIDE_TEST_AUDIT_AUDITED_H
#define PAGETIDE_TEST_AUDIT_AUDITED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "plain.h"

#include <pagetide/pagetide.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

#define REQUIRE(condition)                                                     \
  do {                                                                         \
    if (!(condition)) {                                                        \
      static const char text[] = "failed: " #condition "\n";                   \
      (void)!write(2, text, sizeof(text) - 1);                                 \
      _exit(9);                                                                \
    }                                                                          \
  } while (0)

/* Appends a line to the file `known` for check_audit.py. Formatting uses no
 * memory but the stack's. */
static void known(const char *kind, const void *page, int periods) {
  char line[128];
  int bytes = snprintf(
      line, sizeof(line), "%s %#lx %d\n", kind,
      (unsigned long)((uintptr_t)page & ~(uintptr_t)(PAGE - 1)), periods);
  int fd = open("known", O_WRONLY | O_CREAT | O_APPEND, 0600);
  REQUIRE(fd >= 0 && write(fd, line, (size_t)bytes) == bytes);
  close(fd);
}

/* Anonymous memory with inaccessible pages around it, so that it is a mapping
 * of its own. */
static char *pages_apart(size_t count) {
  char *p = (char *)mmap(NULL, (count + 2) * PAGE, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(p != MAP_FAILED);
  REQUIRE(mprotect(p + PAGE, count * PAGE, PROT_READ | PROT_WRITE) == 0);
  return p + PAGE;
}

static void end_period(void) { REQUIRE(pagetide_period_end() == PAGETIDE_OK); }

#endif
