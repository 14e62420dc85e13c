/*===- api_absent.c - The C API where the runtime is not in the process ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Links without libpagetide, in every dialect that the header promises, and
// does nothing: each call says so.
// RUN: %clang -std=c99 -pedantic -Wall -Wextra -Werror -I %include %s -o %t.c99
// RUN: %t.c99 absent
// RUN: %clang -std=c17 -O2 -fPIE -pie -Wall -Wextra -Werror -I %include %s \
// RUN:   -o %t.pie
// RUN: %t.pie absent
// RUN: %clang -std=c99 -O2 -static -Wall -Wextra -Werror -I %include %s \
// RUN:   -o %t.static
// RUN: %t.static absent
// RUN: %clangxx -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -I %include \
// RUN:   %s -o %t.cxx11
// RUN: %t.cxx11 absent
// RUN: %clangxx -x c++ -std=c++20 -O2 -Wall -Wextra -Werror -I %include %s \
// RUN:   -o %t.cxx20
// RUN: %t.cxx20 absent
//
// The same plain program linked with the runtime: present.
// RUN: %clang -std=c99 -Wall -Wextra -Werror -I %include %s -o %t.present \
// RUN:   %link_pagetide
// RUN: %t.present plain
//
// And instrumented.
// RUN: %clang_pagetide -std=c99 -pedantic -Wall -Wextra -Werror -I %include \
// RUN:   %s -o %t.marked %link_pagetide
// RUN: %t.marked instrumented
// RUN: %clangxx_pagetide -x c++ -std=c++11 -O2 -pedantic -Wall -Wextra \
// RUN:   -Werror -I %include -c %s -o %t.o
// RUN: %clangxx_pagetide %t.o -o %t.marked11 %link_pagetide
// RUN: %t.marked11 instrumented

#include <pagetide/pagetide.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *call, int got, int want) {
  if (got == want)
    return;
  ++failures;
  fprintf(stderr, "%s: %d (%s), not %d (%s)\n", call, got,
          pagetide_status_string(got), want, pagetide_status_string(want));
}
#define CHECK(call, want) check(#call, call, want)

static void callback(const pagetide_period *period, void *user) {
  (void)period;
  ++*(int *)user;
}

static char page[3 * 4096];

static void absent(void) {
  pagetide_config config;
  pagetide_run run;
  size_t count = 77;
  int calls = 0;
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  CHECK(pagetide_present(), 0);
  CHECK(pagetide_start(NULL), PAGETIDE_ABSENT);
  CHECK(pagetide_start(&config), PAGETIDE_ABSENT);
  CHECK(pagetide_on_period(callback, &calls), PAGETIDE_ABSENT);
  CHECK(pagetide_set_period(1000000), PAGETIDE_ABSENT);
  CHECK(pagetide_period_end(), PAGETIDE_ABSENT);
  CHECK(pagetide_watch(page, sizeof page), PAGETIDE_ABSENT);
  CHECK(pagetide_unwatch(page, sizeof page), PAGETIDE_ABSENT);
  CHECK(pagetide_query(page, sizeof page), PAGETIDE_ABSENT);
  CHECK(pagetide_collect(page, sizeof page, &run, 1, &count), PAGETIDE_ABSENT);
  CHECK(pagetide_mark_read(page, 1), PAGETIDE_ABSENT);
  CHECK(pagetide_mark_written(page, 1), PAGETIDE_ABSENT);
  CHECK(pagetide_leave_out_begin(), PAGETIDE_ABSENT);
  CHECK(pagetide_leave_out_end(), PAGETIDE_ABSENT);
  CHECK(pagetide_flush(), PAGETIDE_ABSENT);
  CHECK(pagetide_stop(), PAGETIDE_ABSENT);
  CHECK(calls, 0);
  CHECK((int)count, 77);
}

static void present(int instrumented) {
  pagetide_config config;
  int calls = 0, bits;
  char *middle = (char *)(((size_t)page + 4095) / 4096 * 4096);
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  CHECK(pagetide_present(), 1);
  CHECK(pagetide_start(&config), PAGETIDE_OK);
  CHECK(pagetide_on_period(callback, &calls), PAGETIDE_OK);
  *(volatile char *)middle = 1;
  bits = pagetide_query(middle, 1);
  CHECK(bits, instrumented ? PAGETIDE_WRITTEN : 0);
  CHECK(pagetide_mark_read(middle, 1), PAGETIDE_OK);
  bits = pagetide_query(middle, 1);
  CHECK(bits, instrumented ? PAGETIDE_READ | PAGETIDE_WRITTEN : PAGETIDE_READ);
  CHECK(pagetide_period_end(), PAGETIDE_OK);
  CHECK(calls, 1);
  CHECK(pagetide_stop(), PAGETIDE_OK);
  CHECK(calls, 2);
}

int main(int argc, char **argv) {
  int status;
  if (argc != 2)
    return 2;
  if (strcmp(argv[1], "absent") == 0)
    absent();
  else
    present(strcmp(argv[1], "instrumented") == 0);
  /* Every status has words of its own, and so has any other number. */
  for (status = -20; status < 20; ++status)
    if (!pagetide_status_string(status) || !*pagetide_status_string(status))
      ++failures;
  for (status = PAGETIDE_IO; status < PAGETIDE_OK; ++status)
    if (strcmp(pagetide_status_string(status),
               pagetide_status_string(status + 1)) == 0)
      ++failures;
  return failures != 0;
}
