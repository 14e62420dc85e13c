/*===- stream.c - A checkpoint goes through a pipe while threads write ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// What another process restores is of one instant, and has all that was done
// before the stream.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/stream
// A busy machine does not schedule all threads within 2 ms.
// RUN: export PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s
// RUN: for i in 1 2 3 4 5 6; do \
// RUN:   %t/stream send %t/sender %t/known 1 | %pagetide checkpoint apply %t/image > %t/applied && \
// RUN:   %t/stream check %t/image %t/known || exit 1; done
// RUN: FileCheck %s < %t/applied
// CHECK:      checkpoint 6 of {{.*}}image is what was streamed
// CHECK-NEXT: program stream
// CHECK-NEXT: regions 3, {{[0-9,]+}} bytes
// CHECK-NEXT: stream {{[0-9,]+}} bytes
// CHECK-NEXT: pause {{[0-9.]+ [mun]?s}}
// CHECK-NEXT: rounds {{[2-9]|[1-6][0-9]}}: {{they no longer became smaller|little had changed before the last}}
// CHECK:      round bytes in the stream
// CHECK-NEXT: 1 {{[0-9,]+}} {{[0-9,]+}}
// CHECK-NEXT: 2 {{[0-9,]+}} {{[0-9,]+}}
// RUN: %pagetide checkpoint verify %t/image | FileCheck %s --check-prefix=LIST
// LIST:     1 {{.*}} base, streamed
// LIST:     6 {{.*}} base, streamed
// While `record` ends periods too, and while checkpoints are made in the
// background; into a file.
// RUN: %pagetide record -p 7ms --no-output -- %t/stream every %t/sender %t/known 3 3> %t/file
// RUN: %pagetide checkpoint apply --json -i %t/file %t/second > %t/json
// RUN: %python -c "import json; a=json.load(open('%t/json')); \
// RUN:   assert a['pagetide_checkpoint_applied'] == 1 and a['number'] == 1 and a['program'] == 'stream'; \
// RUN:   assert a['regions'] == 3 and a['rounds'][0]['bytes'] == a['bytes'] and a['pause_ns'] > 0; \
// RUN:   assert 0 < a['stream_bytes'] - sum(r['stream_bytes'] for r in a['rounds']) < 100; \
// RUN:   assert len(a['rounds']) > 1 and a['why_last'] in ('not-shrinking', 'small')"
// RUN: %t/stream check %t/second %t/known
// And what that left in the sender's folder is a checkpoint as always.
// RUN: %pagetide checkpoint verify %t/sender

// Where threads are not stopped, memory contradicts itself.
// RUN: export PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s:cut_without=stop
// RUN: (for i in $(seq 60); do \
// RUN:   %t/stream send %t/sender %t/known 1 | %pagetide checkpoint apply %t/wrong && \
// RUN:   %t/stream check %t/wrong %t/known || break; done) 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: the checkpoint contradicts itself

// A cut that cannot be is told at both ends.
// RUN: PAGETIDE_OPTIONS=cut_stop=1ns %t/stream no-cut %t/sender %t/known 3 3> %t/refused
// RUN: (%pagetide checkpoint apply -i %t/refused %t/none 2>&1; test $? -eq 2) \
// RUN:   | FileCheck %s --check-prefix=NO-CUT
// NO-CUT: pagetide: checkpoint: {{.*}}refused: the sender gave up: there was no cut: {{.+}}
// RUN: %pagetide checkpoint list %t/none | grep 'has no checkpoint'

#include "threads_that_write.h"

#include <fcntl.h>

/* stream send|every|no-cut|check FOLDER KNOWN [FD] */
int main(int argc, char **argv) {
  require(argc >= 4);
  const char *mode = argv[1];
  uint64_t known[COUNTERS + TRANSFERS];
  int file = open(argv[3], O_RDWR | O_CREAT, 0600);
  require(file >= 0);
  begin_state();
  pagetide_checkpoint_config config = in_folder(argv[2]);
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  pagetide_checkpoint *c = open_with(&config);
  protect_state(c);
  if (strcmp(mode, "check") == 0) {
    restored(c, 0);
    check_state();
    require(pread(file, known, sizeof known, 0) == sizeof known);
    for (int t = 0; t < COUNTERS + TRANSFERS; ++t)
      require(done_by[t] >= known[t]);
    return 0;
  }
  start_threads();
  if (strcmp(mode, "every") == 0)
    require_checkpoint(pagetide_checkpoint_every(c, 4000000, NULL, NULL), 0);
  for (int t = 0; t < COUNTERS + TRANSFERS; ++t)
    while (*(volatile uint64_t *)&done_by[t] == 0)
      usleep(1000);
  memcpy(known, done_by, sizeof known);
  require(pwrite(file, known, sizeof known, 0) == sizeof known);
  pagetide_checkpoint_stream_config how = {.size = sizeof how};
  how.small_bytes = 4096;
  pagetide_checkpoint_streamed result = {.size = sizeof result};
  const int fd = atoi(argv[4]);
  int status = pagetide_checkpoint_stream(c, fd, &how, &result);
  if (strcmp(mode, "no-cut") == 0) {
    /* If the helper is too late to end a stop, that is a cut. */
    while (status == 0) {
      require(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
      status = pagetide_checkpoint_stream(c, fd, &how, &result);
    }
    require_checkpoint(status, PAGETIDE_CHECKPOINT_NO_CUT);
    require(result.rounds >= 1 && result.pause_ns == 0);
  } else {
    require_checkpoint(status, 0);
    require(result.rounds >= 2 && result.round_bytes[0] == result.bytes);
    require(result.cut_ns > 0);
    fprintf(stderr, "%u rounds, the last of %llu bytes, pause %llu us\n",
            result.rounds,
            (unsigned long long)result.round_bytes[result.rounds - 1],
            (unsigned long long)result.pause_ns / 1000);
  }
  require_checkpoint(pagetide_checkpoint_every(c, 0, NULL, NULL), 0);
  end_threads();
  saved(c);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return 0;
}
