//===- not_seen.h - Functions of libc whose writes have no marks ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string_view>

namespace pagetide::tools {

/// Why the runtime does not see what a function of libc writes; null if it
/// does, or if the function writes nothing.
const char *why_not_seen(std::string_view function);

} // namespace pagetide::tools
