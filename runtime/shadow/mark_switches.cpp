//===- mark_switches.cpp - The bytes that say whether marks are on --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shadow/mark_switches.h"

#include "platform/fork_reset.h"
#include "platform/messages.h"

#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_mutex.h"

#include <dlfcn.h>

namespace pagetide {

/// Files beyond this many keep their marks on. That loses nothing.
static constexpr u32 kMaxSwitches = 1024;

PAGETIDE_ZERO_IN_CHILD static __sanitizer::StaticSpinMutex mutex;
PAGETIDE_ZERO_IN_CHILD static u32 unloading;
static const abi::ModuleNote *records[kMaxSwitches];
static u32 count;
static u8 wanted = 1;
static bool any_without;

void AddMarkSwitch(const abi::ModuleNote &record) {
  u8 *byte = abi::marks_on_byte(record);
  __sanitizer::SpinMutexLock lock(&mutex);
  any_without |= !(record.info.flags & abi::kModuleWindows);
  if (!byte)
    return;
  if (*byte != wanted) // an audit sees what is written
    __atomic_store_n(byte, wanted, __ATOMIC_RELAXED);
  for (u32 i = 0; i < count; ++i)
    if (records[i] == &record)
      return;
  if (count < kMaxSwitches)
    records[count++] = &record;
}

bool SwitchMarks(bool on) {
  __sanitizer::SpinMutexLock lock(&mutex);
  if (unloading)
    return false;
  wanted = on;
  for (u32 i = 0; i < count; ++i)
    __atomic_store_n(abi::marks_on_byte(*records[i]), wanted, __ATOMIC_RELAXED);
  return true;
}

bool AllSwitchWhileRunning() {
  __sanitizer::SpinMutexLock lock(&mutex);
  return count && !any_without;
}

UnloadingLibrary::UnloadingLibrary() {
  __sanitizer::SpinMutexLock lock(&mutex);
  ++unloading;
}

/// Whether a record is still there, and not the memory of another file.
static bool IsLoaded(const abi::ModuleNote *record) {
  dl_find_object found;
  return !_dl_find_object((void *)record, &found) &&
         !__sanitizer::internal_memcmp(record->name, abi::kNoteName,
                                       sizeof(abi::kNoteName));
}

UnloadingLibrary::~UnloadingLibrary() {
  __sanitizer::SpinMutexLock lock(&mutex);
  u32 kept = 0;
  for (u32 i = 0; i < count; ++i)
    if (IsLoaded(records[i]))
      records[kept++] = records[i];
  count = kept;
  --unloading;
}

} // namespace pagetide
