//===- other_namespace.h - The library loaded once more -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlmopen and LD_AUDIT load libraries into a namespace of their own. It has a
// copy of libc, and of this library if one of them is instrumented. A process
// has one shadow and one recorder, which belong to the copy in the program's
// namespace. Another copy would also miss the program's threads, forks and
// exits, which call another libc. So it leaves marks off.

#pragma once

#include "pagetide/abi.h"

namespace pagetide {

/// Whether this copy of the library is not in the program's namespace.
bool InOtherNamespace();

/// For an instrumented module there: says that it is not recorded, once, if
/// somebody wants to record the process. Ends the program if the module's marks
/// cannot be off.
void LeaveOutModule(const abi::ModuleNote &note);

} // namespace pagetide
