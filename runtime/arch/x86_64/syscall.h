//===- syscall.h - One system call ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

inline uptr Syscall(long number, uptr a, uptr b, uptr c, uptr d, uptr e,
                    uptr f) {
  uptr result;
  register uptr r10 asm("r10") = d;
  register uptr r8 asm("r8") = e;
  register uptr r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory", "cc");
  return result;
}

/// The vDSO's clock_gettime.
constexpr char kVdsoClockName[] = "__vdso_clock_gettime";

} // namespace pagetide
