//===- copies.h - Moving memory by string instructions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

inline void CopyUpwards(void *to, const void *from, uptr bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
}

inline void CopyDownwards(void *to, const void *from, uptr bytes) {
  void *last = (u8 *)to + bytes - 1;
  const void *last_from = (const u8 *)from + bytes - 1;
  asm volatile("std; rep movsb; cld"
               : "+D"(last), "+S"(last_from), "+c"(bytes)::"memory", "cc");
}

inline void Fill(void *to, int c, uptr bytes) {
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(c) : "memory");
}

} // namespace pagetide
