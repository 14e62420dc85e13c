//===- covered_threads.h - Who has changed to marked code -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In builds of mode windows a thread marks abi::kCoveredAddress when it changes
// to marked code. That is no access, so the engine keeps it out of all sets.

#pragma once

#include "shadow/shadow.h"

namespace pagetide {

/// The first word as it is staged, without that mark. Remembers the slot that
/// had it.
u64 FirstWithoutCovered(u32 slot, u64 value);

/// The same of any word: only the first one has the mark.
inline u64 WithoutCovered(u32 slot, u64 word, u64 value) {
  return word ? value : FirstWithoutCovered(slot, value);
}

/// Calls visit(slot) for each slot that had the mark since the last call.
void TakeCoveredSlots(void (*visit)(u32 slot));

} // namespace pagetide
