//===- kernel_probe.h - Whether this kernel can tell what is written ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_RECORD_KERNEL_PROBE_H
#define PAGETIDE_TOOLS_RECORD_KERNEL_PROBE_H

#include <string>

namespace pagetide::tools {

/// Has the kernel watch a page, writes it, and looks whether the kernel saw
/// that: versions and error codes promise less. Empty where all is well,
/// otherwise what is missing and what to do.
std::string probe_kernel_writes();

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_RECORD_KERNEL_PROBE_H
