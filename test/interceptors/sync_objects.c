/*===- sync_objects.c - What libc writes in mutexes and their like ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Nobody waits here; sync_waits.c is about those who do. Each object lies across
// the boundary of two granules in several ways, so that each word counts.
// RUN: %known_sets --ways O2,O2/access,O2/write,O2/rw/6 %s

#include "known_sets.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

/* Where a condition has the number of its users; glibc 2.41 moved it. */
#define USERS offsetof(pthread_cond_t, __data.__wrefs)

#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))

static char *a, *b;
HIDDEN static int get(const void *p) { return *(const volatile int *)p; }
HIDDEN static uintptr_t word(const void *p) {
  return *(const volatile uintptr_t *)p;
}

static void may(const void *p, size_t bytes) {
  expect_at(known_period_, thread_id(), p, bytes, "mw");
}
static void may_read(const void *p, size_t bytes) {
  expect_at(known_period_, thread_id(), p, bytes, "mr");
}
static void done(void) { end_period(); }

static const struct timespec *never(void) { /* long past */
  static struct timespec t;
  return &t;
}

static void locks(char *m) { expect_write(m, 16), expect_read(m, 20), done(); }

/* Whether a granule's end lies within. */
static int apart(const char *p, size_t bytes) {
  return (uintptr_t)p / PAGE != ((uintptr_t)p + bytes - 1) / PAGE;
}

/* The caller gave up waiting. */
static void gives_up(char *m) {
  expect_write(m, 4), may(m, 16), expect_read(m, 20), done();
}

static void mutexes(char *at) {
  pthread_mutex_t *m = (pthread_mutex_t *)at;
  require(pthread_mutex_init(m, NULL) == 0);
  expect_write(m, 40), done();
  require(pthread_mutex_lock(m) == 0);
  locks(at);
  require(pthread_mutex_trylock(m) == EBUSY);
  expect_read(m, 20), may(m, 16), done();
  require(pthread_mutex_destroy(m) == EBUSY);
  expect_read(at + 12, 8), done();
  require(pthread_mutex_unlock(m) == 0);
  locks(at);
  require(pthread_mutex_trylock(m) == 0);
  locks(at);
  require(pthread_mutex_timedlock(m, never()) == ETIMEDOUT);
  gives_up(at);
  require(pthread_mutex_clocklock(m, CLOCK_REALTIME, never()) == ETIMEDOUT);
  gives_up(at);
  require(pthread_mutex_unlock(m) == 0);
  locks(at);
  struct timespec *time = (struct timespec *)(b + PAGE - 8);
  require(pthread_mutex_timedlock(m, time) == 0);
  may_read(time, 16), locks(at);
  require(pthread_mutex_unlock(m) == 0);
  locks(at);
  require(pthread_mutex_destroy(m) == 0);
  expect_read(at + 12, 8), expect_write(at + 16, 4), done();

  mtx_t *c = (mtx_t *)at;
  require(mtx_init(c, mtx_plain) == thrd_success);
  expect_write(m, 40), done();
  require(mtx_lock(c) == thrd_success);
  locks(at);
  require(mtx_trylock(c) == thrd_busy);
  expect_read(m, 20), may(m, 16), done();
  require(mtx_unlock(c) == thrd_success);
  locks(at);
  require(mtx_timedlock(c, never()) == thrd_success);
  locks(at);
  require(mtx_unlock(c) == thrd_success);
  locks(at);
  mtx_destroy(c);
  expect_read(at + 12, 8), expect_write(at + 16, 4), done();
}

