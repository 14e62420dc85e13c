/*===- sync_waits.c - Threads that wait while periods end -----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// libc writes what a thread waits for when it begins to wait, and again when it
// goes on: the periods between have nothing.
// RUN: %known_sets --ways O0,O2,O2/rw/6 %s

#include "known_sets.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>

/* Where a condition has the number of its users; glibc 2.41 moved it. */
#define USERS offsetof(pthread_cond_t, __data.__wrefs)
/* The size of a group of waiters, with the lock in it. */
#define SIGNAL_LOCK offsetof(pthread_cond_t, __data.__g1_orig_size)

static char *a;
/* On pages of their own. */
static pthread_mutex_t *mutex;
static pthread_cond_t *condition;
static pthread_rwlock_t *rwlock;
static sem_t *semaphore;
static pthread_barrier_t *barrier;
static pthread_spinlock_t *spinlock;
static void **result;

static volatile int waiter; /* its number, once it is about to wait */
static int done[2];

static void may(const void *p, size_t bytes) {
  expect_at(known_period_, thread_id(), p, bytes, "mw");
}

static void may_read(const void *p, size_t bytes) {
  expect_at(known_period_, thread_id(), p, bytes, "mr");
}

static void locks(void *m) { expect_write(m, 16), expect_read(m, 20); }
static void waits_for_semaphore(void) {
  expect_both(semaphore, 8), may_read(semaphore, 12);
}
static void writes(char *l) {
  expect_write(l, 16), expect_write(l + 24, 4);
  expect_read(l, 4), expect_read(l + 48, 4);
}
static void reads(char *l) {
  expect_both(l, 4), may(l + 8, 4), may_read(l + 48, 4);
}
static void who_writes(char *l) { expect_read(l + 24, 8); }
static void begins_wait(void) {
  char *c = (char *)condition;
  expect_write(c, 8), expect_write(c + USERS, 4), may(c, 48), expect_read(c, 48);
  locks(mutex);
}
static void ends_wait(void) {
  char *c = (char *)condition;
  expect_write(c + USERS, 4), may(c, 48), expect_read(c, 48);
  locks(mutex);
}
static void signals(void) {
  char *c = (char *)condition;
  expect_write(c + SIGNAL_LOCK, 4), expect_read(c + USERS, 4), may(c, 48);
}

static void begins(void) { waiter = thread_id(); }
static void goes_on(void) { require(write(done[1], "x", 1) == 1); }

static void *locker(void *unused) {
  locks(mutex), begins();
  require(pthread_mutex_lock(mutex) == 0);
  locks(mutex);
  require(pthread_mutex_unlock(mutex) == 0);
  return goes_on(), unused;
}
static void *timed_locker(void *unused) {
  static struct timespec far = {1l << 40, 0};
  expect_both(mutex, 4), expect_read(mutex, 20), may(mutex, 16), begins();
  require(pthread_mutex_timedlock(mutex, &far) == 0);
  locks(mutex);
  require(pthread_mutex_unlock(mutex) == 0);
  return goes_on(), unused;
}
static void *condition_waiter(void *unused) {
  locks(mutex);
  require(pthread_mutex_lock(mutex) == 0);
  begins_wait(), begins();
  require(pthread_cond_wait(condition, mutex) == 0);
  ends_wait();
  require(pthread_mutex_unlock(mutex) == 0);
  return goes_on(), unused;
}
static void *reader(void *unused) {
  reads((char *)rwlock), begins();
  require(pthread_rwlock_rdlock(rwlock) == 0);
  reads((char *)rwlock), who_writes((char *)rwlock);
  require(pthread_rwlock_unlock(rwlock) == 0);
  return goes_on(), unused;
}
static void *writer(void *unused) {
  writes((char *)rwlock), begins();
  require(pthread_rwlock_wrlock(rwlock) == 0);
  writes((char *)rwlock), expect_read(rwlock, 16);
  who_writes((char *)rwlock);
  require(pthread_rwlock_unlock(rwlock) == 0);
  return goes_on(), unused;
}
static void *semaphore_waiter(void *unused) {
  waits_for_semaphore(), begins();
  require(sem_wait(semaphore) == 0);
  waits_for_semaphore();
  return goes_on(), unused;
}
static void *arrival(void *unused) {
  expect_both(barrier, 8), expect_read(barrier, 16), begins();
  pthread_barrier_wait(barrier);
  expect_write((char *)barrier + 16, 4), expect_read(barrier, 20);
  may(barrier, 8);
  return goes_on(), unused;
}
static void *spinner(void *unused) {
  expect_both((void *)spinlock, 4), begins();
  require(pthread_spin_lock(spinlock) == 0);
  expect_both((void *)spinlock, 4);
  return goes_on(), unused;
}
static volatile int joins;
static void *joiner(void *arg) {
  pthread_t thread;
  require(pthread_create(&thread, NULL, semaphore_waiter, NULL) == 0);
  while (!waiter)
    usleep(100);
  wait_until_blocked(waiter);
  joins = thread_id();
  require(pthread_join(thread, result) == 0);
  expect_write(result, 8);
  return goes_on(), arg;
}

