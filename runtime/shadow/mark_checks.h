//===- mark_checks.h - Looking for the pass's faults ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions for code that was built with the pass's option marks=calls or
// marks=check (docs/internals/testing.md, Finding faults of the pass). A check
// looks for the mark of an access in the running thread's shadow. If marks were
// taken between the check and the beginning of its segment, the check decides
// nothing.

#pragma once

namespace pagetide {

/// An object of this class exists while marks of running threads are taken or
/// dropped.
class TakingMarks {
public:
  TakingMarks();
  ~TakingMarks();
  TakingMarks(const TakingMarks &) = delete;
  TakingMarks &operator=(const TakingMarks &) = delete;
};

/// Prints what the checks found, if there were any.
void ReportMarkChecks();

/// In a forked child: nothing is checked yet, and no thread takes marks.
void RenewMarkChecksInChild();

} // namespace pagetide
