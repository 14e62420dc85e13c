//===- stream_buffers.cpp - Buffers of streams under engine mprotect ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libc reads files into buffers on the heap, by system calls that cannot be
// intercepted. Under engine mprotect, streams that are read get buffers that
// are never protected.
//
//===----------------------------------------------------------------------===//

#include "interceptors/stream_buffers.h"

#include "platform/locks.h"
#include "platform/own_memory.h"
#include "platform/program_events.h"

#include <stddef.h>

extern "C" int setvbuf(void *f, char *buffer, int mode, size_t bytes);

namespace pagetide {

constexpr uptr kStreamBuffer = 4096;
constexpr u32 kMaxBuffers = 256;
static void *buffered[kMaxBuffers]; ///< the stream that has the buffer

static u8 *StreamBuffers() {
  static u8 *memory;
  if (u8 *known = __atomic_load_n(&memory, __ATOMIC_ACQUIRE))
    return known;
  auto *made = (u8 *)MapAnonymous(kMaxBuffers * kStreamBuffer, false);
  u8 *none = nullptr;
  if (made &&
      !__atomic_compare_exchange_n(&memory, &none, made, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    Unmap(made, kMaxBuffers * kStreamBuffer);
    return none;
  }
  return made;
}

u32 BufferOf(void *f) {
  if (EngineListens())
    for (u32 i = 0; i < kMaxBuffers; ++i)
      if (buffered[i] == f)
        return i + 1;
  return 0;
}
void GiveBuffer(void *f, const char *mode) {
  // A stream that is written may be a terminal, and libc buffers those by
  // lines.
  if (!EngineListens() || !f || *mode != 'r' || BufferOf(f))
    return;
  u8 *buffers = StreamBuffers();
  for (u32 i = 0; buffers && i < kMaxBuffers; ++i) {
    void *none = nullptr;
    if (buffered[i] ||
        !__atomic_compare_exchange_n(&buffered[i], &none, f, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    constexpr int kFull = 0; // _IOFBF
    if (setvbuf(f, (char *)buffers + i * kStreamBuffer, kFull, kStreamBuffer))
      StoreRelease(&buffered[i], nullptr);
    return;
  }
}
void TakeBackBuffer(u32 place) {
  if (place)
    StoreRelease(&buffered[place - 1], nullptr);
}

void BufferInput(void *f) { GiveBuffer(f, "r"); }

} // namespace pagetide
