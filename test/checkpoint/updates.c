/*===- updates.c - Saves while other threads change protected memory --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/updates
// RUN: for try in 1 2 3 4; do %t/updates %t/folder %t/known || test $? -eq 137 || exit 1; done
// RUN: %t/updates %t/folder %t/known check
// RUN: %pagetide checkpoint verify %t/folder
// While a clock ends periods.
// RUN: %pagetide record -p 2ms --no-output -- %t/updates %t/folder %t/known check
// An update that does not end.
// RUN: %t/updates %t/other %t/other.known stuck

#include "checkpoints.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

enum { THREADS = 4, ACCOUNTS = 40, STRIDE = 4096 / 8, SAVES = 25 };

/* One account a page. Their sum does not change, except within a transfer. */
static int64_t accounts[ACCOUNTS * STRIDE];
/* Of each thread: how many transfers it has made; written last in an update. */
static uint64_t made[THREADS];
static volatile int stop;
static pthread_mutex_t locks[ACCOUNTS];

static void transfer(unsigned from, unsigned to, int64_t amount, int thread) {
  pagetide_update_begin();
  unsigned low = from < to ? from : to, high = from < to ? to : from;
  pthread_mutex_lock(&locks[low]);
  pthread_mutex_lock(&locks[high]);
  accounts[from * STRIDE] -= amount;
  for (volatile int wait = 0; wait < 200; ++wait)
    ;
  pagetide_update_begin(); /* they nest */
  accounts[to * STRIDE] += amount;
  require(pagetide_update_end() == 0);
  ++made[thread];
  pthread_mutex_unlock(&locks[high]);
  pthread_mutex_unlock(&locks[low]);
  require(pagetide_update_end() == 0);
}

static void *work(void *argument) {
  const int thread = (int)(intptr_t)argument;
  uint64_t seed = (uint64_t)thread + 1;
  while (!stop) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    unsigned from = (unsigned)(seed >> 33) % ACCOUNTS;
    unsigned to = (from + 1 + (unsigned)(seed >> 40) % (ACCOUNTS - 1)) % ACCOUNTS;
    transfer(from, to, (int64_t)(seed >> 50), thread);
  }
  return NULL;
}

static void check_sum(void) {
  int64_t sum = 0;
  for (unsigned i = 0; i < ACCOUNTS; ++i)
    sum += accounts[i * STRIDE];
  require_equal(sum, 1000 * ACCOUNTS);
}

static pagetide_checkpoint *opened(const char *folder) {
  pagetide_checkpoint_config config = in_folder(folder);
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  config.update_wait_ns = 300000000;
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(
      pagetide_checkpoint_protect(c, 1, accounts, sizeof accounts), 0);
  require_checkpoint(pagetide_checkpoint_protect(c, 2, made, sizeof made), 0);
  return c;
}

static volatile int inside;
static void *never_ends(void *unused) {
  pagetide_update_begin();
  inside = 1;
  while (inside)
    usleep(1000);
  accounts[0] ^= 1;
  require(pagetide_update_end() == 0);
  return unused;
}

static void stuck(const char *folder) {
  pagetide_checkpoint *c = opened(folder);
  require_checkpoint(pagetide_update_end(), PAGETIDE_CHECKPOINT_INVALID);
  pagetide_update_begin();
  require_checkpoint(pagetide_checkpoint_save(c, NULL),
                     PAGETIDE_CHECKPOINT_BUSY);
  require(strstr(pagetide_checkpoint_message(), "inside an update"));
  require(pagetide_update_end() == 0);
  saved(c);
  pthread_t thread;
  require(pthread_create(&thread, NULL, never_ends, NULL) == 0);
  while (!inside)
    usleep(1000);
  accounts[3 * STRIDE] ^= 1;
  require_checkpoint(pagetide_checkpoint_save(c, NULL),
                     PAGETIDE_CHECKPOINT_BUSY);
  require(strstr(pagetide_checkpoint_message(), "update_wait_ns"));
  /* Others go on meanwhile. */
  pagetide_update_begin();
  require(pagetide_update_end() == 0);
  inside = 0;
  pthread_join(thread, NULL);
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.parent, 1);
  require_equal(r.flags, 0);
  require(r.moved_bytes >= 2 * 4096 && r.moved_bytes < sizeof accounts / 2);
}

int main(int argc, char **argv) {
  require(argc >= 3);
  for (int i = 0; i < ACCOUNTS; ++i)
    pthread_mutex_init(&locks[i], NULL);
  if (argc > 3 && strcmp(argv[3], "stuck") == 0) {
    stuck(argv[1]);
    return 0;
  }
  const int known = open(argv[2], O_RDWR | O_CREAT, 0600);
  require(known >= 0);
  pagetide_checkpoint *c = opened(argv[1]);
  for (unsigned i = 0; i < ACCOUNTS; ++i)
    accounts[i * STRIDE] = 1000;
  int status = pagetide_checkpoint_restore(c, 0, NULL);
  if (status != PAGETIDE_CHECKPOINT_NONE) {
    require_checkpoint(status, 0);
    check_sum();
    /* Transfers that were made before an acknowledged save are there. */
    uint64_t before[THREADS] = {0};
    if (pread(known, before, sizeof before, 0) == sizeof before)
      for (int t = 0; t < THREADS; ++t)
        require(made[t] >= before[t]);
  }
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t) == 0);
  for (int i = 0; i < SAVES; ++i) {
    usleep(3000);
    uint64_t before[THREADS];
    for (int t = 0; t < THREADS; ++t)
      before[t] = *(volatile uint64_t *)&made[t];
    saved(c);
    require(pwrite(known, before, sizeof before, 0) == sizeof before);
  }
  if (argc == 3)
    kill(getpid(), SIGKILL);
  stop = 1;
  for (int t = 0; t < THREADS; ++t)
    pthread_join(threads[t], NULL);
  check_sum();
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return 0;
}
