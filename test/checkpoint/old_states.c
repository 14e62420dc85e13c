/*===- old_states.c - Looking at old checkpoints, and going on from one
 *-----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/old_states
// RUN: %t/old_states %t/folder %t/aged
// RUN: %pagetide checkpoint verify %t/folder

#include "checkpoints.h"

enum { COUNT = 16, SAVES = 6 };

static uint8_t *state;

static void set_state(int step) { memset(state, step, COUNT * 4096); }

static void require_state(int step) {
  for (size_t i = 0; i < COUNT * 4096; ++i)
    require_equal(state[i], step);
}

/* Saves the steps 1 to SAVES under these numbers. */
static pagetide_checkpoint *with_history(const char *folder, size_t keep) {
  pagetide_checkpoint_config config = in_folder(folder);
  config.keep = keep;
  pagetide_checkpoint *c = open_with(&config);
  state = pages(COUNT);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, state, COUNT * 4096), 0);
  for (int step = 1; step <= SAVES; ++step) {
    set_state(step);
    require_equal(saved(c).number, step);
  }
  return c;
}

int main(int argc, char **argv) {
  require(argc == 3);
  pagetide_checkpoint *c = with_history(argv[1], 100);

  /* Looking changes nothing: afterwards the newest is the parent. */
  restored(c, 2);
  require_state(2);
  restored(c, 4);
  require_state(4);
  restored(c, 0);
  require_state(SAVES);
  set_state(7);
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.number, 7);
  require_equal(r.parent, 6);
  require_equal(r.flags, 0);

  /* Going on from an old one keeps what came after it. */
  restored(c, 3);
  state[5] = 80;
  r = saved(c);
  require_equal(r.number, 8);
  require_equal(r.flags, PAGETIDE_CHECKPOINT_BASE);
  state[6] = 90;
  r = saved(c);
  require_equal(r.number, 9);
  require_equal(r.parent, 8);
  for (int step = 1; step <= 7; ++step) {
    restored(c, (uint64_t)step);
    require_state(step);
  }
  restored(c, 0);
  require_equal(state[5], 80);
  require_equal(state[6], 90);
  require_equal(state[7], 3);
  require_checkpoint(pagetide_checkpoint_close(c), 0);

  /* They become old as others do. */
  c = with_history(argv[2], 2);
  restored(c, 5);
  set_state(70);
  require_equal(saved(c).number, 7);
  /* What it went on from counts, and not what it went back behind. */
  restored(c, 5);
  require_state(5);
  restored(c, 6);
  require_state(6);
  restored(c, 0);
  require_state(70);
  set_state(80);
  require_equal(saved(c).number, 8);
  for (uint64_t number = 1; number <= SAVES; ++number) {
    pagetide_checkpoint_result gone = {.size = sizeof gone};
    require_checkpoint(pagetide_checkpoint_restore(c, number, &gone),
                       PAGETIDE_CHECKPOINT_NONE);
  }
  restored(c, 7);
  require_state(70);
  restored(c, 0);
  require_state(80);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return 0;
}
