/*===- kernel_writes.c - What a library writes that nobody instrumented -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// REQUIRES: userfaultfd
// RUN: rm -rf %t && mkdir %t
// RUN: %plain_c -O2 -shared -fPIC -DLIBRARY %s -o %t/library.so
// RUN: %build_c -O2 %s %t/library.so %link_checkpoint -o %t/kernel_writes
// RUN: export PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s
// RUN: %t/kernel_writes %t marks
// RUN: %t/kernel_writes %t kernel
// RUN: %t/kernel_writes %t again
// RUN: %t/kernel_writes %t transfers
// RUN: %t/kernel_writes %t refused
// RUN: %t/kernel_writes %t stream 3> %t/stream
// RUN: %pagetide checkpoint apply -i %t/stream %t/image && %t/kernel_writes %t streamed
// Who else asks the kernel has the memory.
// RUN: %plain_c -O2 %s %t/library.so %link_checkpoint -o %t/plain
// RUN: %pagetide record --engine uffd --no-output -- %t/plain %t watched
// A program without any marks has increments too.
// RUN: rm -r %t/one && %t/plain %t kernel

#ifdef LIBRARY

#include <stdint.h>

void library_fill(uint8_t *bytes, long count, int value) {
  for (volatile uint8_t *at = bytes; at < bytes + count; ++at)
    *at = (uint8_t)value;
}

void library_transfer(int64_t *from, int64_t *to, int64_t amount) {
  *(volatile int64_t *)from -= amount;
  for (volatile int wait = 0; wait < 200; ++wait)
    ;
  *(volatile int64_t *)to += amount;
}

#else

#include "checkpoints.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

void library_fill(uint8_t *bytes, long count, int value);
void library_transfer(int64_t *from, int64_t *to, int64_t amount);

enum { PAGE = 4096, COUNT = 64, STRIDE = PAGE / 8, THREADS = 2 };

static const char *work;

static pagetide_checkpoint *open_named(const char *name, int kernel_writes) {
  pagetide_checkpoint_config config = in_folder(path_in(work, name));
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  config.keep = 1000;
  config.max_chain = 256;
  config.kernel_writes = kernel_writes;
  return open_with(&config);
}

/* A part of a page, memory of the program's file, shared memory, a heap. */
static uint8_t data[5 * PAGE + 100] = {1};
static uint8_t *regions[4];
static size_t sizes[4] = {sizeof data - 50, 7 * PAGE, COUNT * PAGE, 1000};
static uint8_t want[4][COUNT * PAGE];