/* Cancelled where it waits: libc takes the mutex again for the handlers. */
static void unlock(void *m) {
  ends_wait();
  require(pthread_mutex_unlock((pthread_mutex_t *)m) == 0);
}
static void *cancelled_on_condition(void *unused) {
  locks(mutex);
  require(pthread_mutex_lock(mutex) == 0);
  begins_wait(), begins();
  pthread_cleanup_push(unlock, mutex);
  for (;;)
    pthread_cond_wait(condition, mutex);
  pthread_cleanup_pop(0);
  return unused;
}
static void waited(void *unused) { waits_for_semaphore(), (void)unused; }
static void *cancelled_on_semaphore(void *unused) {
  waits_for_semaphore(), begins();
  pthread_cleanup_push(waited, NULL);
  for (;;)
    sem_wait(semaphore);
  pthread_cleanup_pop(0);
  return unused;
}

/* A handler jumps out of the wait. */
static sigjmp_buf out;
static void jump(int number) { siglongjmp(out, number); }
static void *jumper(void *unused) {
  waits_for_semaphore();
  if (!sigsetjmp(out, 1)) {
    begins();
    for (;;)
      sem_wait(semaphore);
  }
  return goes_on(), unused;
}

static pthread_t begin(void *(*run)(void *)) {
  pthread_t thread;
  waiter = 0;
  require(pthread_create(&thread, NULL, run, NULL) == 0);
  while (!waiter)
    usleep(100);
  return thread;
}
static void end(pthread_t thread) {
  char byte;
  require(read(done[0], &byte, 1) == 1);
  pthread_join(thread, NULL);
  end_period();
}
static pthread_t begin_and_block(void *(*run)(void *)) {
  pthread_t thread = begin(run);
  wait_until_blocked(waiter);
  end_period(), end_period(); /* nothing in the second */
  return thread;
}

static void locks_and_conditions(void) {
  locks(mutex);
  require(pthread_mutex_lock(mutex) == 0);
  pthread_t thread = begin_and_block(locker);
  locks(mutex);
  require(pthread_mutex_unlock(mutex) == 0);
  end(thread);

  locks(mutex);
  require(pthread_mutex_lock(mutex) == 0);
  thread = begin_and_block(timed_locker);
  locks(mutex);
  require(pthread_mutex_unlock(mutex) == 0);
  end(thread);

  thread = begin_and_block(condition_waiter);
  signals();
  require(pthread_cond_signal(condition) == 0);
  end(thread);

  thread = begin_and_block(condition_waiter);
  locks(mutex);
  require(pthread_mutex_lock(mutex) == 0);
  signals();
  require(pthread_cond_broadcast(condition) == 0);
  require(pthread_mutex_unlock(mutex) == 0);
  end(thread);
}

