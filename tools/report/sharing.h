//===- sharing.h - Which threads accessed which pages ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_REPORT_SHARING_H
#define PAGETIDE_TOOLS_REPORT_SHARING_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// Numbers sets of threads, so that a page needs one number. Set 0 is empty.
class ThreadSets {
public:
  /// Threads are numbered by their user.
  using Members = std::vector<std::uint32_t>;

  ThreadSets();

  /// The set with this thread added. When there are too many sets, it is the
  /// set itself.
  std::uint32_t with(std::uint32_t set, std::uint32_t thread);
  /// The members, by rising number.
  const Members &members(std::uint32_t set) const { return sets_[set]; }
  /// Whether threads were left out of sets.
  bool is_lower_bound() const { return left_out_; }

private:
  std::vector<Members> sets_;
  std::map<Members, std::uint32_t> numbers_;
  /// Set and thread to the set of both.
  std::unordered_map<std::uint64_t, std::uint32_t> with_;
  std::size_t member_count_ = 0; ///< in all sets
  bool left_out_ = false;
};

/// Gives numbers from 0 on to keys.
class KeyNumbers {
public:
  std::uint32_t of(std::uint32_t key) {
    const auto [at, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new)
      keys_.push_back(key);
    return at->second;
  }
  const std::vector<std::uint32_t> &keys() const { return keys_; }

private:
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::vector<std::uint32_t> keys_;
};

/// Counts granules by the set of threads that accessed them and the set of
/// those that wrote them.
class SharingCounts {
public:
  void add(std::uint32_t accessed, std::uint32_t written,
           std::uint64_t granules = 1) {
    counts_[std::pair(accessed, written)] += granules;
  }
  /// Calls visit(accessed, written, granules) for each pair of sets.
  template <typename Visit> void each(Visit visit) const {
    for (const auto &[sets, granules] : counts_)
      visit(sets.first, sets.second, granules);
  }

private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts_;
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_SHARING_H
