//===- not_seen.cpp - Functions of libc whose writes have no marks --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "audit/not_seen.h"

namespace pagetide::tools {

namespace {

struct Reason {
  std::string_view functions; ///< with a space before and behind each
  const char *why;
};
/// Made of runtime/interceptors/not_seen.txt.
constexpr Reason kReasons[] = {
#include "not_seen.inc"
};

} // namespace

const char *why_not_seen(std::string_view function) {
  for (const Reason &reason : kReasons) {
    const std::string_view all = reason.functions;
    for (std::size_t at = all.find(function); at != std::string_view::npos;
         at = all.find(function, at + 1))
      if (!function.empty() && all[at - 1] == ' ' &&
          all[at + function.size()] == ' ')
        return reason.why;
  }
  return nullptr;
}

} // namespace pagetide::tools
