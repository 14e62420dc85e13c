/*===- api_join_record.c - pagetide_start() under pagetide record ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The program joins the recording: its callback gets periods with record's
// settings. When it stops, the recording goes on without it.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O2 %s -o program
// RUN: %pagetide record -p 0 --checksum written -o trace -- ./program
// RUN: %pagetide info trace | grep complete
// RUN: %pagetide export --format csv trace >rows
//
// The trace has all of it: what was touched before the program joined, while it
// took part, and after it left.
// RUN: grep -c 0x100040000000 rows | grep -x 1
// RUN: grep -c 0x100040001000 rows | grep -x 1
// RUN: grep -c 0x100040002000 rows | grep -x 1
// RUN: grep -c 0x100040003000 rows | grep -x 1
//
// A forked child takes part as its parent did.
// RUN: %pagetide record -p 0 --checksum written -o forked -- ./program fork

#include "recording.h"

#include <sys/wait.h>
#include <unistd.h>

static void joined(char *a) {
  seen.calls = 0;
  write_byte(a + PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen.calls, 1);
  require_equal(flags_of(0, a), 0);
  require_equal(flags_of(0, a + PAGE), PAGETIDE_WRITTEN);
  /* Record's settings, not the program's. */
  require(page_of(a + PAGE) != NULL);
  require_equal(page_of(a + PAGE)->state, PAGETIDE_STATE_STABLE);
}

int main(int argc, char **argv) {
  (void)argv;
  char *a = arena(1, 64 * PAGE);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  write_byte(a);
  pagetide_config config = driven_config();
  config.size = 0;
  require_status(pagetide_start(&config), PAGETIDE_INVALID);
  start_driven();
  /* What came before is not the program's. */
  require_equal(seen.calls, 0);
  require_status(pagetide_start(&config), PAGETIDE_INVALID);
  require_status(pagetide_start(NULL), PAGETIDE_BUSY);
  joined(a);

  if (argc > 1) {
    const pid_t child = fork();
    if (child == 0) {
      require_status(pagetide_start(NULL), PAGETIDE_BUSY);
      joined(a);
      require_status(pagetide_stop(), PAGETIDE_OK);
      require_status(pagetide_stop(), PAGETIDE_NOT_RECORDING);
      return 0;
    }
    int status = -1;
    require(waitpid(child, &status, 0) == child && status == 0);
  }

  /* The final period is the program's last one. */
  write_byte(a + 2 * PAGE);
  require_status(pagetide_stop(), PAGETIDE_OK);
  require_equal(seen.calls, 2);
  require_equal(seen.period.flags, PAGETIDE_PERIOD_FINAL);
  require_equal(flags_of(0, a + 2 * PAGE), PAGETIDE_WRITTEN);
  require_status(pagetide_stop(), PAGETIDE_NOT_RECORDING);

  /* The recording goes on, without the callback. */
  write_byte(a + 3 * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen.calls, 2);

  /* It may join again. */
  require_status(pagetide_start(NULL), PAGETIDE_OK);
  write_byte(a + 4 * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen.calls, 3);
  require_equal(flags_of(0, a + 3 * PAGE), 0);
  require_equal(flags_of(0, a + 4 * PAGE), PAGETIDE_WRITTEN);
  return 0;
}
