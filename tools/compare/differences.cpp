//===- differences.cpp - What two runs are asked, and where they differ ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/differences.h"

namespace pagetide::tools {

void Tally::add(const Tally &other) {
  equal += other.equal;
  different += other.different;
  only_a += other.only_a;
  only_b += other.only_b;
  open += other.open;
}

void ComparedFigures::add(const ComparedFigures &other) {
  periods.add(other.periods);
  accesses.add(other.accesses);
  checksums.add(other.checksums);
  pages.add(other.pages);
  final_checksums.add(other.final_checksums);
  gone += other.gone;
  final_gone += other.final_gone;
  shifted += other.shifted;
  final_shifted += other.final_shifted;
  shifts_are_known &= other.shifts_are_known;
  ignored += other.ignored;
  unplaced += other.unplaced;
  pages_left_out |= other.pages_left_out;
  cut_periods += other.cut_periods;
}

} // namespace pagetide::tools