/* Until the thread has had more of the processor than it has to settle in. */
static void let_burn(pthread_t thread) {
  clockid_t clock;
  struct timespec first, now;
  require(pthread_getcpuclockid(thread, &clock) == 0);
  clock_gettime(clock, &first);
  do
    clock_gettime(clock, &now);
  while ((now.tv_sec - first.tv_sec) * 1000000000l + now.tv_nsec <
         first.tv_nsec + 5000000);
}

static void others(void) {
  writes((char *)rwlock);
  require(pthread_rwlock_wrlock(rwlock) == 0);
  pthread_t thread = begin_and_block(reader);
  writes((char *)rwlock), expect_read(rwlock, 16);
  who_writes((char *)rwlock);
  require(pthread_rwlock_unlock(rwlock) == 0);
  end(thread);
  reads((char *)rwlock);
  require(pthread_rwlock_rdlock(rwlock) == 0);
  thread = begin_and_block(writer);
  reads((char *)rwlock), who_writes((char *)rwlock);
  require(pthread_rwlock_unlock(rwlock) == 0);
  end(thread);

  thread = begin_and_block(semaphore_waiter);
  waits_for_semaphore();
  require(sem_post(semaphore) == 0);
  end(thread);

  thread = begin_and_block(arrival);
  expect_both(barrier, 20);
  may(barrier, 8);
  pthread_barrier_wait(barrier);
  end(thread);

  expect_both((void *)spinlock, 4);
  require(pthread_spin_lock(spinlock) == 0);
  thread = begin(spinner);
  let_burn(thread), end_period(); /* no call to be blocked in */
  let_burn(thread), end_period(); /* or it would not be settled */
  expect_write((void *)spinlock, 4);
  require(pthread_spin_unlock(spinlock) == 0);
  end(thread);

  thread = begin(joiner);
  while (!joins)
    usleep(100);
  wait_until_blocked(joins);
  end_period(), end_period();
  waits_for_semaphore();
  require(sem_post(semaphore) == 0);
  char byte;
  require(read(done[0], &byte, 1) == 1); /* of the one that is joined */
  end(thread);
}

static void leaves(void) {
  pthread_t thread = begin_and_block(cancelled_on_condition);
  require(pthread_cancel(thread) == 0);
  goes_on(), end(thread);
  thread = begin_and_block(cancelled_on_semaphore);
  require(pthread_cancel(thread) == 0);
  goes_on(), end(thread);

  struct sigaction action = {.sa_handler = jump};
  sigaction(SIGUSR1, &action, NULL);
  thread = begin_and_block(jumper);
  require(pthread_kill(thread, SIGUSR1) == 0);
  end(thread);
}

static pthread_once_t *control;
static void over_a_period(void) {
  end_period();
  expect_write(control, 4);
}

int main(void) {
  a = arena(0, 16 * PAGE);
  require(pipe(done) == 0);
  mutex = (pthread_mutex_t *)(a + 2 * PAGE - 16);
  condition = (pthread_cond_t *)(a + 4 * PAGE - 32);
  rwlock = (pthread_rwlock_t *)(a + 6 * PAGE - 8);
  semaphore = (sem_t *)(a + 8 * PAGE - 8);
  barrier = (pthread_barrier_t *)(a + 10 * PAGE - 16);
  spinlock = (pthread_spinlock_t *)(a + 11 * PAGE);
  result = (void **)(a + 12 * PAGE);
  control = (pthread_once_t *)(a + 13 * PAGE);
  expect_read(control, 4), expect_write(control, 4);
  require(pthread_once(control, over_a_period) == 0);
  end_period();
  /* Of zeros: an initial mutex, condition, lock and semaphore. */
  require(pthread_barrier_init(barrier, NULL, 2) == 0);
  require(pthread_spin_init(spinlock, 0) == 0);
  expect_write(barrier, 20), expect_write((void *)spinlock, 4);
  end_period();
  locks_and_conditions();
  others();
  leaves();
  return 0;
}
