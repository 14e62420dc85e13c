//===- mark_switches.h - The bytes that say whether marks are on *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each linked file has one (abi::kMarksOnSymbol). They are off between windows,
// and when a recording has been stopped. The recorder's thread switches them. A
// library may be unloaded at any time, and its byte with it. The functions that
// stand for libc's make marks while the bytes are on.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_SHADOW_MARK_SWITCHES_H
#define PAGETIDE_RUNTIME_SHADOW_MARK_SWITCHES_H

#include "pagetide/abi.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Adds the byte of a record, if it has one, and sets it as the others are. Any
/// thread, while its module cannot be unloaded.
void AddMarkSwitch(const abi::ModuleNote &record);

/// Sets all bytes. False if a library is being unloaded: try again later.
bool SwitchMarks(bool on);

/// Clears all bytes, at the latest when no library is being unloaded any more,
/// and unless marks are switched on before.
void LetMarksRest();

/// What the bytes are set to.
bool MarksAreSwitchedOn();

/// Whether all files have a byte.
bool AllSwitch();
/// Whether all files were built with mode windows.
bool AllSwitchWhileRunning();

/// An object of this class exists while a library may be unloaded.
class UnloadingLibrary {
public:
  UnloadingLibrary();
  ~UnloadingLibrary();
  UnloadingLibrary(const UnloadingLibrary &) = delete;
  UnloadingLibrary &operator=(const UnloadingLibrary &) = delete;
};

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_SHADOW_MARK_SWITCHES_H
