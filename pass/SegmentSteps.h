//===- SegmentSteps.h - The steps of one segment, in order ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "MarkPlan.h"

#include <map>
#include <utility>

namespace pagetide {

/// An instruction and its number in its block.
struct Position {
  llvm::Instruction *I;
  unsigned Number;
};

/// Collects the steps of a segment in any order.
class SegmentSteps {
public:
  explicit SegmentSteps(unsigned Segment) : Segment(Segment) {}

  MarkStep &add(MarkStepKind Kind, Position Before, const Access &What = {}) {
    MarkStep Step = {Kind, Before.I, Segment};
    Step.What = What;
    // Checks go between the marks of an instruction and the instruction.
    bool IsCheck = Kind == MarkStepKind::Check;
    return Steps.emplace(std::pair(Before.Number, IsCheck), Step)->second;
  }
  MarkStep &addByte(Position Before, llvm::Instruction &Site,
                    llvm::Value *Address, int64_t Offset, unsigned Cell) {
    return add(MarkStepKind::Byte, Before) =
               MarkStep::byte(*Before.I, Segment, Site, Address, Offset, Cell);
  }

  /// Appends the steps to \p Plan in the order of the instructions that they
  /// precede, and begins the next segment.
  void end(MarkPlan &Plan) {
    for (const auto &[Number, Step] : Steps)
      Plan.Steps.push_back(Step);
    Steps.clear();
    ++Segment;
  }

private:
  unsigned Segment;
  std::multimap<std::pair<unsigned, bool>, MarkStep> Steps;
};

} // namespace pagetide
