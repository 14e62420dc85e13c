//===- errno_names.h - Errno values as text -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// The name of an errno value as people search for it, e.g. "ENOSPC (No space
/// left on device)"; never null.
const char *DescribeErrno(int error);

} // namespace pagetide
