/*===- every_skips.c - Background checkpoints that cannot be made -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The program is told, runs on, and the next checkpoint has what was missing.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/every_skips
// RUN: PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s %t/every_skips %t
// Threads cannot be stopped in no time.
// RUN: PAGETIDE_OPTIONS=cut_stop=1ns %t/every_skips %t no-cut
// Without marks there is no cut.
// RUN: %plain_c -O2 %s %link_checkpoint -o %t/unmarked && %t/unmarked %t plain
// RUN: %pagetide record --engine uffd --no-output -- %t/unmarked %t plain

#include "checkpoints.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { PAGE = 4096, COUNT = 64 };

static const char *work;
static uint8_t *a;
static uint8_t want[COUNT * PAGE];

/* All that the library has told. */
enum { MOST_TOLD = 200000 };
static struct told {
  int status;
  char message[300];
  pagetide_checkpoint_result result;
} *all_told;
static volatile int told_count;

static void told(void *user, int status, const char *message,
                 const pagetide_checkpoint_result *result) {
  require(user == a && told_count < MOST_TOLD);
  struct told *now = &all_told[told_count];
  now->status = status;
  snprintf(now->message, sizeof now->message, "%s", message);
  now->result = *result;
  __atomic_store_n(&told_count, told_count + 1, __ATOMIC_RELEASE);
}

/* Waits until a period that begins after `from` others were told has this
 * status, with a message that has `text`. */
static pagetide_checkpoint_result await_after(int from, int status,
                                              const char *text) {
  for (int tries = 0; tries < 30000; ++tries) {
    for (int i = from; i < __atomic_load_n(&told_count, __ATOMIC_ACQUIRE); ++i)
      if (all_told[i].status == status && strstr(all_told[i].message, text))
        return all_told[i].result;
    usleep(1000);
  }
  for (int i = from; i < told_count; ++i)
    fprintf(stderr, "told: %d %s\n", all_told[i].status, all_told[i].message);
  require(!"never told");
  return all_told[0].result;
}

static pagetide_checkpoint_result await(int status, const char *text) {
  return await_after(told_count + 1, status, text); /* the next may be begun */
}

static void every(pagetide_checkpoint *c) {
  require_checkpoint(pagetide_checkpoint_every(c, 5000000, told, a), 0);
}

static void stop(pagetide_checkpoint *c) {
  require_checkpoint(pagetide_checkpoint_every(c, 0, NULL, NULL), 0);
}

static pagetide_checkpoint *open_protected(const char *name) {
  pagetide_checkpoint_config config = in_folder(path_in(work, name));
  config.update_wait_ns = 100000000;
  config.copy_bytes = 32 * PAGE;
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, COUNT * PAGE), 0);
  return c;
}

