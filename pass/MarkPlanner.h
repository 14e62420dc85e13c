//===- MarkPlanner.h - Plans the marks of a function ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that saves marks is planned here, and in what this includes:
//
//   - LoopChunks: loops that step through memory, a chunk at a time;
//   - AccessGroups: accesses of one segment that share marks;
//   - MarkPlan: near marks that can be certain, pairs of marks.
//
// A segment is a sequence of instructions of one block without calls, fences,
// and atomic or volatile accesses. When a segment has begun, it runs to its
// end.

#pragma once

#include "LoopChunks.h"
#include "MarkPlan.h"

namespace pagetide {

/// Plans the marks of \p Input. The plan begins with that of \p Chunked, whose
/// accesses get no other marks.
MarkPlan planMarks(const FunctionToMark &Input, ChunkedAccesses &Chunked);

} // namespace pagetide
