//===- mark_switches.cpp - The bytes that say whether marks are on --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow/mark_switches.h"

#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "shadow/shadow.h"

#include "sanitizer_common/sanitizer_mutex.h"

namespace pagetide {

/// Files beyond this many keep their marks on. That loses nothing.
static constexpr u32 kMaxSwitches = 1024;

PAGETIDE_ZERO_IN_CHILD static __sanitizer::StaticSpinMutex mutex;
static const abi::ModuleNote *records[kMaxSwitches];
static u32 count;
/// Of files with mode windows, and of the others.
static u8 wanted = 1, wanted_of_others = 1;
static bool any_without, any_without_byte;

static bool HasWindows(const abi::ModuleNote &record) {
  return record.info.flags & abi::kModuleWindows;
}

static u8 Wanted(const abi::ModuleNote &record) {
  return HasWindows(record) ? wanted : wanted_of_others;
}

void AddMarkSwitch(const abi::ModuleNote &record) {
  u8 *byte = abi::marks_on_byte(record);
  __sanitizer::SpinMutexLock lock(&mutex);
  any_without |= !HasWindows(record);
  any_without_byte |= !byte;
  if (!byte)
    return;
  u32 i = 0;
  while (i < count && records[i] != &record)
    ++i;
  const u8 value = i < kMaxSwitches ? Wanted(record) : 1;
  if (*byte != value) // an audit sees what is written
    __atomic_store_n(byte, value, __ATOMIC_RELAXED);
  if (i < kMaxSwitches)
    records[i] = &record;
  if (i == count && i < kMaxSwitches)
    ++count;
}

void RemoveMarkSwitch(const abi::ModuleNote &record) {
  __sanitizer::SpinMutexLock lock(&mutex);
  for (u32 i = 0; i < count; ++i)
    if (records[i] == &record) {
      // Other destructors may run after this, and a window begin.
      u8 *byte = abi::marks_on_byte(record);
      if (!*byte)
        __atomic_store_n(byte, 1, __ATOMIC_RELAXED);
      records[i] = records[--count];
      return;
    }
}

static void SetBytes() {
  for (u32 i = 0; i < count; ++i)
    __atomic_store_n(abi::marks_on_byte(*records[i]), Wanted(*records[i]),
                     __ATOMIC_RELEASE);
}

/// Marked code calls libc's functions and expects their marks.
static void SwitchOn() {
  wanted = wanted_of_others = 1;
  LetInterceptorsMark(true);
  SetBytes();
}

void SwitchMarks(bool on) {
  __sanitizer::SpinMutexLock lock(&mutex);
  if (on)
    return SwitchOn();
  wanted = 0;
  SetBytes();
  LetInterceptorsMark(any_without);
}

void LetMarksRest() {
  __sanitizer::SpinMutexLock lock(&mutex);
  wanted = wanted_of_others = 0;
  SetBytes();
  LetInterceptorsMark(false);
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

} // namespace pagetide
