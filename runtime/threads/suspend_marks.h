//===- suspend_marks.h - Threads whose marks do not count -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// Suspends the calling thread's marks (+1) or resumes them (-1); pairs nest.
/// Suspended marks go to the scratch shadow, which nobody reads. False for a -1
/// without a +1, or if memory ran out. Async-signal-safe.
bool SuspendMarks(int change);

} // namespace pagetide
