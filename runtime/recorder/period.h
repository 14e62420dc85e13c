//===- period.h - The end of a period -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/cut_copies.h"
#include "pagetide/trace_format.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Ends the open period: takes its marks, hashes its pages, calls the callback,
/// and queues the period for the trace. `on_caller`: the callback runs on the
/// thread that has made the request. If `last` is not null, an End frame
/// follows the period. If `copies` is not null, the period ends in a cut, if it
/// can, and the request is answered. False if the recording cannot go on; then
/// the caller must stop it.
[[nodiscard]] bool EndPeriod(u32 flags, bool on_caller,
                             const trace::EndReason *last,
                             CopyRequest *copies = nullptr);

} // namespace pagetide
