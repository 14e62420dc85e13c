/*===- kernel_at_thread_end.c - What the kernel writes as a thread ends ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Nobody marks these writes, and `audit` lists them: a robust mutex that a
// thread leaves locked, and the word that set_tid_address names.
// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 -g -I %inputs %s -o program
// RUN: (%pagetide audit -p 0 --json -r report -- ./program; test $? = 1)
// RUN: %check_audit --without heap report known

#include "audited.h"

#include <pthread.h>
#include <sys/syscall.h>

static char *pages;
static int go[2], ready[2];

static void *ends(void *unused) {
  char byte;
  pthread_mutex_lock((pthread_mutex_t *)pages);
  REQUIRE(syscall(SYS_set_tid_address, pages + PAGE) > 0);
  REQUIRE(write(ready[1], "x", 1) == 1);
  REQUIRE(read(go[0], &byte, 1) == 1);
  return unused;
}

int main(void) {
  pages = pages_apart(2);
  REQUIRE(pipe(go) == 0 && pipe(ready) == 0);
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init((pthread_mutex_t *)pages, &robust);
  *(volatile int *)(pages + PAGE) = 1;
  pthread_t thread;
  char byte;
  REQUIRE(pthread_create(&thread, NULL, ends, NULL) == 0);
  REQUIRE(read(ready[0], &byte, 1) == 1);
  for (int i = 0; i < 4; ++i)
    end_period();
  REQUIRE(write(go[1], "x", 1) == 1);
  while (*(volatile int *)(pages + PAGE))
    usleep(1000);
  end_period();
  for (int i = 0; i < 2; ++i)
    known("anonymous", pages + i * PAGE, 1);
  return 0;
}
