/*===- sync_states.c - Each call on a lock in each of its states -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The runtime tries some locks before it waits for them. So it calls another
 * function than the program. What the program sees has to be the same: for each
 * kind of lock and each state, the results of each pair of calls, and the words
 * of the lock after each.
 *
 *===----------------------------------------------------------------------===*/

// RUN: %plain_c -O1 %s -o %t.plain
// RUN: %t.plain > %t.natively
// RUN: %build_c -O1 %s -o %t
// RUN: %t > %t.unrecorded
// RUN: diff %t.natively %t.unrecorded
// RUN: %pagetide record -p 0 -o %t.run -- %t > %t.recorded
// RUN: diff %t.natively %t.recorded
// RUN: FileCheck %s --input-file=%t.natively

// CHECK: mutex type 0, robust 0, protocol 2, free: lock 22 {{.*}}, trylock 0
// CHECK: mutex type 0, robust 1, protocol 0, cannot be recovered: lock 131
// {{.*}}, lock 131

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const struct timespec past = {0, 0};

//===- Mutexes ------------------------------------------------------------===//

enum state { FREE, OWN, OTHERS, OWNER_DEAD, UNRECOVERABLE, MUTEX_STATES };
static const char *const mutex_states[] = {"free", "own", "another's",
                                           "owner dead", "cannot be recovered"};

/* A new one each time: a thread keeps a list of the robust ones it holds. */
static pthread_mutex_t *mutex;
static sem_t held, finish;

static void *hold(void *let_go) {
  pthread_mutex_lock(mutex);
  sem_post(&held);
  if (let_go) {
    sem_wait(&finish);
    pthread_mutex_unlock(mutex);
  }
  return NULL;
}

enum call {
  LOCK,
  TRY,
  UNTIL,
  BY_CLOCK,
  MTX_LOCK,
  MTX_TRY,
  MTX_UNTIL,
  UNLOCK,
  CONSISTENT,
  DESTROY,
  MUTEX_CALLS
};
static const char *const mutex_calls[] = {
    "lock",        "trylock",       "timedlock", "clocklock",  "mtx_lock",
    "mtx_trylock", "mtx_timedlock", "unlock",    "consistent", "destroy"};

static int call_mutex(enum call call) {
  switch (call) {
  case LOCK:
    return pthread_mutex_lock(mutex);
  case TRY:
    return pthread_mutex_trylock(mutex);
  case UNTIL:
    return pthread_mutex_timedlock(mutex, &past);
  case BY_CLOCK:
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &past);
  case MTX_LOCK:
    return mtx_lock((mtx_t *)mutex);
  case MTX_TRY:
    return mtx_trylock((mtx_t *)mutex);
  case MTX_UNTIL:
    return mtx_timedlock((mtx_t *)mutex, &past);
  case UNLOCK:
    return pthread_mutex_unlock(mutex);
  case CONSISTENT:
    return pthread_mutex_consistent(mutex);
  default:
    return pthread_mutex_destroy(mutex);
  }
}

static int waits(enum call call) { return call == LOCK || call == MTX_LOCK; }

/* Takes the caller's number out of what is printed. */
static unsigned without_owner(unsigned word) {
  return (word & 0x3fffffff) == (unsigned)gettid() ? (word & 0xc0000000) | 1
                                                   : word;
}
static void print_mutex(enum call call, int result) {
  const int *words = (const int *)mutex;
  printf(" %s %d (", mutex_calls[call], result);
  for (int i = 0; i < 5; ++i)
    printf(i ? ",%x" : "%x", i == 0 || i == 2 /* lock and owner */
                                 ? without_owner((unsigned)words[i])
                                 : (unsigned)words[i]);
  printf(")");
}

struct attempt {
  enum state state;
  enum call first, second;
};

static void *attempt_calls(void *p) {
  const struct attempt *a = p;
  if (a->state == OWN)
    pthread_mutex_lock(mutex);
  if (a->state == UNRECOVERABLE) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
  }
  /* Others' numbers differ from run to run. */
  if (a->state == OTHERS || a->state == OWNER_DEAD) {
    printf(" %s %d", mutex_calls[a->first], call_mutex(a->first));
    printf(", %s %d", mutex_calls[a->second], call_mutex(a->second));
  } else {
    print_mutex(a->first, call_mutex(a->first));
    printf(",");
    print_mutex(a->second, call_mutex(a->second));
  }
  return NULL;
}

static void try_mutex(int type, int robust, int protocol, struct attempt a) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  mutex = calloc(1, sizeof *mutex);
  pthread_mutex_init(mutex, &attributes);
  pthread_t other = 0, own;
  if (a.state >= OTHERS) {
    pthread_create(&other, NULL, hold, a.state == OTHERS ? &other : NULL);
    sem_wait(&held);
    if (a.state != OTHERS)
      pthread_join(other, NULL);
  }
  printf("mutex type %d, robust %d, protocol %d, %s:", type, robust, protocol,
         mutex_states[a.state]);
  pthread_create(&own, NULL, attempt_calls, &a);
  pthread_join(own, NULL);
  puts("");
  if (a.state == OTHERS) {
    sem_post(&finish);
    pthread_join(other, NULL);
  }
}

