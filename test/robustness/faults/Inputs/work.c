/*===- work.c - A program whose page sets are known, for fault injection ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*
 *
 *   work [as ROLE] PART...   of: periods threads fork callback exec
 *
 * Prints each access to an arena at a fixed address as a line "ROLE PERIOD
 * ADDRESS r|w". It does and prints the same whether it is recorded or not, and
 * whatever fails in the recorder.
 *
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <fcntl.h>
#include <pagetide/pagetide.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPage = 4096, kPages = 4096 };
static char *const kArena = (char *)0x100000000000;
static const char *role = "parent";
static unsigned long period;

static void say(const char *format, unsigned long page, char kind) {
  printf(format, role, period, (unsigned long)kArena + page * kPage, kind);
}
static void writes(unsigned long page) {
  *(volatile char *)(kArena + page * kPage) = 1;
  say("%s %lu 0x%lx %c\n", page, 'w');
}
static void reads(unsigned long page) {
  (void)*(volatile char *)(kArena + page * kPage);
  say("%s %lu 0x%lx %c\n", page, 'r');
}
static void end_period(void) {
  pagetide_period_end();
  ++period;
}

static void periods(void) {
  for (unsigned long i = 0; i < 4; ++i) {
    writes(3 * period);
    writes(3 * period + 1);
    reads(1000 + period);
    end_period();
  }
}

static void *in_thread(void *page) {
  *(volatile char *)(kArena + (unsigned long)page * kPage) = 1;
  return NULL;
}
static void threads(void) {
  for (unsigned long round = 0; round < 2; ++round) {
    pthread_t thread[3];
    for (unsigned long i = 0; i < 3; ++i) {
      unsigned long page = 2000 + 10 * period + i;
      if (pthread_create(&thread[i], NULL, in_thread, (void *)page))
        abort();
      say("%s %lu 0x%lx %c\n", page, 'w');
    }
    for (unsigned long i = 0; i < 3; ++i)
      pthread_join(thread[i], NULL);
    end_period();
  }
}

static void forks(void) {
  int status;
  fflush(stdout);
  pid_t child = fork();
  if (child < 0)
    abort();
  if (!child) {
    role = "child";
    period = 0;
    periods();
    writes(3000);
    exit(7);
  }
  if (waitpid(child, &status, 0) != child)
    abort();
  printf("parent: child's status 0x%x\n", status);
  writes(3001);
  end_period();
}

static void on_period(const pagetide_period *p, void *user) {
  (void)p;
  (void)user;
}

int main(int argc, char **argv) {
  if (mmap(kArena, kPages * kPage, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
           0) != kArena)
    abort();
  for (int i = 1; i < argc; ++i)
    if (!strcmp(argv[i], "periods"))
      periods();
    else if (!strcmp(argv[i], "threads"))
      threads();
    else if (!strcmp(argv[i], "fork"))
      forks();
    else if (!strcmp(argv[i], "as"))
      role = argv[++i];
    else if (!strcmp(argv[i], "callback"))
      pagetide_on_period(on_period, NULL);
    else if (!strcmp(argv[i], "exec")) {
      char *again[] = {argv[0], (char *)"as", (char *)"new", (char *)"periods",
                       NULL};
      writes(3500);
      fflush(stdout);
      execv("/proc/self/exe", again);
      abort();
    } else
      abort();
  writes(3999);
  return 0;
}
