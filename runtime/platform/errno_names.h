//===- errno_names.h - Errno values as text -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_ERRNO_NAMES_H
#define PAGETIDE_RUNTIME_PLATFORM_ERRNO_NAMES_H

namespace pagetide {

/// The name of an errno value as people search for it, e.g. "ENOSPC (No space
/// left on device)"; never null.
const char *DescribeErrno(int error);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_ERRNO_NAMES_H
