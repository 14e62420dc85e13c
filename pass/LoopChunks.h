//===- LoopChunks.h - Loops marked a chunk at a time ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that steps through memory touches the same granule many times in a
// row. Its marks are taken out: a chunk of iterations is marked before it is
// run, by the granules of its first and its last iteration.
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
//   - Only accesses that every iteration makes, at addresses that move by a
//     constant: those of a chunk's first and last iteration are sure to come.
//   - No way out of the loop but the one at its end, whose count is known when
//     the loop is entered; no calls and nothing that may not come back.
//   - A chunk is so short that a stream's bytes extend over one granule's bytes
//     at most: the granules of its first and last byte are all of them.
//   - A chunk is bounded (MaxIterations, MaxInstructions): so is the time
//     between a mark and its access.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_LOOPCHUNKS_H
#define PAGETIDE_PASS_LOOPCHUNKS_H

#include "MarkPlan.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
class OptimizationRemarkEmitter;
} // namespace llvm

namespace pagetide {

/// Rewrites the loops of \p F that are worth it, and appends the marks of their
/// chunks to \p Plan. Returns those of \p Accesses that these marks cover. Tells
/// \p Emitter about each loop with accesses.
ChunkedAccesses chunkLoops(llvm::Function &F, const FunctionAccesses &Accesses,
                           const PassOptions &Options, MarkMode Mode,
                           llvm::FunctionAnalysisManager &FAM,
                           llvm::OptimizationRemarkEmitter &Emitter,
                           MarkPlan &Plan);

} // namespace pagetide

#endif // PAGETIDE_PASS_LOOPCHUNKS_H
