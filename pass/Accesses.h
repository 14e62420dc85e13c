//===- Accesses.h - What touches memory, and which bytes --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which instructions count as accesses and which bytes each of them
// touches. No other file decides that. It changes nothing and knows nothing
// about marks: MarkPlanner decides which marks an access needs.
//
// An access is described exactly: a masked vector access by its lanes, an
// aggregate without its padding. Nothing is rounded up here.

#pragma once

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Alignment.h"

#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace pagetide {

struct PassOptions;

enum class AccessKind : uint8_t { Read = 1, Write = 2, ReadWrite = 3 };

inline bool reads(AccessKind Kind) {
  return static_cast<uint8_t>(Kind) & static_cast<uint8_t>(AccessKind::Read);
}
inline bool writes(AccessKind Kind) {
  return static_cast<uint8_t>(Kind) & static_cast<uint8_t>(AccessKind::Write);
}

/// How a value says which lanes are enabled.
enum class LaneEncoding : uint8_t {
  Bits,     ///< a vector of i1
  SignBits, ///< the top bit of each element; may have more than LaneCount
  LowBits,  ///< bit I of an integer
};

/// Which lanes of a vector access are accessed: those that Lanes enables and
/// that are below Limit.
struct LaneMask {
  llvm::Value *Lanes = nullptr; ///< null: all
  LaneEncoding Encoding = LaneEncoding::Bits;
  llvm::Value *Limit = nullptr; ///< an integer; null: none

  /// Bit I is set if lane I is accessed. std::nullopt if that is known only at
  /// run time. Undefined lanes are not accessed.
  std::optional<llvm::SmallBitVector> constantLanes(unsigned LaneCount) const;
};

/// Which bytes an access touches.
enum class AccessShape : uint8_t {
  /// Bytes bytes at Address + Offset.
  Fixed,
  /// Length bytes (a value, may be 0) at Address.
  Range,
  /// Those of LaneCount adjacent elements of Bytes bytes, from Address on, that
  /// Mask enables.
  Lanes,
  /// As many adjacent elements of Bytes bytes, from Address on, as Mask
  /// enables.
  Packed,
  /// LaneCount elements, those that Mask enables. Each has Bytes bytes, or
  /// Length if that is set (then never 0, and at most Bytes). Element I is at
  /// lane I of Address if that is a vector, otherwise at
  ///   Address + sext(lane I of Index) * Scale    if Index is set
  ///   Address + I * Stride                       if Stride is set
  Scattered,
};

/// A part of an object that lies in one granule for certain.
struct ObjectPart {
  llvm::Value *Object = nullptr; ///< null: none is known
  int64_t Low = 0;               ///< the part's first byte, from the object
  uint64_t Bytes = 0;
};

struct Access {
  llvm::Instruction *At; ///< the instruction that makes the access
  AccessKind Kind;
  AccessShape Shape;
  llvm::Value *Address;
  int64_t Offset = 0;
  uint64_t Bytes = 0;
  /// Alignment of Address + Offset; for Scattered, of each element.
  llvm::Align Alignment;
  llvm::Value *Length = nullptr;
  unsigned LaneCount = 0;
  LaneMask Mask;
  llvm::Value *Index = nullptr;
  uint64_t Scale = 1;
  llvm::Value *Stride = nullptr;
  /// Of shape Fixed: the access is within it, wherever Address is.
  ObjectPart Part;
};

using AccessList = llvm::SmallVectorImpl<Access>;

/// How an instruction may touch memory that no Access describes.
enum class Undescribed : uint8_t {
  Nothing,
  ByAsm,        ///< inline assembly, through a pointer in a register
  ByIntrinsic,  ///< an intrinsic in no table
  BySize,       ///< its type does not say how many bytes it has
  ByShadowBase, ///< relative to the shadow's base, which is Pagetide's
};

/// Appends the accesses of \p I to \p List, in the order in which they happen,
/// except those that \p Options excludes (loads in a layout without them,
/// constants).
Undescribed collectAccesses(llvm::Instruction &I, const PassOptions &Options,
                            AccessList &List);

//===----------------------------------------------------------------------===//
// For the tables of intrinsics
//===----------------------------------------------------------------------===//

/// Appends \p Bytes bytes at \p Pointer + \p Offset, which \p Alignment is of.
void appendFixed(llvm::Instruction &At, llvm::Value *Pointer, uint64_t Bytes,
                 llvm::Align Alignment, AccessKind Kind, AccessList &List,
                 int64_t Offset = 0);

/// Appends an access by lanes. If the mask is constant, appends it as accesses
/// of shape Fixed.
void appendLanes(Access Lanes, AccessList &List);

} // namespace pagetide
