//===- thread_pointer.h - The thread pointer is the FS segment base -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// Of a jmp_buf. Whether there is a mask follows, as an int, and then the mask.
constexpr uptr kJumpRegisterBytes = 64;

inline uptr ThreadPointer() {
  uptr pointer;
  asm("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

inline void PointToItself(void *thread_pointer) {
  ((void **)thread_pointer)[0] = thread_pointer; // fs:0
  ((void **)thread_pointer)[2] = thread_pointer; // fs:16, libc's self
}

inline uptr StackOfJump(const void *buffer) {
  constexpr int kStackPointer = 6; // its index
  uptr hidden = ((const uptr *)buffer)[kStackPointer], secret;
  asm("mov %%fs:0x30, %0" : "=r"(secret));
  return (hidden >> 17 | hidden << 47) ^ secret;
}

} // namespace pagetide
