/*===- sites.c - Places that touch pages of their own ----------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The comments at the ends of lines are what sites.py looks for.
 *
 *===----------------------------------------------------------------------===*/

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64 };

static char *area;

static inline __attribute__((always_inline)) void put(char *at, char value) {
  *(volatile char *)at = value; /* put */
}

__attribute__((noinline)) static int look(const char *at, int pages) {
  int sum = 0;
  for (int page = 0; page < pages; ++page)
    sum += *(const volatile char *)(at + page * PAGE); /* look */
  return sum;
}

__attribute__((noinline)) static void write_five(char *at) {
  for (int page = 0; page < 5; ++page)
    put(at + page * PAGE, 1); /* write_five */
}

/* The second thread writes pages that the first one has read. */
static void *work(void *argument) {
  char *at = argument;
  for (int page = 0; page < 3; ++page)
    *(volatile char *)(at + page * PAGE) = 2; /* work */
  return NULL;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  area = mmap((void *)0x100000000000, PAGES * PAGE, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (area == MAP_FAILED)
    return 1;
  write_five(area);
  int sum = look(area + 16 * PAGE, 7);
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, area + 16 * PAGE))
    return 1;
  pthread_join(thread, NULL);
  /* The length is not known to the compiler: libc does it. */
  memset(area + 32 * PAGE, 3, (size_t)(argc + 1) * PAGE); /* memset */
  char *text = area + 40 * PAGE;
  snprintf(text, PAGE, "%s and %d", argv[0], sum); /* snprintf */
  if (!strcmp(mode, "killed")) {
    sleep(1); /* The trace gets the tables soon after the start. */
    kill(getpid(), SIGKILL);
  }
  if (!strcmp(mode, "fork")) {
    const pid_t child = fork();
    if (child == 0) {
      write_five(area + 48 * PAGE);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
  puts("ok");
  return 0;
}
