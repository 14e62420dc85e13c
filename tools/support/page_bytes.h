//===- page_bytes.h - The size of this architecture's pages ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>

namespace pagetide::tools {

inline constexpr std::size_t kPageBytes = 4096;

} // namespace pagetide::tools
