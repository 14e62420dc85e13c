//===- outer_record.h - A recording inside another one --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide::tools {

/// Tells the `pagetide record` that started this process, if there is one, that
/// the processes started here will record for this one instead.
void notify_outer_record();

} // namespace pagetide::tools
