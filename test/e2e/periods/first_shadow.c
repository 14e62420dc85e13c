/*===- first_shadow.c - Where the first thread's shadow lies ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The first thread's GS base is 0, in a fork of it too: its shadow lies at the
// displacement that marks have. Other threads' are not, nor is that of a program
// which has something there itself, or another sanitizer's shadow. The page sets are
// the same.
// RUN: %known_sets --ways O0,O2,O2/access,O2/rw/12/near --may-carry --arg low \
// RUN:   --traces 2 %s
// RUN: %known_sets --ways O2,O2/rw/12/near --may-carry --arg low --traces 2 \
// RUN:   --flag=-no-pie %s
// RUN: %known_sets --ways O2,O2/rw/12/near --may-carry --arg high --traces 2 \
// RUN:   --flag=-no-pie --flag=-DFAR_SECTION \
// RUN:   --flag=-Wl,--section-start=.far=0x100000000 %s

#include "known_sets.h"

#include <pthread.h>
#include <sys/wait.h>

#ifdef FAR_SECTION
__attribute__((section(".far"), used)) static char far[4096] = {1};
#endif

static char *a;

static unsigned long gs_base(void) {
  enum { ARCH_GET_GS = 0x1004 };
  unsigned long base;
  require(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0);
  return base;
}

static void touch(size_t page) {
  expect_write(a + page * GRANULE, 1);
  *(volatile char *)(a + page * GRANULE) = 1;
  expect_read(a + (page + 2) * GRANULE, 8);
  (void)*(volatile long *)(a + (page + 2) * GRANULE);
}

static void *other(void *argument) {
  require(gs_base() != 0);
  touch(4);
  return argument;
}

int main(int argc, char **argv) {
  require(argc == 2);
  int low = strcmp(argv[1], "low") == 0;
  a = arena(0, 16 * GRANULE);
  require((gs_base() == 0) == low);
  touch(0);
  pthread_t thread;
  require(pthread_create(&thread, NULL, other, NULL) == 0);
  require(pthread_join(thread, NULL) == 0);
  int pid = fork(), status;
  require(pid >= 0);
  if (pid == 0) {
    known_sets_after_fork();
    require((gs_base() == 0) == low);
    touch(8);
    return 0;
  }
  require(waitpid(pid, &status, 0) == pid && status == 0);
  touch(12);
  end_period();
  return 0;
}
