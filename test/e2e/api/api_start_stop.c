/*===- api_start_stop.c - Starting, stopping, starting again ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O2 %s -o rw && %build_c -O2 -Xclang -mllvm \
// RUN:   -Xclang -pagetide-layout=access %s -o access
// RUN: ./rw rw && ./access access
//
// Each start after the first has a trace of its own, and none is overwritten.
// RUN: ls -1 rw.*ptrace* | wc -l | grep -x 4
// RUN: for trace in rw.ptrace*; do %pagetide info $trace | grep complete; done
//
// pagetide_start(NULL) takes what the options say.
// RUN: PAGETIDE_OPTIONS="period=0:trace_path='by_options'" ./rw options
// RUN: %pagetide export --format csv by_options.* | grep -c 0x100100000000 \
// RUN:   | grep -x 1

#include "recording.h"

static const char *name;

static void start_fails(pagetide_config config, int status) {
  require_status(pagetide_start(&config), status);
  require_status(pagetide_stop(), PAGETIDE_NOT_RECORDING);
}

static void errors(const char *layout) {
  pagetide_config config = driven_config();
  require_status(pagetide_stop(), PAGETIDE_NOT_RECORDING);

  config.size = 0;
  start_fails(config, PAGETIDE_INVALID);
  config = driven_config(), config.period_ns = 1;
  start_fails(config, PAGETIDE_INVALID);
  config = driven_config(), config.period_ns = 999999;
  start_fails(config, PAGETIDE_INVALID);
  config = driven_config(), config.checksum = 3;
  start_fails(config, PAGETIDE_INVALID);
  config = driven_config(), config.checksum = -1;
  start_fails(config, PAGETIDE_INVALID);
  config = driven_config(), config.unstable = 4;
  start_fails(config, PAGETIDE_INVALID);
  config = driven_config(), config.unstable = -1;
  start_fails(config, PAGETIDE_INVALID);
  config = driven_config(), config.trace_path = "/nonexistent/directory/trace";
  start_fails(config, PAGETIDE_IO);
  config = driven_config(), config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  if (strcmp(layout, "access") == 0) {
    start_fails(config, PAGETIDE_UNSUPPORTED);
    config.checksum = PAGETIDE_CHECKSUM_ACCESSED;
  }
  require_status(pagetide_start(&config), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_BUSY);
  require_status(pagetide_start(NULL), PAGETIDE_BUSY);
  require_status(pagetide_stop(), PAGETIDE_OK);
  require_status(pagetide_stop(), PAGETIDE_NOT_RECORDING);
}

/* What was touched before a start is forgotten; what after, is there. */
static void forgets(char *a) {
  uint32_t written = strcmp(name, "access") == 0 ? PAGETIDE_ACCESSED
                                                 : PAGETIDE_WRITTEN;
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  for (int round = 0; round < 3; ++round) {
    write_byte(a);
    start_driven();
    write_byte(a + (1 + round) * PAGE);
    seen.calls = 0;
    require_status(pagetide_stop(), PAGETIDE_OK);
    require_equal(seen.calls, 1);
    require_equal(seen.period.index, 0);
    require_equal(seen.period.flags, PAGETIDE_PERIOD_FINAL);
    require_equal(flags_of(0, a), 0);
    require_equal(flags_of(0, a + (1 + round) * PAGE), written);
    require_equal(seen_granules(), 1);
  }
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_OK);
}

static void traces(char *a) {
  char path[64];
  pagetide_config config = driven_config();
  snprintf(path, sizeof path, "%s.ptrace", name);
  for (int i = 0; i < 4; ++i) {
    config.trace_path = path;
    require_status(pagetide_start(&config), PAGETIDE_OK);
    /* The path was only borrowed. */
    config.trace_path = NULL;
    write_byte(a);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require_status(pagetide_flush(), PAGETIDE_OK);
    require_status(pagetide_stop(), PAGETIDE_OK);
  }
}

int main(int argc, char **argv) {
  require(argc == 2);
  name = argv[1];
  char *a = arena(1, 64 * PAGE);
  if (strcmp(name, "options") == 0) {
    /* The options have started a trace already. */
    require_status(pagetide_start(NULL), PAGETIDE_BUSY);
    require_status(pagetide_stop(), PAGETIDE_OK);
    require_status(pagetide_start(NULL), PAGETIDE_OK);
    write_byte((char *)map_arena(4, PAGE));
    require_status(pagetide_watch((char *)(ARENA_BASE + 4 * GIB), PAGE),
                   PAGETIDE_OK);
    require_status(pagetide_stop(), PAGETIDE_OK);
    return 0;
  }
  errors(name);
  forgets(a);
  traces(a);
  return 0;
}
