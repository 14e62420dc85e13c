//===- shell_words.h - Words as a shell reads them ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "fuzz_input.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// The words of a command line that a shell runs as they are: a character that
/// a shell would treat in another way, and an escape that is not one of ours,
/// ends the fuzzer.
inline std::vector<std::string> shell_words(std::string_view line) {
  constexpr std::string_view kSpecial = "\t\n\"`|&;<>()*?[]{}~#!$";
  std::vector<std::string> words(1);
  const auto next = [&] {
    require(!line.empty(), "quotes are closed, and escapes are whole");
    const char c = line.front();
    line.remove_prefix(1);
    return c;
  };
  const auto escaped = [&] {
    const char c = next();
    require(c == 'x' || c == '\\' || c == '\'', "the escape is one of ours");
    if (c != 'x')
      return c;
    const char digits[] = {next(), next()};
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    require(end == digits + 2 && value != 0,
            "escapes have two digits, and stand for no zero byte");
    return static_cast<char>(value);
  };
  while (!line.empty()) {
    const char c = next();
    if (c == ' ') {
      words.emplace_back();
    } else if (c == '\\') {
      words.back() += next();
    } else if (c == '\'') {
      for (char in; (in = next()) != '\'';)
        words.back() += in;
    } else if (c == '$' && line.starts_with('\'')) {
      next();
      for (char in; (in = next()) != '\'';)
        words.back() += in == '\\' ? escaped() : in;
    } else {
      require(kSpecial.find(c) == std::string_view::npos,
              "special characters are quoted");
      words.back() += c;
    }
  }
  return words;
}

} // namespace pagetide::tools
