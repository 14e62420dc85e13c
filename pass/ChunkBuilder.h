//===- ChunkBuilder.h - How a loop gets its chunks --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a second loop around a loop, and plans the marks of its chunks.
// LoopChunks decides which loops, and which accesses.

#pragma once

#include "MarkPlan.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class BasicBlock;
class Instruction;
class Loop;
class SCEV;
class Value;
} // namespace llvm

namespace pagetide {

/// Accesses of one kind of cell that move through memory together. Every
/// iteration of a chunk makes them.
struct Stream {
  llvm::Value *Pointer; ///< of the first access; offsets are from it
  const llvm::SCEV *Address;
  int64_t Stride;    ///< bytes per iteration; 0 if it stays
  int64_t Low, High; ///< lowest and highest byte of one iteration
  unsigned Cell;
  llvm::SmallVector<llvm::Instruction *, 4> Members;
  bool IsNear = false; ///< one near mark serves all iterations of the loop

  uint64_t extent() const { return static_cast<uint64_t>(High - Low) + 1; }
};

/// An access that not every iteration makes. It is within one granule.
struct HeldAccess {
  llvm::Instruction *At;
  unsigned Cell;
  bool IsFirst; ///< every chunk's first iteration makes it
};

/// An address of such accesses. It stays in one granule for a whole chunk, so
/// that all iterations use the mark of the first, or know where theirs is.
struct HeldAddress {
  llvm::Value *Pointer; ///< of the first access
  const llvm::SCEV *Address;
  int64_t Offset; ///< bytes from the pointer to the first byte
  int64_t Stride; ///< bytes per iteration; 0 if it stays
  uint64_t Bytes; ///< from there, which are in one granule
  llvm::SmallVector<HeldAccess, 2> Accesses;
};

struct ChunkedLoop {
  llvm::Loop *L;
  /// An i64, available in the preheader. Null: not known when the loop begins.
  llvm::Value *BackedgesTaken;
  uint64_t Limit;  ///< iterations per chunk
  bool IsOneChunk; ///< the loop has no more iterations than that
  llvm::SmallVector<Stream, 4> Streams;
  llvm::SmallVector<HeldAddress, 4> Held;
};

/// Whether \p V can be computed before \p L from the first values of its phi
/// nodes, in at most \p StepsLeft instructions.
bool isMaterializable(llvm::Value *V, const llvm::Loop &L, unsigned &StepsLeft);

/// Gives \p Chunked its chunks, and plans their marks.
void buildChunks(const ChunkedLoop &Chunked, const FunctionToMark &Input,
                 MarkPlan &Plan);

} // namespace pagetide