static void make_regions(pagetide_checkpoint *c) {
  regions[0] = data + 33;
  regions[1] = (uint8_t *)mmap(NULL, sizes[1], PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  regions[2] = pages(COUNT);
  regions[3] = (uint8_t *)calloc(1, sizes[3]);
  require(regions[1] != MAP_FAILED);
  for (int i = 0; i < 4; ++i)
    require_checkpoint(pagetide_checkpoint_protect(c, (uint64_t)i + 1,
                                                   regions[i], sizes[i]), 0);
}

/* The number of regions that are not restored as they were. */
static int wrong_ones(pagetide_checkpoint *c, uint64_t number) {
  for (int i = 0; i < 4; ++i) {
    memcpy(want[i], regions[i], sizes[i]);
    memset(regions[i], 0xee, sizes[i]);
  }
  restored(c, number);
  int wrong = 0;
  for (int i = 0; i < 4; ++i)
    wrong += memcmp(regions[i], want[i], sizes[i]) != 0;
  return wrong;
}

static void library_writes(int value) {
  library_fill(regions[0] + PAGE, 10, value);
  library_fill(regions[1] + 3 * PAGE - 5, 10, value);
  library_fill(regions[2] + 17 * PAGE, 1, value);
  library_fill(regions[3] + 999, 1, value);
}

/* By the marks alone, what the library writes is missing. */
static void by_marks(void) {
  pagetide_checkpoint *c = open_named("marks", 0);
  make_regions(c);
  saved(c);
  library_writes(7);
  regions[2][0] = 7;
  require(saved(c).moved_bytes < 5 * PAGE + sizes[1]);
  /* The heap's page has something else that the program wrote. Shared memory is
   * saved each time. */
  require(wrong_ones(c, 0) >= 2);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

static void by_kernel(void) {
  pagetide_checkpoint *c = open_named("one", 1);
  make_regions(c);
  library_writes(3);
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.flags, PAGETIDE_CHECKPOINT_BASE);
  require_equal(wrong_ones(c, 0), 0);
  for (int value = 7; value < 20; ++value) {
    library_writes(value);
    regions[2][0] = (uint8_t)value;
    r = saved(c);
    require_equal(r.flags, 0);
    require_equal(r.parent, r.number - 1);
    require(r.moved_bytes <= 5 * PAGE + sizes[1]);
    if (value % 3 == 0) {
      require_equal(wrong_ones(c, 0), 0);
      require(saved(c).moved_bytes <= 4 * PAGE + sizes[1]);
    }
  }
  /* Memory that is not what it was. */
  require(mmap(regions[1] + PAGE, 2 * PAGE, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == regions[1] + PAGE);
  r = saved(c);
  require(r.moved_bytes >= 2 * PAGE && r.moved_bytes < COUNT * PAGE);
  require_equal(wrong_ones(c, 0), 0);
  saved(c);
  library_fill(regions[1] + 2 * PAGE, 3, 5); /* is watched from now on */
  r = saved(c);
  require(r.moved_bytes <= sizes[1] + sizes[3]);
  require_equal(wrong_ones(c, 0), 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* A region that grows is protected under its id again. So is one that was mapped
 * anew. What was written before that is not forgotten. */
static void protected_again(void) {
  pagetide_checkpoint *c = open_named("again", 1);
  make_regions(c);
  sizes[2] = 8 * PAGE;
  require_checkpoint(pagetide_checkpoint_protect(c, 3, regions[2], sizes[2]),
                     0);
  saved(c);
  for (int value = 1; value <= 5; ++value) {
    library_fill(regions[2] + 3 * PAGE, 5, value);
    library_fill(regions[2] + sizes[2] - 1, PAGE, value);
    sizes[2] += 2 * PAGE + 100;
    require_checkpoint(pagetide_checkpoint_protect(c, 3, regions[2], sizes[2]),
                       0);
    const pagetide_checkpoint_result r = saved(c);
    require_equal(r.flags, 0);
    require(r.moved_bytes <= 6 * PAGE + sizes[1]);
    require_equal(wrong_ones(c, 0), 0);
    saved(c);
  }
  library_fill(regions[1] + 4 * PAGE, 5, 9);
  require(mmap(regions[1] + PAGE, 2 * PAGE, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == regions[1] + PAGE);
  require_checkpoint(pagetide_checkpoint_protect(c, 2, regions[1], sizes[1]),
                     0);
  saved(c);
  require_equal(wrong_ones(c, 0), 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* Transfers by the library, in updates, while checkpoints are made. */
static volatile int ends;

static void *transfers(void *argument) {
  int64_t *accounts = (int64_t *)regions[2];
  const int t = (int)(intptr_t)argument;
  uint64_t seed = (uint64_t)t + 1;
  while (!ends) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    /* Accounts of its own. */
    unsigned from = (unsigned)(seed >> 33) % (COUNT / THREADS);
    unsigned to = (from + 1 + (unsigned)(seed >> 40) % (COUNT / THREADS - 1)) %
                  (COUNT / THREADS);
    pagetide_update_begin();
    library_transfer(&accounts[(from * THREADS + t) * STRIDE],
                     &accounts[(to * THREADS + t) * STRIDE],
                     (int64_t)(seed >> 50));
    require(pagetide_update_end() == 0);
  }
  return NULL;
}

/* How many checkpoints have lost or gained something. */
static int wrong_sums(const char *name, int kernel_writes) {
  pagetide_checkpoint *c = open_named(name, kernel_writes);
  make_regions(c);
  int64_t *accounts = (int64_t *)regions[2];
  pthread_t threads[THREADS];
  ends = 0;
  for (int t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, transfers,
                           (void *)(intptr_t)t) == 0);
  require_checkpoint(pagetide_checkpoint_every(c, 3000000, NULL, NULL), 0);
  pagetide_checkpoint_counts counts = {.size = sizeof counts};
  for (int tries = 0; counts.made < 40; ++tries) {
    usleep(1000);
    regions[2][PAGE - 1] = (uint8_t)tries; /* so that marks have something */
    require_checkpoint(pagetide_checkpoint_count(c, &counts), 0);
    require(tries < 60000);
  }
  ends = 1;
  for (int t = 0; t < THREADS; ++t)
    pthread_join(threads[t], NULL);
  require_checkpoint(pagetide_checkpoint_every(c, 0, NULL, NULL), 0);
  pagetide_checkpoint_result newest = restored(c, 0);
  int wrong = 0;
  for (uint64_t number = 1; number <= newest.number; ++number) {
    const int status = pagetide_checkpoint_restore(c, number, NULL);
    if (status == PAGETIDE_CHECKPOINT_NONE)
      continue;
    require_checkpoint(status, 0);
    regions[2][PAGE - 1] = 0;
    int64_t sum = 0;
    for (int i = 0; i < COUNT; ++i)
      sum += accounts[i * STRIDE];
    wrong += sum != 0;
  }
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return wrong;
}

static void by_transfers(void) {
  require(wrong_sums("transfers.marks", 0) > 5);
  require_equal(wrong_sums("transfers", 1), 0);
}

static void watched(void) {
  pagetide_checkpoint *c = open_named("watched", 1);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, pages(1), PAGE),
                     PAGETIDE_CHECKPOINT_UNSUPPORTED);
  require(strstr(pagetide_checkpoint_message(), "pagetide audit"));
}

/* A kernel without userfaultfd. */
static void refused(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, filter};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  pagetide_checkpoint_config config = in_folder(path_in(work, "refused"));
  config.kernel_writes = 1;
  pagetide_checkpoint *c;
  require_checkpoint(pagetide_checkpoint_open(&config, &c),
                     PAGETIDE_CHECKPOINT_UNSUPPORTED);
  require(strstr(pagetide_checkpoint_message(), "userfaultfd"));
  require(strstr(pagetide_checkpoint_message(), "ENOSYS"));
  require(strstr(pagetide_checkpoint_message(), "Linux 6.7"));
  config.kernel_writes = 0;
  require_checkpoint(pagetide_checkpoint_open(&config, &c), 0);
}

/* What the library writes while a stream is under way is in a later round. */
static int rounds_told;
static void write_after_round(void *user, uint64_t at, uint64_t total) {
  require(user == data);
  if (at == total)
    library_writes(++rounds_told);
}

static void streams(void) {
  pagetide_checkpoint_config config = in_folder(path_in(work, "streams"));
  config.kernel_writes = 1;
  config.progress = write_after_round;
  config.progress_user = data;
  pagetide_checkpoint *c = open_with(&config);
  make_regions(c);
  pagetide_checkpoint_stream_config how = {.size = sizeof how,
                                           .small_bytes = 1};
  pagetide_checkpoint_streamed result = {.size = sizeof result};
  require_checkpoint(pagetide_checkpoint_stream(c, 3, &how, &result), 0);
  require_equal(result.rounds, 3);
  require_equal(rounds_told, 2);
  require(result.round_bytes[1] < 6 * PAGE + sizes[1]);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

static void streamed(void) {
  pagetide_checkpoint *c = open_named("image", 0);
  make_regions(c);
  library_writes(2);
  require_equal(wrong_ones(c, 0), 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

int main(int argc, char **argv) {
  require(argc == 3);
  work = argv[1];
  const struct {
    const char *name;
    void (*function)(void);
  } parts[] = {{"marks", by_marks},
               {"kernel", by_kernel},
               {"again", protected_again},
               {"transfers", by_transfers},
               {"watched", watched},
               {"refused", refused},
               {"stream", streams},
               {"streamed", streamed}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (strcmp(parts[i].name, argv[2]) == 0) {
      parts[i].function();
      return 0;
    }
  return 2;
}

#endif
