//===- kernel_probe.h - Whether this kernel can tell what is written ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string>

namespace pagetide::tools {

/// Lets the kernel watch a page, writes to the page, and asks the kernel about
/// it. That proves more than a version number. Returns an empty text if the
/// kernel noticed the write, otherwise what is missing and what to do.
std::string probe_kernel_writes();

} // namespace pagetide::tools
