//===- say.h - Messages to the user ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_SUPPORT_SAY_H
#define PAGETIDE_TOOLS_SUPPORT_SAY_H

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace pagetide::tools {

/// A line on standard error.
template <typename... Args>
void say(fmt::format_string<Args...> format, Args &&...args) {
  fmt::print(stderr, "pagetide: {}\n",
             fmt::format(format, std::forward<Args>(args)...));
}

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_SUPPORT_SAY_H
