/*===- exec_takes_long.c - Nothing follows the end of a program ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Many periods pass while execvp searches a long PATH: none of them follows the
// End frame, and the trace is whole.
// RUN: rm -rf %t && mkdir %t && cd %t && %build_c -O1 %s -o program
// RUN: PAGETIDE_OPTIONS="trace_path='found':period=1ms" ./program true
// RUN: %pagetide info found | grep 'complete, .*; ended by exec'

// Where it finds nothing, the program goes on, and so do its periods.
// RUN: PAGETIDE_OPTIONS="trace_path='missed':period=1ms" ./program no-such-program
// RUN: %pagetide info missed | grep 'complete, .*; ended by exit'
// RUN: %pagetide export --format csv missed >rows
// RUN: grep ',0x100000000000,0,1,,none,$' rows
// RUN: grep ',0x100000001000,0,1,,none,$' rows

#include "recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIRECTORIES = 40000 };

int main(int argc, char **argv) {
  char *a = arena(0, 16 * PAGE);
  write_byte(a);
  char *path = malloc(2 * DIRECTORIES + sizeof("/bin"));
  for (int i = 0; i < DIRECTORIES; ++i)
    memcpy(path + 2 * i, "x:", 2);
  memcpy(path + 2 * DIRECTORIES, "/bin", sizeof("/bin"));
  setenv("PATH", path, 1);
  execvp(argv[1], argv + 1);
  if (errno != ENOENT)
    return 1;
  write_byte(a + PAGE);
  // Until that write's period has ended: 1 ms, unless nothing ends it.
  for (int i = 0; i < 20000 && pagetide_query(a + PAGE, 1) > 0; ++i)
    usleep(1000);
  return pagetide_query(a + PAGE, 1);
}
