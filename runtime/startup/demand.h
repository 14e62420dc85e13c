//===- demand.h - Whether marks are on ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is built on demand has marks only while its module's byte is set
// (pagetide/abi.h). The first phase decides before any constructor runs. If
// marks are off, the runtime does nothing: no shadow, no threads, no GS base,
// and interceptors jump to the real functions.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// First phase: decides from `flags` (abi::ModuleFlags), those of all loaded
/// modules together, from the environment, and from the program's default
/// options. `always` tells whether a module has marks that cannot be off.
bool MarksAreWanted(u32 flags, bool always);

/// True once marks are on, or will be when the running call returns.
bool MarksAreOn();
void SetMarksOn();

/// Interceptors do nothing from now on.
void LeaveMarksOff();

} // namespace pagetide
