//===- page_bytes.h - The size of this architecture's pages ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_SUPPORT_PAGE_BYTES_H
#define PAGETIDE_TOOLS_SUPPORT_PAGE_BYTES_H

#include <cstddef>

namespace pagetide::tools {

inline constexpr std::size_t kPageBytes = 4096;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_SUPPORT_PAGE_BYTES_H
