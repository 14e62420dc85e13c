//===- thread_memory.cpp - Where each thread's stack and own variables are ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/thread_memory.h"

#include "arch/thread_pointer.h"
#include "pagetide/shadow_file.h"
#include "platform/options.h"

#include "interception/interception.h"
#include "sanitizer_common/sanitizer_linux.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

DECLARE_REAL(int, pthread_attr_destroy, void *attr)

namespace pagetide {

static ThreadArea areas[shadow_file::kMaxSlots];

ThreadArea AreaOfSlot(u32 slot) {
  const uptr bytes = LoadAcquire(&areas[slot].bytes);
  return {areas[slot].begin, bytes, areas[slot].is_stack};
}

static void SetArea(u32 slot, uptr begin, uptr bytes, bool is_stack) {
  areas[slot].bytes = 0;
  areas[slot].begin = begin;
  areas[slot].is_stack = is_stack;
  StoreRelease(&areas[slot].bytes, bytes);
}

/// Behind the thread pointer; 0 if libc does not tell.
static u32 tid_offset;

static u32 TidAt(u32 offset) {
  return *(const u32 *)(ThreadPointer() + offset);
}

u32 TidOfDescriptor() { return tid_offset ? TidAt(tid_offset) : GetTidRaw(); }

void FindTidOfDescriptor() {
  // Bits, number and offset of a field, as libc tells debuggers.
  const auto *field =
      (const u32 *)dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid");
  if (field && field[0] == 32 && field[1] == 1 &&
      field[2] < __sanitizer::ThreadDescriptorSize() &&
      TidAt(field[2]) == GetTidRaw())
    tid_offset = field[2];
}

bool AreasWanted() { return GetFlags().kernel_writes; }

/// The end of the pages that hold libc's descriptor of the calling thread. The
/// descriptor is at the thread pointer. libc tells debuggers its size.
static uptr EndOfDescriptor() {
  return PageUp(ThreadPointer() + __sanitizer::ThreadDescriptorSize());
}

uptr StackBytes(const void *attributes) {
  // pthread_getattr_np on the thread itself would allocate memory.
  size_t bytes = 0;
  if (attributes) {
    pthread_attr_getstacksize((const pthread_attr_t *)attributes, &bytes);
    return bytes;
  }
  pthread_attr_t defaults; // from a call that no interceptor marks
  if (!pthread_getattr_default_np(&defaults)) {
    pthread_attr_getstacksize(&defaults, &bytes);
    REAL(pthread_attr_destroy)(&defaults);
  }
  return bytes;
}

void NoteStack(u32 slot, uptr bytes) {
  SetArea(slot, PageDown(EndOfDescriptor() - bytes), bytes, true);
}

/// The first thread's stack has a name in the list of mappings. Its static
/// thread-local storage has none. The modules' blocks are below the thread
/// pointer, and libc's descriptor is above it.
void NoteThreadLocal(u32 slot) {
  const uptr thread_pointer = ThreadPointer();
  struct Search {
    uptr pointer, lowest;
  } search = {thread_pointer, thread_pointer};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *arg) {
        constexpr uptr kMaxStatic = 1 << 20;
        Search &s = *(Search *)arg;
        const uptr block = (uptr)info->dlpi_tls_data;
        if (block < s.lowest && s.pointer - block < kMaxStatic)
          s.lowest = block;
        return 0;
      },
      &search);
  const uptr begin = PageDown(search.lowest);
  SetArea(slot, begin, EndOfDescriptor() - begin, false);
}

} // namespace pagetide
