/*===- threads_within_a_period.c - Threads that start and end in one -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --may-carry %s

#include "known_sets.h"

#include <pthread.h>

static char *a;
static pthread_key_t key;

static void *once(void *page) {
  *(volatile char *)page = 1;
  expect_write(page, 1);
  return NULL;
}

/* The last things a thread does: destructors of its keys, up to the last round
 * that the C library grants, and handlers of its cancellation. */
static void in_destructor(void *value) {
  size_t round = (size_t)value;
  volatile char *page = a + (20 + round) * PAGE;
  *page = 1;
  /* In the last round the runtime has let go of the thread already: its last
   * instructions are nobody's in particular. They are not lost. */
  expect_at(known_period_, round < 4 ? thread_id() : 0, page, 1, "w");
  if (round < 4)
    pthread_setspecific(key, (void *)(round + 1));
}
static void *with_destructor(void *unused) {
  pthread_setspecific(key, (void *)1);
  return unused;
}
static void in_cleanup(void *page) { once(page); }
static pthread_barrier_t ready_for_cancellation;
static void *cancelled(void *unused) {
  pthread_cleanup_push(in_cleanup, a + 30 * PAGE);
  once(a + 31 * PAGE);
  pthread_barrier_wait(&ready_for_cancellation);
  for (;;)
    pause();
  pthread_cleanup_pop(0);
  return unused;
}
static void *exits(void *unused) {
  once(a + 32 * PAGE);
  pthread_exit(unused);
}

static int ended_pipe[2];
/* Nobody joins it: the period ends while the thread does, before, or after. */
static void *detached(void *unused) {
  once(a + 33 * PAGE);
  require(write(ended_pipe[1], "x", 1) == 1);
  return unused;
}

static void run(void *(*function)(void *), void *argument) {
  pthread_t thread;
  require(pthread_create(&thread, NULL, function, argument) == 0);
  if (function == cancelled) {
    pthread_barrier_wait(&ready_for_cancellation);
    pthread_cancel(thread);
  }
  require(pthread_join(thread, NULL) == 0);
}

int main(void) {
  a = arena(0, 64 * PAGE);
  pthread_key_create(&key, in_destructor);
  for (int i = 0; i < 10; ++i) {
    run(once, a + i * PAGE);
    if (i == 4)
      end_period();
  }
  end_period();
  run(with_destructor, NULL);
  end_period();
  pthread_barrier_init(&ready_for_cancellation, NULL, 2);
  run(cancelled, NULL);
  end_period();
  run(exits, NULL);
  end_period();

  require(pipe(ended_pipe) == 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  require(pthread_create(&thread, &attributes, detached, NULL) == 0);
  char byte;
  require(read(ended_pipe[0], &byte, 1) == 1);
  end_period();
  return 0;
}