/* Whether an unlock would come from a thread that does not hold it: libc may
 * crash then. */
static int unlocks_wrongly(enum state state, enum call first,
                           enum call second) {
  int holds = state == OWN;
  if (first == UNLOCK && !holds)
    return 1;
  holds = holds ? first != UNLOCK
                : first < UNLOCK && (state == FREE || state == OWNER_DEAD);
  return second == UNLOCK && !holds;
}

/* Whether a call would wait for ever without the runtime too. */
static int hangs(int type, int robust, enum state state, enum call first,
                 enum call second) {
  const int errs =
      type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
  if (state == OTHERS || (state == OWNER_DEAD && !robust))
    return waits(first) || waits(second);
  if (state == UNRECOVERABLE) /* libc's trylock leaves it taken */
    return waits(second) && (first == TRY || first == MTX_TRY);
  if (errs || !waits(second))
    return state == OWN && !errs && waits(first);
  /* The first call may have taken it, or it is held already. */
  return state == OWN
             ? waits(first) || first != UNLOCK
             : first != UNLOCK && first != DESTROY && first != CONSISTENT;
}

static void mutexes(void) {
  for (int type = 0; type < 4; ++type)
    for (int robust = 0; robust < 2; ++robust)
      for (int protocol = 0; protocol < 3; ++protocol)
        for (enum state state = FREE; state < MUTEX_STATES; ++state)
          for (enum call first = LOCK; first < MUTEX_CALLS; ++first)
            for (enum call second = LOCK; second < MUTEX_CALLS; ++second) {
              if (robust ? unlocks_wrongly(state, first, second)
                         : state == UNRECOVERABLE)
                continue;
              if (first == UNTIL || first == MTX_UNTIL || first == MTX_TRY)
                continue; /* as the others */
              if (first == DESTROY && second != DESTROY)
                continue;
              /* libc refuses a thread without a real-time priority, once. It
               * has no robust ones. */
              if (protocol == PTHREAD_PRIO_PROTECT &&
                  (robust || state != FREE || second == UNLOCK))
                continue;
              if (!hangs(type, robust, state, first, second))
                try_mutex(type, robust, protocol,
                          (struct attempt){state, first, second});
            }
}

//===- Read-write locks, spin locks, semaphores ---------------------------===//

static pthread_rwlock_t lock;
static void *hold_lock(void *writes) {
  if (writes)
    pthread_rwlock_wrlock(&lock);
  else
    pthread_rwlock_rdlock(&lock);
  sem_post(&held);
  sem_wait(&finish);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static int call_lock(int call) {
  switch (call) {
  case 0:
    return pthread_rwlock_tryrdlock(&lock);
  case 1:
    return pthread_rwlock_trywrlock(&lock);
  case 2:
    return pthread_rwlock_timedrdlock(&lock, &past);
  case 3:
    return pthread_rwlock_timedwrlock(&lock, &past);
  case 4:
    return pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past);
  case 5:
    return pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past);
  case 6:
    return pthread_rwlock_rdlock(&lock);
  default:
    return pthread_rwlock_wrlock(&lock);
  }
}

static void read_write_locks(void) {
  for (int kind = 0; kind < 3; ++kind)
    for (int state = 0; state < 5; ++state)
      for (int call = 0; call < 8; ++call) {
        const int reads = state == 1 || state == 3;
        /* These wait for another thread. What waits for itself is refused. */
        if ((state == 4 && call >= 6) || (reads && call == 7))
          continue;
        pthread_rwlockattr_t attributes;
        pthread_rwlockattr_init(&attributes);
        pthread_rwlockattr_setkind_np(&attributes, kind);
        pthread_rwlock_init(&lock, &attributes);
        pthread_t other = 0;
        if (state == 1)
          pthread_rwlock_rdlock(&lock);
        if (state == 2)
          pthread_rwlock_wrlock(&lock);
        if (state >= 3) {
          pthread_create(&other, NULL, hold_lock, state == 4 ? &other : NULL);
          sem_wait(&held);
        }
        const int result = call_lock(call);
        printf("rwlock kind %d, state %d, call %d: %d,", kind, state, call,
               result);
        for (int i = 0; i < 4; ++i)
          printf(" %x", ((unsigned *)&lock)[i]);
        puts("");
        if (!result)
          pthread_rwlock_unlock(&lock);
        if (other) {
          sem_post(&finish);
          pthread_join(other, NULL);
        }
      }
}

static void others(void) {
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, 0);
  printf("spin %d", pthread_spin_lock(&spin));
  printf(" %d", pthread_spin_trylock(&spin));
  pthread_spin_unlock(&spin);
  printf(" %d\n", pthread_spin_trylock(&spin));
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  printf("semaphore %d", sem_wait(&semaphore));
  printf(" %d", sem_trywait(&semaphore));
  printf(" %d %d\n", sem_timedwait(&semaphore, &past), errno == ETIMEDOUT);
}

int main(void) {
  alarm(300);
  sem_init(&held, 0, 0), sem_init(&finish, 0, 0);
  mutexes();
  read_write_locks();
  others();
  return 0;
}