static void kinds_of_mutexes(char *at) {
  pthread_mutex_t *m = (pthread_mutex_t *)at;
  pthread_mutexattr_t *attr = (pthread_mutexattr_t *)(b + 3 * PAGE);
  int *old = (int *)(b + 5 * PAGE);
  require(pthread_mutexattr_init(attr) == 0);
  expect_write(attr, 4), done();
  require(pthread_mutexattr_settype(attr, PTHREAD_MUTEX_RECURSIVE) == 0);
  expect_both(attr, 4), done();
  require(pthread_mutexattr_settype(attr, 99) == EINVAL);
  done();
  require(pthread_mutex_init(m, attr) == 0);
  expect_read(attr, 4), expect_write(m, 40), done();
  require(pthread_mutex_lock(m) == 0);
  locks(at);
  require(pthread_mutex_lock(m) == 0);
  expect_write(at + 4, 4), expect_read(at, 20), done();
  require(pthread_mutex_unlock(m) == 0);
  expect_write(at + 4, 4), expect_read(at + 4, 16), done();
  require(pthread_mutex_unlock(m) == 0);
  locks(at);

  require(pthread_mutexattr_settype(attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
  require(pthread_mutex_init(m, attr) == 0);
  require(pthread_mutex_lock(m) == 0);
  expect_both(attr, 4), expect_write(m, 40), locks(at);
  require(pthread_mutex_lock(m) == EDEADLK);
  if (!apart(at, 20)) /* an attempt; looked at only where words count */
    expect_write(m, 16);
  expect_read(m, 20), done();
  require(pthread_mutex_unlock(m) == 0);
  require(pthread_mutex_unlock(m) == EPERM);
  locks(at);

  require(pthread_mutexattr_settype(attr, PTHREAD_MUTEX_ADAPTIVE_NP) == 0);
  require(pthread_mutexattr_setprotocol(attr, PTHREAD_PRIO_INHERIT) == 0);
  require(pthread_mutex_init(m, attr) == 0);
  require(pthread_mutex_lock(m) == 0 && pthread_mutex_unlock(m) == 0);
  expect_both(attr, 4), expect_write(m, 40), locks(at);

  require(pthread_mutexattr_settype(attr, PTHREAD_MUTEX_NORMAL) == 0);
  require(pthread_mutexattr_setprotocol(attr, PTHREAD_PRIO_PROTECT) == 0);
  require(pthread_mutexattr_setprioceiling(attr, 1) == 0);
  require(pthread_mutexattr_setpshared(attr, PTHREAD_PROCESS_SHARED) == 0);
  require(pthread_mutex_init(m, attr) == 0);
  expect_both(attr, 4), expect_write(m, 40), done();
  require(pthread_mutex_getprioceiling(m, old) == 0 && get(old) == 1);
  expect_read(at, 20), expect_write(old, 4), done();
  require(pthread_mutex_setprioceiling(m, 2, old) == 0);
  require(get(old) == 1);
  expect_write(old, 4), gives_up(at);
}

/* A thread's robust mutexes are in a list, each next to the one before it. */
static void robust_mutexes(char *at) {
  pthread_mutex_t *m = (pthread_mutex_t *)at;
  pthread_mutex_t *first = (pthread_mutex_t *)(b + 8 * PAGE - 24);
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  require(pthread_mutex_init(first, &attr) == 0);
  require(pthread_mutex_init(m, &attr) == 0);
  require(pthread_mutex_lock(first) == 0);
  expect_write(m, 40), expect_write(first, 40), expect_read(first, 20), done();
  require(pthread_mutex_lock(m) == 0);
  require(word((char *)first + 24) == (uintptr_t)at + 32); /* its neighbour */
  expect_write(at + 24, 16), expect_write((char *)first + 24, 8), locks(at);
  require(pthread_mutex_unlock(first) == 0); /* the list's other side */
  expect_write(first, 16), expect_write((char *)first + 24, 16);
  expect_read(first, 40), expect_write(at + 32, 8), done();
  require(pthread_mutex_consistent(m) == EINVAL);
  expect_read(at + 8, 4), expect_read(at + 16, 4), done();
  require(pthread_mutex_unlock(m) == 0);
  expect_both(at + 24, 16), locks(at);
}

static void conditions(char *at) {
  pthread_cond_t *c = (pthread_cond_t *)at;
  pthread_mutex_t *m = (pthread_mutex_t *)(b + PAGE - 16);
  pthread_condattr_t *attr = (pthread_condattr_t *)(b + 3 * PAGE);
  require(pthread_condattr_init(attr) == 0);
  expect_write(attr, 4), done();
  require(pthread_condattr_setclock(attr, CLOCK_MONOTONIC) == 0);
  require(pthread_condattr_setpshared(attr, PTHREAD_PROCESS_PRIVATE) == 0);
  expect_both(attr, 4), done();
  require(pthread_cond_init(c, attr) == 0);
  expect_read(attr, 4), expect_write(c, 48), expect_read(at + USERS, 4), done();
  require(pthread_cond_signal(c) == 0 && pthread_cond_broadcast(c) == 0);
  expect_read(at + USERS, 4), may(c, 48), done();
  require(pthread_mutex_init(m, NULL) == 0 && pthread_mutex_lock(m) == 0);
  expect_write(m, 40), expect_read(m, 20), done();
  require(pthread_cond_timedwait(c, m, never()) == ETIMEDOUT);
  expect_write(at, 8), expect_write(at + USERS, 4), may(c, 48), expect_read(c, 48);
  locks((char *)m);
  require(pthread_cond_clockwait(c, m, CLOCK_REALTIME, never()) == ETIMEDOUT);
  expect_write(at, 8), expect_write(at + USERS, 4), may(c, 48), expect_read(c, 48);
  locks((char *)m);
  require(pthread_cond_destroy(c) == 0);
  expect_both(at + USERS, 4), done();

  cnd_t *d = (cnd_t *)at;
  require(cnd_init(d) == thrd_success);
  expect_write(d, 48), done();
  require(cnd_signal(d) == thrd_success && cnd_broadcast(d) == thrd_success);
  expect_read(at + USERS, 4), may(d, 48), done();
  require(cnd_timedwait(d, (mtx_t *)m, never()) == thrd_timedout);
  expect_write(at, 8), expect_write(at + USERS, 4), may(d, 48), expect_read(d, 48);
  locks((char *)m);
  cnd_destroy(d), expect_both(at + USERS, 4), done();
}

static void takes(char *l, int writer) {
  expect_write(l, writer ? 16 : 4), expect_read(l, 4);
  if (writer)
    expect_write(l + 24, 4), expect_read(l + 48, 4);
  else
    may(l + 8, 4), may_read(l + 48, 4);
}
static void lets_go(char *l, int writer) {
  takes(l, writer);
  expect_read(l + 24, 8), expect_read(l, writer ? 16 : 4), done();
}
static void would_wait(char *l, int writer) {
  takes(l, writer), expect_read(l + 24, 8), done();
}
static void tries(char *l) {
  expect_read(l, 4), may_read(l + 48, 4), may(l, 28), done();
}

static void rwlocks(char *at) {
  pthread_rwlock_t *l = (pthread_rwlock_t *)at;
  pthread_rwlockattr_t *attr = (pthread_rwlockattr_t *)(b + 3 * PAGE - 4);
  require(pthread_rwlockattr_init(attr) == 0);
  expect_write(attr, 8), done();
  require(pthread_rwlockattr_setkind_np(attr, 1) == 0);
  expect_write(attr, 4), done();
  require(pthread_rwlockattr_setpshared(attr, PTHREAD_PROCESS_PRIVATE) == 0);
  expect_write((char *)attr + 4, 4), done();
  require(pthread_rwlock_init(l, attr) == 0);
  expect_read(attr, 8), expect_write(l, 56), done();
  require(pthread_rwlock_rdlock(l) == 0);
  takes(at, 0), done();
  require(pthread_rwlock_trywrlock(l) == EBUSY);
  tries(at);
  require(pthread_rwlock_unlock(l) == 0);
  lets_go(at, 0);
  require(pthread_rwlock_timedrdlock(l, never()) == 0);
  would_wait(at, 0);
  require(pthread_rwlock_unlock(l) == 0);
  lets_go(at, 0);
  require(pthread_rwlock_wrlock(l) == 0);
  takes(at, 1), done();
  require(pthread_rwlock_tryrdlock(l) == EBUSY);
  tries(at);
  require(pthread_rwlock_rdlock(l) == EDEADLK);
  would_wait(at, 0);
  require(pthread_rwlock_unlock(l) == 0);
  lets_go(at, 1);
  require(pthread_rwlock_timedwrlock(l, never()) == 0);
  would_wait(at, 1);
  require(pthread_rwlock_unlock(l) == 0);
  lets_go(at, 1);
  require(pthread_rwlock_clockwrlock(l, CLOCK_REALTIME, never()) == 0);
  would_wait(at, 1);
  require(pthread_rwlock_unlock(l) == 0);
  lets_go(at, 1);
  require(pthread_rwlock_destroy(l) == 0);
  done();
}

static void small_ones(char *at) {
  sem_t *s = (sem_t *)at;
  int *value = (int *)(b + 5 * PAGE);
  require(sem_init(s, 0, 1) == 0);
  expect_write(s, 12), done();
  require(sem_getvalue(s, value) == 0 && get(value) == 1);
  expect_read(s, 8), expect_write(value, 4), done();
  require(sem_wait(s) == 0);
  expect_both(s, 8), expect_read(s, 8), may_read(at + 8, 4), done();
  require(sem_trywait(s) == -1);
  expect_read(s, 8), done();
  require(sem_timedwait(s, never()) == -1);
  expect_both(s, 8), expect_read(s, 8), may_read(at + 8, 4), done();
  require(sem_post(s) == 0);
  expect_both(s, 8), expect_read(s, 8), may_read(at + 8, 4), done();
  require(sem_trywait(s) == 0);
  expect_both(s, 8), done();
  require(sem_clockwait(s, CLOCK_MONOTONIC, never()) == -1);
  expect_both(s, 8), expect_read(s, 8), may_read(at + 8, 4), done();

  pthread_spinlock_t *l = (pthread_spinlock_t *)(at + 8);
  require(pthread_spin_init(l, 0) == 0);
  expect_write((void *)l, 4), done();
  require(pthread_spin_lock(l) == 0);
  expect_both((void *)l, 4), done();
  require(pthread_spin_trylock(l) == EBUSY);
  expect_both((void *)l, 4), done();
  require(pthread_spin_unlock(l) == 0);
  expect_write((void *)l, 4), done();
  require(pthread_spin_destroy(l) == 0);
  done();

  pthread_barrier_t *wall = (pthread_barrier_t *)at;
  pthread_barrierattr_t *attr = (pthread_barrierattr_t *)(b + 3 * PAGE);
  require(pthread_barrierattr_init(attr) == 0);
  expect_write(attr, 4), done();
  require(pthread_barrierattr_setpshared(attr, PTHREAD_PROCESS_SHARED) == 0);
  expect_write(attr, 4), done();
  require(pthread_barrier_init(wall, attr, 1) == 0);
  expect_read(attr, 4), expect_write(wall, 20), done();
  require(pthread_barrier_wait(wall) == PTHREAD_BARRIER_SERIAL_THREAD);
  expect_both(wall, 20), done();
  require(pthread_barrier_destroy(wall) == 0);
  expect_read(wall, 20), expect_write(at + 16, 4), done();

  require(pthread_key_create((pthread_key_t *)value, NULL) == 0);
  expect_write(value, 4), done();
  require(pthread_key_delete((pthread_key_t)get(value)) == 0);
  done();
  require(tss_create((tss_t *)value, NULL) == thrd_success);
  expect_write(value, 4), done();
  tss_delete((tss_t)get(value));
  require(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, value) == 0);
  expect_write(value, 4), done();
  require(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, value) == 0);
  expect_write(value, 4), done();
}

