//===- mark_switches.cpp - The bytes that say whether marks are on --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shadow/mark_switches.h"

#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "shadow/shadow.h"

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
PAGETIDE_ZERO_IN_CHILD static bool rest_asked;
static bool any_without, any_without_byte;

void AddMarkSwitch(const abi::ModuleNote &record) {
  u8 *byte = abi::marks_on_byte(record);
  __sanitizer::SpinMutexLock lock(&mutex);
  any_without |= !(record.info.flags & abi::kModuleWindows);
  any_without_byte |= !byte;
  if (!byte)
    return;
  u32 i = 0;
  while (i < count && records[i] != &record)
    ++i;
  const u8 value = i < kMaxSwitches ? wanted : 1;
  if (*byte != value) // an audit sees what is written
    __atomic_store_n(byte, value, __ATOMIC_RELAXED);
  if (i < kMaxSwitches)
    records[i] = &record;
  if (i == count && i < kMaxSwitches)
    ++count;
}

/// Marked code calls libc's functions and expects their marks.
static void SetBytes(bool on) {
  wanted = on;
  rest_asked = false;
  if (on)
    LetInterceptorsMark(true);
  for (u32 i = 0; i < count; ++i)
    __atomic_store_n(abi::marks_on_byte(*records[i]), wanted, __ATOMIC_RELEASE);
  if (!on)
    LetInterceptorsMark(false);
}

bool SwitchMarks(bool on) {
  __sanitizer::SpinMutexLock lock(&mutex);
  if (!unloading)
    SetBytes(on);
  return !unloading;
}

void LetMarksRest() {
  __sanitizer::SpinMutexLock lock(&mutex);
  if (unloading)
    rest_asked = true;
  else
    SetBytes(false);
}

bool MarksAreSwitchedOn() {
  __sanitizer::SpinMutexLock lock(&mutex);
  return wanted;
}

bool AllSwitch() {
  __sanitizer::SpinMutexLock lock(&mutex);
  return count && !any_without_byte;
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
  if (!--unloading && rest_asked)
    SetBytes(false);
}

} // namespace pagetide
