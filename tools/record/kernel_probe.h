//===- kernel_probe.h - Whether this kernel can tell what is written ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/engines.h"

#include <string>

namespace pagetide::tools {

/// Lets the kernel watch a page, writes to the page, and asks the kernel about
/// it. That proves more than a version number. Returns an empty text if the
/// kernel noticed the write, otherwise what is missing and what to do.
std::string probe_kernel_writes();

/// The same of which pages processes share: makes a child, and looks at a page
/// before that, after it, and after a write.
std::string probe_kernel_copies();

/// What this system lacks; empty if nothing.
std::string why_lacking(engines::Needs needs);

} // namespace pagetide::tools
