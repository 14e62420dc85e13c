//===- say.cpp - Messages to the user -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/say.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace pagetide::tools {

void write_message(const std::string &text) {
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t done = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return;
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
}

} // namespace pagetide::tools
