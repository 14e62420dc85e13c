//===- loaded_modules.h - The instrumented files of the process -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instrumented file has a note (pagetide/abi.h), which the first phase
// reads with system calls only.

#pragma once

#include "pagetide/abi.h"
#include "platform/syscalls.h"

namespace pagetide {

/// What the notes of all modules say.
struct LoadedNotes {
  bool any;    ///< there is a note
  bool always; ///< a module has marks that cannot be off
  u32 flags;   ///< abi::ModuleFlags of all modules together
  /// The first library that has one, if the program has none; else null.
  const char *library;
};

/// First phase: reads the notes of the modules that the loader has mapped. Dies
/// with a message if the runtime does not know what one says.
const LoadedNotes &ReadLoadedNotes();

/// A module's constructor has passed its record. From here on the module is
/// found even if its note is lost.
void AnnounceModule(const abi::ModuleNote &record);

/// Whether a module with a note was there in the first phase, or loaded since.
bool HasInstrumentedModule();
/// What the first phase read.
const LoadedNotes &NotesOfStart();
void NoteInstrumentedModule();

/// Admits all modules that the loader has mapped, by their notes.
void AdmitLoadedModules();

/// True if these would be admitted, as far as their notes tell. `shadow_bytes`
/// becomes the address space that a first shadow takes.
bool LoadedModulesFit(u64 &shadow_bytes);

/// Whether all of them were built with mode windows.
bool LoadedModulesChangeCopies();

/// Sets the bytes that they test.
void SwitchLoadedModulesOn();

/// Makes the shadow for `module` if there is none. Ends the program with a
/// message if the module was built differently from those before it. `origin`
/// names the module in the message.
void AdmitModule(const abi::ModuleInfo &module, const char *origin);

/// The same in a process that an engine without marks records. That sees what
/// the module writes, so nobody needs its marks.
void LeaveMarksUnread(const abi::ModuleNote &record, const char *origin);

} // namespace pagetide
