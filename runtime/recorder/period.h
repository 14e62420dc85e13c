//===- period.h - The end of a period -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_PERIOD_H
#define PAGETIDE_RUNTIME_RECORDER_PERIOD_H

#include "pagetide/trace_format.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Ends the open period: its marks are taken, its pages hashed, the callback is
/// called, the trace gets it. `on_caller`: the callback runs on the thread whose
/// request is under way. `last` is an End frame to write behind it, or null.
/// False if recording cannot go on: the caller must stop it.
[[nodiscard]] bool EndPeriod(u32 flags, bool on_caller,
                             const trace::EndReason *last);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_PERIOD_H