static void attributes(char *at) {
  pthread_attr_t *attr = (pthread_attr_t *)at;
  struct sched_param *priority = (struct sched_param *)(b + 10 * PAGE);
  require(pthread_attr_init(attr) == 0);
  expect_write(attr, 56), done();
  require(pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED) == 0);
  require(pthread_attr_setdetachstate(attr, PTHREAD_CREATE_JOINABLE) == 0);
  require(pthread_attr_setinheritsched(attr, PTHREAD_INHERIT_SCHED) == 0);
  require(pthread_attr_setscope(attr, PTHREAD_SCOPE_SYSTEM) == 0);
  expect_both(at + 8, 4), done();
  require(pthread_attr_setschedpolicy(attr, SCHED_OTHER) == 0);
  expect_write(at + 4, 8), expect_read(at + 8, 4), done();
  require(pthread_attr_setschedparam(attr, priority) == 0);
  expect_read(priority, 4), expect_read(at + 4, 8);
  expect_write(at, 4), expect_write(at + 8, 4), done();
  require(pthread_attr_setguardsize(attr, 4096) == 0);
  expect_write(at + 16, 8), done();
  require(pthread_attr_setstacksize(attr, 1 << 20) == 0);
  expect_write(at + 32, 8), done();
  require(pthread_attr_setstack(attr, b + 16 * PAGE, 64 * PAGE) == 0);
  expect_both(at + 8, 4), expect_write(at + 24, 16), done();
  require(pthread_attr_destroy(attr) == 0);
  expect_read(at + 40, 8), done();
  require(pthread_getattr_np(pthread_self(), attr) == 0);
  expect_write(attr, 56), expect_read(attr, 48), done();
  require(pthread_attr_destroy(attr) == 0);
  expect_read(at + 40, 8);
}

