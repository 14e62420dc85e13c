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
  std::uint32_t with(std::uint32_t set, std::uint32_t thread) {
    Answer &answer = answers_[(set * 31 + thread) % kAnswers];
    if (answer.set != set || answer.thread != thread)
      answer = {set, thread, find_with(set, thread)};
    return answer.both;
  }
  /// The members, by rising number.
  const Members &members(std::uint32_t set) const { return sets_[set]; }
  /// Whether threads were left out of sets.
  bool is_lower_bound() const { return left_out_; }

private:
  /// What with() said of a set and a thread. Most of its calls are repeated.
  struct Answer {
    std::uint32_t set = UINT32_MAX; ///< there is none yet
    std::uint32_t thread = 0;
    std::uint32_t both = 0;
  };
  static constexpr std::size_t kAnswers = std::size_t{1} << 15;

  std::uint32_t find_with(std::uint32_t set, std::uint32_t thread);

  std::vector<Answer> answers_;
  std::vector<Members> sets_;
  std::map<Members, std::uint32_t> numbers_;
  std::size_t member_count_ = 0; ///< in all sets
  bool left_out_ = false;
};

/// Gives numbers from 0 on to keys.
class KeyNumbers {
public:
  std::uint32_t of(std::uint32_t key) {
    if (recent_ < keys_.size() && keys_[recent_] == key)
      return recent_;
    const auto [at, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new)
      keys_.push_back(key);
    recent_ = at->second;
    return recent_;
  }
  const std::vector<std::uint32_t> &keys() const { return keys_; }

private:
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::vector<std::uint32_t> keys_;
  std::uint32_t recent_ = 0; ///< neighbours mostly have the same key
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
