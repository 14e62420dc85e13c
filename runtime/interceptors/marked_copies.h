//===- marked_copies.h - Which function a marked copy belongs to ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In mode on-demand code runs in copies that have local symbols only. Who asks
// for the name of an address is told the function's, if that has one.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

struct CopiedFunction {
  const void *symbol; ///< of the function, in its file's dynamic table
  const char *name;
  uptr function; ///< where it begins
  uptr copy;     ///< where its marked copy begins
};

/// Finds the exported function that `address`, code of a marked copy, belongs
/// to. Takes no lock and no memory.
bool FindCopiedFunction(uptr address, CopiedFunction &found);

} // namespace pagetide