static int runs;
static void run(void) { ++runs; }

static void *nothing(void *result) { return result; }

static void once_and_threads(char *at) {
  pthread_once_t *once = (pthread_once_t *)(at + 8);
  once_flag *flag = (once_flag *)(at + 24);
  require(pthread_once(once, run) == 0);
  expect_both(once, 4), done();
  require(pthread_once(once, run) == 0);
  expect_read(once, 4), done();
  call_once(flag, run), expect_both(flag, 4), done();
  call_once(flag, run), expect_read(flag, 4), done();
  require(runs == 2);
  runs = 0;
  memset(at, 0, 64), expect_write(at, 64), done();

  pthread_t *thread = (pthread_t *)(b + PAGE);
  void **result = (void **)(b + 3 * PAGE);
  require(pthread_create(thread, NULL, nothing, at) == 0);
  expect_write(thread, 8);
  pthread_t id = (pthread_t)word(thread);
  require(pthread_join(id, result) == 0);
  expect_write(result, 8), done();
  require(word(result) == (uintptr_t)at);
}

int main(void) {
  a = arena(0, 16 * PAGE);
  b = arena(1, 128 * PAGE);
  for (size_t before = 0; before <= 56; before += 8) {
    char *at = a + 8 * PAGE - before;
    mutexes(at), memset(at, 0, 64), expect_write(at, 64), done();
    kinds_of_mutexes(at), memset(at, 0, 64), expect_write(at, 64), done();
    robust_mutexes(at), memset(at, 0, 64), expect_write(at, 64), done();
    conditions(at), memset(at, 0, 64), expect_write(at, 64), done();
    rwlocks(at), memset(at, 0, 64), expect_write(at, 64), done();
    small_ones(at), memset(at, 0, 64), expect_write(at, 64), done();
    attributes(at), memset(at, 0, 64), expect_write(at, 64), done();
    once_and_threads(at);
  }
  return 0;
}
