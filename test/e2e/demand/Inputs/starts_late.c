/* Writes a trace from the middle of its run on. */

#include "recording.h"

const char *__pagetide_default_options(void) { return "marks=late"; }

static char memory[8 * 4096];
NOINLINE void touch(char *p) { p[0] = 1; }

int main(void) {
  pagetide_config config = driven_config();
  config.trace_path = "trace";
  touch(memory);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  touch(memory + 4096);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  return 0;
}
