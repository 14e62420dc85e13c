/*===- program_with_zstd.c - The runtime's zstd calls nothing of the program ===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The program has the functions that zstd calls where someone defines them, as
// one with a zstd of its own may. The zstd within the runtime does not call them.
// RUN: rm -rf %t && mkdir %t && cd %t && %build_c -O1 %s -o program
// RUN: PAGETIDE_OPTIONS="trace_path='trace':period=0" ./program
// RUN: %pagetide info trace

// The runtime uses no other symbol of the program's by accident. The functions
// of sanitizers (__sanitizer, __lsan) are hidden in their libraries, or their
// own. zstd's hooks have names that nobody uses (__pagetide_internal).
// RUN: llvm-nm -D --undefined-only %runtime | grep ' w ' >weak
// RUN: grep -c __pagetide_default_options weak
// RUN: not grep -v -e __pagetide_default_options -e __sanitizer -e _ITM_ \
// RUN:   -e __pagetide_internal_ZSTD_trace -e __cxa_finalize -e __gmon_start__ \
// RUN:   -e '__[a-z]*san_init' -e __lsan_do_leak_check weak

#include "recording.h"

#include <stdlib.h>

unsigned long long ZSTD_trace_compress_begin(const void *context) { abort(); }
void ZSTD_trace_compress_end(unsigned long long trace, const void *what) {
  abort();
}

int main(void) {
  char *a = arena(0, 1024 * PAGE);
  for (int i = 0; i < 300; ++i) {
    write_byte(a + i * PAGE);
    require_status(pagetide_period_end(), PAGETIDE_OK);
  }
  require_status(pagetide_flush(), PAGETIDE_OK);
  return 0;
}
