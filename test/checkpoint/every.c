/*===- every.c - Checkpoints in the background of threads that never rest ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Threads are killed at random moments. Each checkpoint that is left must be of
// one instant.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/every
// A busy machine does not schedule all threads within 2 ms.
// RUN: export PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s
// RUN: %python %S/Inputs/kill_running.py 15 %t/every %t/folder %t/known \
// RUN:   | FileCheck %s --check-prefix=KILLED
// KILLED: 15 kills
// RUN: %pagetide checkpoint verify %t/folder
// While `record` ends periods too, and with checksums in cuts of their own.
// RUN: %pagetide record -p 7ms --no-output -- %t/every %t/folder %t/known 10
// RUN: %pagetide record -p 20ms --checksum written --unstable cut -o %t/trace -- \
// RUN:   %t/every %t/folder %t/known 10
// RUN: %pagetide record -p 20ms --checksum written -o %t/trace -- \
// RUN:   %t/every %t/folder %t/known 10
// RUN: %t/every %t/folder %t/known 0 | FileCheck %s --check-prefix=CHECKED
// CHECKED: {{[1-9][0-9]*}} checkpoints are consistent
// Granules smaller than pages, and larger than what they hold; sets by thread.
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=6 %s %link_checkpoint -o %t/small
// RUN: %t/small %t/small.folder %t/small.known 10
// RUN: %t/small %t/small.folder %t/small.known 0 | FileCheck %s --check-prefix=CHECKED
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=21 %s %link_checkpoint -o %t/large
// RUN: %pagetide record -p 7ms --per-thread --no-output -- %t/large %t/large.folder %t/large.known 10
// RUN: %t/large %t/large.folder %t/large.known 0 | FileCheck %s --check-prefix=CHECKED

// Without the stop, without what was marked since, and without updates, memory
// contradicts itself.
// RUN: not %python %S/Inputs/until_wrong.py %t/every %t/stop cut_without=stop 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG
// RUN: not %python %S/Inputs/until_wrong.py %t/every %t/marked cut_without=marked 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG
// RUN: not %python %S/Inputs/until_wrong.py %t/every %t/updates verbosity=0 no-updates 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG
// WRONG: the checkpoint contradicts itself

#include "threads_that_write.h"

#include <fcntl.h>
#include <time.h>

enum { SAMPLES = 4096 };

/* What was done at a time. The newest before a checkpoint's instant must be in
 * it. */
static struct sample {
  uint64_t time;
  uint64_t done_by[COUNTERS + TRANSFERS];
} samples[SAMPLES];
static volatile unsigned sample_count;
static int known;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void take_sample(void) {
  struct sample *sample = &samples[sample_count % SAMPLES];
  for (int t = 0; t < COUNTERS + TRANSFERS; ++t)
    sample->done_by[t] = *(volatile uint64_t *)&done_by[t];
  sample->time = now_ns();
  ++sample_count;
}

static void told(void *user, int status, const char *message,
                 const pagetide_checkpoint_result *result) {
  require(user == samples);
  if (status != 0) {
    require(strlen(message) > 10 && result->number == 0);
    if (getenv("VERBOSE"))
      fprintf(stderr, "skipped: %s\n", message);
    return;
  }
  require(result->number > 0 && result->cut_ns > 0 && !*message);
  if (getenv("VERBOSE"))
    fprintf(stderr, "%llu: pause %llu us, %llu KiB, in %llu us\n",
            (unsigned long long)result->number,
            (unsigned long long)result->pause_ns / 1000,
            (unsigned long long)result->moved_bytes >> 10,
            (unsigned long long)result->duration_ns / 1000);
  unsigned count = sample_count;
  for (unsigned i = count; i > 0 && i + SAMPLES / 2 > count; --i)
    if (samples[(i - 1) % SAMPLES].time < result->cut_ns) {
      require(pwrite(known, samples[(i - 1) % SAMPLES].done_by, sizeof done_by,
                     0) == sizeof done_by);
      return;
    }
}

static unsigned check_all(pagetide_checkpoint *c) {
  pagetide_checkpoint_result newest = {.size = sizeof newest};
  int status = pagetide_checkpoint_restore(c, 0, &newest);
  if (status == PAGETIDE_CHECKPOINT_NONE)
    return 0;
  require_checkpoint(status, 0);
  unsigned checked = 0;
  for (uint64_t number = 1; number < newest.number; ++number) {
    status = pagetide_checkpoint_restore(c, number, NULL);
    if (status == PAGETIDE_CHECKPOINT_NONE)
      continue;
    require_checkpoint(status, 0);
    check_state();
    ++checked;
  }
  restored(c, 0);
  check_state();
  uint64_t before[COUNTERS + TRANSFERS];
  if (pread(known, before, sizeof before, 0) == sizeof before)
    for (int t = 0; t < COUNTERS + TRANSFERS; ++t)
      require(done_by[t] >= before[t]);
  return checked + 1;
}

/* every FOLDER KNOWN [CHECKPOINTS [no-updates]] */
int main(int argc, char **argv) {
  require(argc >= 3);
  const uint64_t wanted = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
  without_updates = argc > 4 && strcmp(argv[4], "no-updates") == 0;
  known = open(argv[2], O_RDWR | O_CREAT, 0600);
  require(known >= 0);
  begin_state();
  pagetide_checkpoint_config config = in_folder(argv[1]);
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  /* All that a run was asked for are there to be checked. */
  config.keep = argc > 4 ? 1000 : 6;
  config.max_chain = argc > 4 ? 256 : 10;
  pagetide_checkpoint *c = open_with(&config);
  protect_state(c);
  printf("%u checkpoints are consistent\n", check_all(c));
  fflush(stdout);
  if (wanted == 0)
    return 0;
  start_threads();
  require_checkpoint(pagetide_checkpoint_every(c, 4000000, told, samples), 0);
  pagetide_checkpoint_counts counts = {.size = sizeof counts};
  while (counts.made < wanted) {
    take_sample();
    usleep(1000);
    require_checkpoint(pagetide_checkpoint_count(c, &counts), 0);
  }
  require_checkpoint(pagetide_checkpoint_every(c, 0, NULL, NULL), 0);
  end_threads();
  printf("%llu made, %llu skipped, longest pause %llu us\n",
         (unsigned long long)counts.made, (unsigned long long)counts.skipped,
         (unsigned long long)counts.longest_pause_ns / 1000);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return 0;
}
