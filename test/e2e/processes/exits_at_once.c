/*===- exits_at_once.c - Ends that come from several sides -----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Several threads call exit() or _exit() at once: one of them ends the program,
// and the last period is whole.
// RUN: %known_sets --ways O1 --traces 1 --info complete --may-carry \
// RUN:   --arg exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --may-carry \
// RUN:   --arg _exit --status 7 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --may-carry \
// RUN:   --arg quick_exit --status 7 %s
// A thread other than main dies of a signal.
// RUN: %known_sets --ways O1 --traces 1 --may-carry --under-record \
// RUN:   --arg segv --status -11 %s
// RUN: %known_sets --ways O1 --traces 1 --may-carry --under-record \
// RUN:   --arg kill --status -9 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --may-carry \
// RUN:   --arg abort --status -6 %s
// Processes exit while their recorders are busy with a snapshot, sooner or later
// after a period's end.
// RUN: %known_sets --timed 1ms --ways O1 --modes process --traces 9 \
// RUN:   --info complete --skip-carried --arg amid_snapshots %s

#include "known_times.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { THREADS = 6, CHILDREN = 8, PAGES = 4096, CHUNK = 64 };

static char *a;
static const char *how;
static pthread_barrier_t together;

static int is(const char *name) { return strcmp(how, name) == 0; }

static void at_exit(void) {
  /* exit() runs its handlers on whichever thread was first: by process. */
  if (is("exit") && strcmp(getenv("PAGETIDE_TEST_MODE"), "process") == 0) {
    a[60 * PAGE] = 1;
    expect_write(a + 60 * PAGE, 1);
  }
}

static void *ends(void *argument) {
  size_t t = (size_t)argument;
  a[t * PAGE] = 1;
  expect_write(a + t * PAGE, 1);
  pthread_barrier_wait(&together);
  if (is("exit"))
    exit(7);
  if (is("_exit"))
    _exit(7);
  if (is("quick_exit"))
    quick_exit(7);
  if (t == 3) {
    if (is("segv"))
      raise(SIGSEGV);
    if (is("kill"))
      kill(getpid(), SIGKILL);
    if (is("abort"))
      abort();
  }
  for (;;)
    pause();
}

/* Writes all pages, a chunk a stamp, and exits `delay` later. */
static void write_and_exit(struct stamp *s, uint64_t delay) {
  for (size_t page = 0; page < PAGES; page += CHUNK, ++s) {
    char *chunk = a + page * GRANULE;
    stamp_begin(s, chunk, CHUNK * GRANULE, 1);
    for (size_t i = 0; i < CHUNK; ++i)
      ((volatile char *)chunk)[i * GRANULE] = 1;
    stamp_end(s);
  }
  uint64_t begin = now_ns();
  while (now_ns() < begin + delay) {
  }
  exit(0);
}

int main(int argc, char **argv) {
  require(argc == 2);
  how = argv[1];
  if (is("amid_snapshots")) {
    a = arena(0, PAGES * GRANULE);
    struct stamp *stamps = map_stamps(CHILDREN * (PAGES / CHUNK) + 1);
    stamp_begin(stamps, a, 1, 1);
    *(volatile char *)a = 1;
    stamp_end(stamps);
    for (int i = 0; i < CHILDREN; ++i) {
      int status, pid = fork();
      require(pid >= 0);
      if (pid == 0)
        write_and_exit(stamps + 1 + i * (PAGES / CHUNK), (uint64_t)i * 100000);
      require(waitpid(pid, &status, 0) == pid);
      require_equal(status, 0);
    }
    return 0;
  }
  a = arena(0, 64 * PAGE);
  atexit(at_exit);
  pthread_barrier_init(&together, NULL, THREADS);
  pthread_t thread;
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&thread, NULL, ends, (void *)t) == 0);
  for (;;)
    pause();
}
