//===- process.h - fork, exec and exit ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// Makes everything new that a forked child does not keep. `runs_handlers`:
/// after fork; after _Fork and clone libc runs no handlers.
void RenewInChild(bool runs_handlers);

} // namespace pagetide
