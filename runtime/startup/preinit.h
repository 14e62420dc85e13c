//===- preinit.h - The first phase of start-up ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs before every other constructor of the process (the library is linked
// with -z initfirst), because instrumented code marks from its first
// instruction on. It maps the shadow and sets the base with system calls only:
// libc, and other sanitizers, may not be ready.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_STARTUP_PREINIT_H
#define PAGETIDE_RUNTIME_STARTUP_PREINIT_H

#include "pagetide/abi.h"

namespace pagetide {

/// Whether a module with a note was there in the first phase, or loaded since.
bool HasInstrumentedModule();
void NoteInstrumentedModule();

/// Admits all modules that the loader has mapped, by their notes.
void AdmitLoadedModules();

/// Sets the bytes that they test.
void SwitchLoadedModulesOn();

/// Makes the shadow for `module` if there is none. Ends the program with a
/// message if the module was built differently from those before it. `origin`
/// names the module in the message.
void AdmitModule(const abi::ModuleInfo &module, const char *origin);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_STARTUP_PREINIT_H
