/*===- frames.c - Stack pages that hold nothing but frames -----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A recursion that keeps everything in registers, saved ones and spilled ones,
// makes no store that the pass could see. With option frames each call marks its
// return address, and so all pages between the outermost and the innermost frame.

// RUN: %python %e2e/Inputs/stack_pages.py --pagetide %pagetide --work %t.work \
// RUN:   --build "%build_c %s" --levels O0,O1,O2,O3,Os --layouts rw,access,write

#include <pagetide/pagetide.h>
#include <stdint.h>
#include <stdio.h>

enum { kDepth = 20000 };

static uintptr_t innermost;
/// Of the first call: main's own return address is libc's store.
static uintptr_t outermost;

__attribute__((noinline)) static uint64_t sink(uint64_t depth, uint64_t a,
                                               uint64_t b, uint64_t c) {
  if (depth == kDepth)
    outermost = (uintptr_t)__builtin_frame_address(0);
  if (depth == 0) {
    innermost = (uintptr_t)__builtin_frame_address(0);
    return a + b + c;
  }
  uint64_t below = sink(depth - 1, b, c, a ^ depth);
  return below * a + b * depth + c;
}

int main(int argc, char **argv) {
  (void)argv;
  uint64_t result = sink(kDepth, (uint64_t)argc, 2, 3);
  pagetide_period_end();
  printf("%lx %lx %d\n", (unsigned long)innermost, (unsigned long)outermost,
         (int)(result & 1));
  return 0;
}
