//===- LoopChunks.h - Loops marked a chunk at a time ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that steps through memory touches the same granule many times in a
// row. Its marks move out of it: the granules of a chunk's first and last
// iteration are marked before the chunk runs.
//
//     preheader                        preheader
//         |                                |
//         v                                v
//       body <--.                      +-> chunk      left -> iterations; marks
//         |_____|                      |     |
//         |                            |     v
//       exit                           |   body <--.  as before, but left when
//                                      |     |_____|  the iterations are done
//                                      |     v
//                                      +-- chunk.end
//                                            |
//                                          exit
//
// What keeps this exact:
//
//   - A stream is accesses that every iteration makes, at addresses that move
//     by a constant. Those of a chunk's first and last iteration will happen,
//     if the loop is left only at its end and its trip count is known.
//   - The bytes that a stream touches in one chunk span at most one granule's
//     size. So the granules of the first and the last byte are all of them.
//   - Other accesses at such addresses are held: a chunk ends before one of
//     these addresses leaves its granule. If the first iteration makes the
//     access for certain, its mark serves all of the chunk. Otherwise each
//     access has a mark, of one store, since it is known where it goes. Neither
//     relies on a later iteration, so the loop may end anywhere.
//   - The loop contains no call and nothing that may not return.
//   - A chunk is bounded (MaxIterations, MaxInstructions), and so is the time
//     between a mark and its access.

#pragma once

#include "MarkPlan.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class BasicBlock;
class Instruction;
class OptimizationRemarkEmitter;
} // namespace llvm

namespace pagetide {

/// Accesses that are marked a chunk of iterations at a time.
struct ChunkedAccesses {
  llvm::SmallPtrSet<llvm::Instruction *, 16> Instructions;
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> Bodies; ///< of their loops
  MarkPlan Plan;                                   ///< their marks
};

/// Rewrites those loops of \p Input that gain from it, and plans the marks of
/// their chunks. Tells \p Emitter about each loop with accesses.
ChunkedAccesses chunkLoops(const FunctionToMark &Input,
                           llvm::FunctionAnalysisManager &FAM,
                           llvm::OptimizationRemarkEmitter &Emitter);

} // namespace pagetide
