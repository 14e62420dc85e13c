/*===- mutexes.c - The kernel sees what libc writes in mutexes ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Pages of mutexes, conditions and so on are covered, though nobody but libc
// writes them: the report lists none but the page that is known.
// REQUIRES: audit
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_c -O1 -c %inputs/plain.c -o plain.o
// RUN: %build_c -O1 -I %inputs %s plain.o -o program
// RUN: (%pagetide audit -p 0 --json -r report -- ./program; test $? = 1)
// What malloc keeps for libc in the heap is another matter.
// RUN: %check_audit --without heap report known

#include "audited.h"

#include <pthread.h>
#include <semaphore.h>

enum { kThreads = 4, kPeriods = 6, kRounds = 200 };

static char *pages;
#define AT(page, type) ((type *)(pages + (page) * PAGE))

static void *work(void *unused) {
  for (int i = 0; i < kPeriods; ++i) {
    pthread_barrier_wait(AT(0, pthread_barrier_t));
    for (int round = 0; round < kRounds; ++round) {
      pthread_mutex_lock(AT(1, pthread_mutex_t));
      pthread_mutex_unlock(AT(1, pthread_mutex_t));
      pthread_rwlock_rdlock(AT(2, pthread_rwlock_t));
      pthread_rwlock_unlock(AT(2, pthread_rwlock_t));
      pthread_rwlock_wrlock(AT(2, pthread_rwlock_t));
      pthread_rwlock_unlock(AT(2, pthread_rwlock_t));
      sem_wait(AT(3, sem_t));
      sem_post(AT(3, sem_t));
      pthread_spin_lock(AT(4, pthread_spinlock_t));
      pthread_spin_unlock(AT(4, pthread_spinlock_t));
    }
    pthread_mutex_lock(AT(5, pthread_mutex_t));
    sem_post(AT(8, sem_t));
    pthread_cond_wait(AT(6, pthread_cond_t), AT(5, pthread_mutex_t));
    pthread_mutex_unlock(AT(5, pthread_mutex_t));
  }
  return unused;
}

int main(void) {
  pages = pages_apart(12);
  REQUIRE(!pthread_barrier_init(AT(0, pthread_barrier_t), NULL, kThreads + 1));
  REQUIRE(!sem_init(AT(3, sem_t), 0, 2));
  REQUIRE(!pthread_spin_init(AT(4, pthread_spinlock_t), 0));
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    REQUIRE(!pthread_create(&threads[i], NULL, work, NULL));
  for (int i = 0; i < kPeriods; ++i) {
    pthread_barrier_wait(AT(0, pthread_barrier_t));
    for (int t = 0; t < kThreads; ++t) /* all wait */
      while (sem_wait(AT(8, sem_t))) {
      }
    pthread_mutex_lock(AT(5, pthread_mutex_t)); /* the last one lets go of it */
    pthread_mutex_unlock(AT(5, pthread_mutex_t));
    plain_write(pages + 10 * PAGE);
    known("anonymous", pages + 10 * PAGE, 1);
    end_period();
    end_period(); /* nobody writes */
    pthread_mutex_lock(AT(5, pthread_mutex_t));
    pthread_cond_broadcast(AT(6, pthread_cond_t));
    pthread_mutex_unlock(AT(5, pthread_mutex_t));
  }
  for (int i = 0; i < kThreads; ++i)
    REQUIRE(!pthread_join(threads[i], NULL));
  end_period();
  return 0;
}
