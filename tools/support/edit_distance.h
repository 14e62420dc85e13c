//===- edit_distance.h - How much two words differ ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// How many slips turn one word into the other. A slip is a character too many,
/// one too few, a wrong one, or two neighbours in the wrong order.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1,
                         last[j - 1] + (a[i - 1] != b[j - 1] ? 1u : 0u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

/// The word of a list that the user probably meant. Empty if none is alike.
inline std::string_view
closest_word(std::string_view word,
             const std::vector<std::string_view> &candidates) {
  // A word with more slips is not taken for another one. In a short word, two
  // are most of it.
  constexpr std::size_t kMaxSlips = 2;
  constexpr std::size_t kShortWord = 4;
  std::string_view closest;
  std::size_t least = word.size() < kShortWord ? kMaxSlips : kMaxSlips + 1;
  for (const std::string_view candidate : candidates)
    if (const std::size_t slips = edit_distance(word, candidate);
        slips < least) {
      least = slips;
      closest = candidate;
    }
  return closest;
}

} // namespace pagetide::tools