static void check_restored(pagetide_checkpoint *c) {
  stop(c);
  memcpy(want, a, sizeof want);
  memset(a, 0xee, COUNT * PAGE);
  restored(c, 0);
  require(memcmp(a, want, sizeof want) == 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  require(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = bytes;
  require(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void no_room_for_files(void) {
  pagetide_checkpoint *c = open_protected("files");
  saved(c);
  noise(a, 3 * PAGE);
  limit_files(2000);
  every(c);
  await(PAGETIDE_CHECKPOINT_IO, "EFBIG");
  noise(a + 5 * PAGE, PAGE);
  await(PAGETIDE_CHECKPOINT_IO, "");
  pagetide_checkpoint_counts counts = {.size = sizeof counts};
  require_checkpoint(pagetide_checkpoint_count(c, &counts), 0);
  require(counts.made == 0 && counts.unchanged == 0 && counts.skipped > 2);
  require_equal(counts.skipped_since, counts.skipped);
  require_equal(counts.last_status, PAGETIDE_CHECKPOINT_IO);
  require(strstr(counts.last_message, "EFBIG"));
  stop(c);
  limit_files(RLIM_INFINITY);
  const int from = told_count;
  every(c);
  /* What all of them should have taken. */
  pagetide_checkpoint_result r = await_after(from, 0, "");
  require_equal(r.moved_bytes, 4 * PAGE);
  require_equal(r.parent, 1);
  require(r.cut_ns != 0 && r.flags == 0);
  /* Nothing changes now. */
  r = await(0, "");
  require_equal(r.moved_bytes, 0);
  require_checkpoint(pagetide_checkpoint_count(c, &counts), 0);
  require(counts.unchanged > 0 && counts.skipped_since < counts.skipped);
  check_restored(c);
}

static void no_room_for_copies(void) {
  pagetide_checkpoint *c = open_protected("copies");
  every(c);
  await(PAGETIDE_CHECKPOINT_NO_MEMORY, "262144 bytes, more than the 131072");
  require_equal(saved(c).moved_bytes, COUNT * PAGE);
  noise(a, PAGE);
  noise(a + 10 * PAGE, 7 * PAGE);
  pagetide_checkpoint_result r = await(0, "");
  require(r.number > 1);
  check_restored(c);
}

static volatile int inside, may_end;
static void *stays_inside(void *unused) {
  pagetide_update_begin();
  a[7 * PAGE] ^= 1;
  inside = 1;
  while (!may_end)
    usleep(1000);
  a[9 * PAGE] ^= 1;
  require(pagetide_update_end() == 0);
  return unused;
}

static void update_that_lasts(void) {
  pagetide_checkpoint *c = open_protected("updates");
  saved(c);
  pthread_t thread;
  require(pthread_create(&thread, NULL, stays_inside, NULL) == 0);
  while (!inside)
    usleep(1000);
  every(c);
  await(PAGETIDE_CHECKPOINT_BUSY, "update_wait_ns");
  /* Others go on meanwhile, and so does who frees memory in an update. */
  pagetide_update_begin();
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, COUNT * PAGE), 0);
  require(pagetide_update_end() == 0);
  may_end = 1;
  pthread_join(thread, NULL);
  await(0, "");
  check_restored(c);
}

/* A region moves, and its old memory is gone. */
static void moving_region(void) {
  pagetide_checkpoint *c = open_protected("moving");
  saved(c);
  every(c);
  uint8_t *before = NULL;
  for (size_t count = 1; count < 20; ++count) {
    pagetide_update_begin();
    uint8_t *now = (uint8_t *)mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(now != MAP_FAILED);
    if (before) {
      memcpy(now, before, (count - 1) * PAGE);
      require(munmap(before, (count - 1) * PAGE) == 0);
    }
    noise(now + (count - 1) * PAGE, PAGE);
    require_checkpoint(pagetide_checkpoint_protect(c, 2, now, count * PAGE), 0);
    require(pagetide_update_end() == 0);
    before = now;
    usleep(3000);
  }
  await(0, "");
  stop(c);
  size_t bytes;
  require_checkpoint(pagetide_checkpoint_saved_bytes(c, 0, 2, &bytes), 0);
  require_equal(bytes, 19 * PAGE);
  static uint8_t content[19 * PAGE];
  memcpy(content, before, sizeof content);
  memset(before, 0, sizeof content);
  restored(c, 0);
  require(memcmp(content, before, sizeof content) == 0);
  /* Memory that is gone is told, and no other content is saved for it. */
  saved(c);
  every(c);
  before[3 * PAGE] ^= 1;
  require(mprotect(before, 19 * PAGE, PROT_NONE) == 0);
  await(PAGETIDE_CHECKPOINT_INVALID, "cannot be read");
  require_checkpoint(pagetide_checkpoint_unprotect(c, 2), 0);
  await(0, "");
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* After page sets were missing, saves that fail do not hide that. */
static void missing_sets(void) {
  pagetide_checkpoint *c = open_protected("missing");
  saved(c);
  require(pagetide_stop() == 0);
  noise(a + 20 * PAGE, PAGE); /* in no set */
  limit_files(2000);
  pagetide_checkpoint_result r = {.size = sizeof r};
  require_checkpoint(pagetide_checkpoint_save(c, &r), PAGETIDE_CHECKPOINT_IO);
  require_checkpoint(pagetide_checkpoint_save(c, &r), PAGETIDE_CHECKPOINT_IO);
  limit_files(RLIM_INFINITY);
  r = saved(c);
  require_equal(r.flags, PAGETIDE_CHECKPOINT_BASE | PAGETIDE_CHECKPOINT_UNTRACKED);
  /* In the background too. */
  require(pagetide_stop() == 0);
  noise(a + 30 * PAGE, PAGE);
  every(c);
  await(PAGETIDE_CHECKPOINT_NO_MEMORY, ""); /* for a whole one */
  require_equal(saved(c).flags,
                PAGETIDE_CHECKPOINT_BASE | PAGETIDE_CHECKPOINT_UNTRACKED);
  noise(a + 40 * PAGE, PAGE);
  await(0, "");
  check_restored(c);
}

static void told_calls(void *user, int status, const char *message,
                       const pagetide_checkpoint_result *result) {
  pagetide_checkpoint *c = (pagetide_checkpoint *)user;
  (void)message, (void)result;
  require_checkpoint(pagetide_checkpoint_close(c), PAGETIDE_CHECKPOINT_BUSY);
  require_checkpoint(pagetide_checkpoint_every(c, 0, NULL, NULL),
                     PAGETIDE_CHECKPOINT_BUSY);
  if (status == 0)
    saved(c);
  may_end = 1;
}

static void arguments(void) {
  pagetide_checkpoint *c = open_protected("arguments");
  require_checkpoint(pagetide_checkpoint_every(c, 999999, NULL, NULL),
                     PAGETIDE_CHECKPOINT_INVALID);
  require_checkpoint(pagetide_checkpoint_every(c, 0, NULL, NULL), 0);
  saved(c);
  may_end = 0;
  require_checkpoint(pagetide_checkpoint_every(c, 2000000, told_calls, c), 0);
  while (!may_end)
    usleep(1000);
  /* A child has no background, and the parent's is not disturbed. */
  pid_t child = fork();
  if (child == 0) {
    require_checkpoint(pagetide_checkpoint_every(c, 2000000, NULL, NULL),
                       PAGETIDE_CHECKPOINT_FORKED);
    pagetide_update_begin();
    require(pagetide_update_end() == 0);
    exit(0);
  }
  int status;
  require(waitpid(child, &status, 0) == child && status == 0);
  may_end = 0;
  while (!may_end)
    usleep(1000);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  require_checkpoint(pagetide_checkpoint_every(c, 2000000, NULL, NULL),
                     PAGETIDE_CHECKPOINT_INVALID);
}

/* What handlers of exit() do that the program registered before is in no
 * checkpoint. */
static void tear_down(void) {
  memset(a, 0xdd, COUNT * PAGE);
  usleep(50000);
}

static void exits(void) {
  pagetide_checkpoint *c = open_protected("exit");
  saved(c);
  atexit(tear_down);
  every(c);
  a[0] = 1;
  await(0, "");
  exit(0);
}

static void after_exit(void) {
  pagetide_checkpoint *c = open_protected("exit");
  restored(c, 0);
  require(a[0] == 1 && a[1] != 0xdd);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* A checkpoint follows each change, at every chain's length. */
static void long_chain(void) {
  pagetide_checkpoint_config config = in_folder(path_in(work, "chain"));
  config.max_chain = 5;
  config.keep = 3;
  config.copy_bytes = 32 * PAGE; /* not enough for a base */
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, COUNT * PAGE), 0);
  saved(c);
  every(c);
  for (int i = 0; i < 20; ++i) {
    noise(a + i * PAGE, PAGE);
    pagetide_checkpoint_result r = await(0, "");
    require(r.chain <= 5 && r.flags == 0);
  }
  check_restored(c);
}

static void no_cut(void) {
  pagetide_checkpoint *c = open_protected("cut");
  saved(c);
  every(c);
  volatile int spins = 0;
  int at = 0;
  /* If the helper is too late to end a stop, that is a cut, and if a checkpoint
   * takes longer than a period, that is told. */
  while (at == told_count || all_told[at].status != PAGETIDE_CHECKPOINT_NO_CUT) {
    at += at < told_count;
    a[(spins++ % 20) * PAGE] ^= 1;
  }
  require(strstr(all_told[at].message, "no cut: "));
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

static void plain(void) {
  pagetide_checkpoint *c = open_protected("plain");
  require_checkpoint(pagetide_checkpoint_every(c, 5000000, told, a),
                     PAGETIDE_CHECKPOINT_UNSUPPORTED);
  require(strstr(pagetide_checkpoint_message(), "pagetide-clang"));
  saved(c);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

int main(int argc, char **argv) {
  require(argc >= 2);
  work = argv[1];
  signal(SIGXFSZ, SIG_DFL);
  a = pages(COUNT);
  all_told = (struct told *)calloc(MOST_TOLD, sizeof *all_told);
  noise(a, COUNT * PAGE);
  a[0] = 0;
  if (argc > 2) {
    in_child(strcmp(argv[2], "plain") == 0 ? plain : no_cut);
    return 0;
  }
  in_child(no_room_for_files);
  in_child(no_room_for_copies);
  in_child(update_that_lasts);
  in_child(moving_region);
  in_child(missing_sets);
  in_child(arguments);
  in_child(exits);
  in_child(after_exit);
  in_child(long_chain);
  return 0;
}
