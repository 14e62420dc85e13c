//===- mark_switches.h - The bytes that say whether marks are on *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each linked file has one (abi::kMarksOnSymbol). Who records in windows
// switches them off and on again, from the recorder's thread. A library may be
// unloaded at any time, and its byte with it.
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
