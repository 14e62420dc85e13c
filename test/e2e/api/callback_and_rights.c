/*===- callback_and_rights.c - A callback waits for who changes rights -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// setegid() has the recorder's threads follow, while the recorder waits for a
// callback, which waits for a lock that the caller of setegid() holds.
// RUN: rm -f %t.trace* && %build_c -O1 %s -o %t
// RUN: PAGETIDE_OPTIONS=trace_path=%t.trace:period=2ms timeout -s KILL 60 %t

#include "known_sets.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int waits, calls;

static void look(const pagetide_period *period, void *user) {
  (void)period;
  (void)user;
  atomic_store(&waits, 1);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&calls, 1);
}

int main(void) {
  require(pthread_mutex_lock(&lock) == 0);
  require_status(pagetide_on_period(look, NULL), PAGETIDE_OK);
  while (!atomic_load(&waits))
    usleep(1000);
  for (int i = 0; i < 3; ++i)
    require(setegid(getegid()) == 0 && setgid(getgid()) == 0);
  require_equal(atomic_load(&calls), 0);
  require(pthread_mutex_unlock(&lock) == 0);
  while (!atomic_load(&calls))
    usleep(1000);
  return 0;
}
