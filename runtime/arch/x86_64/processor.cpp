//===- processor.cpp - What this processor has ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arch/processor.h"

#include "arch/syscall.h"

#include <cpuid.h>

namespace pagetide {

bool HasWideVectors() {
  u32 a, b, c = 0, d, low = 0, high;
  const bool has_state = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
  if (has_state) // does the kernel keep AVX's registers?
    asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr u32 kVectorState = 6;
  return (low & kVectorState) == kVectorState &&
         __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

} // namespace pagetide
