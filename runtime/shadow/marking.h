//===- marking.h - Marks that the runtime makes ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_SHADOW_MARKING_H
#define PAGETIDE_RUNTIME_SHADOW_MARKING_H

#include "platform/syscalls.h"

namespace pagetide {

/// Marks [address, address+bytes) in the calling thread's shadow. Ignores
/// ranges that no shadow covers: the access itself will fault.
/// Async-signal-safe.
void MarkRead(uptr address, uptr bytes);
void MarkWrite(uptr address, uptr bytes);
/// For what a failed call may have touched. These marks are made only in empty
/// cells.
void MarkMayRead(uptr address, uptr bytes);
void MarkMayWrite(uptr address, uptr bytes);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_SHADOW_MARKING_H
