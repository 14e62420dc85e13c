/*===- migrate.c - Threads go on in another process -------------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 *   migrate FOLDER SECONDS [COMMAND]
 *
 * Threads move money between accounts. After so many seconds they end. With a
 * command, they go on at its other end instead:
 *
 *   migrate here 5 'ssh HOST pagetide checkpoint apply there'
 *
 * The command's standard input gets the accounts while the threads work. If it
 * fails, they go on here for as long once more.
 *
 *===----------------------------------------------------------------------===*/

#include "examples.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS = 3, ACCOUNTS = 1 << 22, OPENED_WITH = 100, AT_A_TIME = 8192 };

/* A region of its own, beside that of the accounts. */
static struct {
  uint64_t transfers;
} bank;
static int64_t accounts[ACCOUNTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ends;

/* Between two accounts out of a few, which are others from time to time. */
static void transfer(uint64_t random) {
  const uint64_t first = bank.transfers >> 20;
  const uint64_t from = first * AT_A_TIME + (random >> 20) % AT_A_TIME;
  const uint64_t to = first * AT_A_TIME + (random >> 40) % AT_A_TIME;
  accounts[from % ACCOUNTS] -= 1;
  accounts[to % ACCOUNTS] += 1;
  ++bank.transfers;
}

static void *work(void *argument) {
  uint64_t random = (uint64_t)(uintptr_t)argument;
  while (!ends) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    pagetide_update_begin();
    pthread_mutex_lock(&lock);
    transfer(random);
    pthread_mutex_unlock(&lock);
    pagetide_update_end();
  }
  return NULL;
}

/* 1 if the other end has all. Then no thread has done anything since. */
static int has_moved(pagetide_checkpoint *checkpoint, const char *command) {
  pagetide_checkpoint_stream_config config = {.size = sizeof config,
                                              .stay_held = 1};
  pagetide_checkpoint_streamed sent = {.size = sizeof sent};
  FILE *other = popen(command, "w");
  if (!other)
    return 0;
  const int status =
      pagetide_checkpoint_stream(checkpoint, fileno(other), &config, &sent);
  if (status != PAGETIDE_CHECKPOINT_OK)
    fprintf(stderr, "%s\n", pagetide_checkpoint_message());
  if (pclose(other) == 0 && status == PAGETIDE_CHECKPOINT_OK)
    return 1;
  if (status == PAGETIDE_CHECKPOINT_OK)
    must(pagetide_checkpoint_go_on(checkpoint));
  return 0;
}

static void check_and_say(const char *what) {
  int64_t sum = 0;
  for (int i = 0; i < ACCOUNTS; ++i)
    sum += accounts[i];
  if (sum != (int64_t)ACCOUNTS * OPENED_WITH) {
    fprintf(stderr, "money is missing\n");
    exit(1);
  }
  say(what, bank.transfers, digest(0, accounts, sizeof accounts));
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: migrate FOLDER SECONDS [COMMAND]\n");
    return 1;
  }
  const unsigned seconds = (unsigned)atoi(argv[2]);
  for (int i = 0; i < ACCOUNTS; ++i)
    accounts[i] = OPENED_WITH;
  pagetide_checkpoint *checkpoint = open_folder(argv[1]);
  must(pagetide_checkpoint_protect(checkpoint, 1, &bank, sizeof bank));
  must(pagetide_checkpoint_protect(checkpoint, 2, accounts, sizeof accounts));
  const int status = pagetide_checkpoint_restore(checkpoint, 0, NULL);
  if (status != PAGETIDE_CHECKPOINT_NONE)
    must(status);
  check_and_say("begins");
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, work, (void *)(i + bank.transfers));
  sleep(seconds);
  if (argc > 3) {
    if (has_moved(checkpoint, argv[3])) {
      check_and_say("moves");
      return 0;
    }
    puts("stays");
    sleep(seconds);
  }
  ends = 1;
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  check_and_say("ends");
  return 0;
}
