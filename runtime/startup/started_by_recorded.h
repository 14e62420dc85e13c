//===- started_by_recorded.h - What a recorded program starts ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pagetide record` may refuse to start the program that it was given. But a
// recorded program finds that what it starts runs, as natively, also where the
// child has other rights, limits or filters than its parent.

#pragma once

namespace pagetide {

/// Whether the process is of a run of `pagetide record`, and is not as that
/// started it: its parent is being recorded, or it has another user.
bool IsStartedByRecorded();

/// Says in one line that this process runs unrecorded, and tells record.
void RunUnrecorded(const char *why);

} // namespace pagetide
