//===- ObjectParts.h - Accesses that stay in one granule --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index of an access to a table may be unknown, and yet be limited:
//
//     table[(crc ^ byte) & 255]
//
// If such a part of an object is aligned to its size, all of it lies in one
// granule. So one mark serves all accesses to it, at an address that the
// function does not compute. Limits come from the index's own computation. That
// an object ends somewhere is not a limit: a program may access what lies
// behind.

#pragma once

#include "Accesses.h"

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class DataLayout;
} // namespace llvm

namespace pagetide {

/// Sets the member Part of all accesses in \p Accesses, which are those of one
/// function. Raises the alignment of constant tables for it, up to the next
/// power of two from their size.
void findObjectParts(llvm::MutableArrayRef<Access> Accesses,
                     const llvm::DataLayout &DL, uint64_t GranuleBytes);

} // namespace pagetide
