//===- raw_thread_ids.cpp - Which threads libc does not know --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/raw_thread_ids.h"

namespace pagetide {

// The few raw threads of this process.
static const u32 *raw_threads[8];

bool IsRawThread(u32 tid) {
  for (const u32 *id : raw_threads)
    if (id && LoadAcquire(id) == tid)
      return true;
  return false;
}

u32 RawThreadCount() {
  u32 count = 0;
  for (const u32 *id : raw_threads)
    count += id && LoadAcquire(id);
  return count;
}

bool RegisterRawThread(const u32 *tid) {
  for (const u32 *&id : raw_threads)
    if (!id || id == tid) {
      id = tid;
      return true;
    }
  return false;
}

void DeregisterRawThread(const u32 *tid) {
  for (const u32 *&id : raw_threads)
    if (id == tid)
      id = nullptr;
}

void DeregisterRawThreads() {
  for (const u32 *&id : raw_threads)
    id = nullptr;
}

} // namespace pagetide
