//===- mark_switches.h - The bytes that say whether marks are on *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each linked file has one (abi::kMarksOnSymbol). They are off between windows,
// and when a recording has been stopped. The recorder's thread switches them. A
// library that is unloaded says so before: who unloads it need not call our
// dlclose. The functions that stand for libc's make marks while bytes are on.

#pragma once

#include "pagetide/abi.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Adds the byte of a record, if it has one, and sets it as the others are. Any
/// thread, while its module cannot be unloaded.
void AddMarkSwitch(const abi::ModuleNote &record);

/// The module's destructors run: it may be unloaded after this.
void RemoveMarkSwitch(const abi::ModuleNote &record);

/// Sets all bytes, or clears those of files that were built with mode windows.
/// A file without it that is loaded between windows keeps its marks on: its
/// code could not change to its marked copy when the next one begins.
void SwitchMarks(bool on);

/// Clears all bytes. No recording is going on.
void LetMarksRest();

/// What the bytes are set to.
bool MarksAreSwitchedOn();

/// Whether all files have a byte.
bool AllSwitch();
/// Whether all files were built with mode windows.
bool AllSwitchWhileRunning();

} // namespace pagetide
