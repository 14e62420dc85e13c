//===- sharing.h - Which threads accessed which pages ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/page_table.h"
#include "analysis/report_limits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// Numbers sets of threads, so that a page needs one number. Set 0 is empty. A
/// set exists as long as a page has it: pages whose threads come one by one
/// would otherwise leave one behind at each step.
class ThreadSets {
public:
  /// Threads are numbered by their user.
  using Members = std::vector<std::uint32_t>;
  static constexpr unsigned kWordBits = 64;

  explicit ThreadSets(std::size_t bytes = kThreadSetBytes);
  ThreadSets(const ThreadSets &) = delete;

  /// Gives a page the set with this thread added. When there is no memory for
  /// that, it keeps its own.
  void add(std::uint32_t &set, std::uint32_t thread) {
    add_word(set, thread / kWordBits, std::uint64_t{1} << thread % kWordBits);
  }
  /// The same for many threads: bit i is thread index * kWordBits + i.
  void add_word(std::uint32_t &set, std::uint32_t index, std::uint64_t bits) {
    if (!has(set, index, bits))
      set = move_page(set, index, bits);
  }
  /// By rising number.
  Members members(std::uint32_t set) const;
  std::size_t size(std::uint32_t set) const;
  /// Whether threads were left out of sets.
  bool is_lower_bound() const { return left_out_; }

private:
  struct Word {
    std::uint32_t index; ///< of the word's first thread, divided by kWordBits
    std::uint64_t bits;  ///< of threads; not 0
    bool operator==(const Word &) const = default;
  };
  struct Set {
    std::vector<Word> words; ///< by rising index
    std::uint64_t hash = 0;  ///< does not depend on the members' order
    std::uint64_t pages = 0; ///< that have it
  };
  struct HashOf {
    const std::deque<Set> *sets;
    std::size_t operator()(std::uint32_t set) const {
      return (*sets)[set].hash;
    }
  };
  struct SameMembers {
    const std::deque<Set> *sets;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return (*sets)[a].words == (*sets)[b].words;
    }
  };

  /// Where the word of this index is, or would be.
  static std::size_t place_of(const Set &set, std::uint32_t index) {
    const std::vector<Word> &words = set.words;
    if (words.size() == 1)
      return words.front().index < index;
    return static_cast<std::size_t>(
        std::ranges::lower_bound(words, index, {}, &Word::index) -
        words.begin());
  }
  bool has(std::uint32_t set, std::uint32_t index, std::uint64_t bits) const {
    const Set &members = sets_[set];
    const std::size_t at = place_of(members, index);
    return bits == 0 ||
           (at < members.words.size() && members.words[at].index == index &&
            (bits & ~members.words[at].bits) == 0);
  }
  std::uint32_t move_page(std::uint32_t set, std::uint32_t index,
                          std::uint64_t bits);
  void forget(std::uint32_t set);
  static std::size_t bytes_of(const Set &set);

  std::deque<Set> sets_;
  std::vector<std::uint32_t> unused_; ///< numbers of sets_ that are free
  std::unordered_set<std::uint32_t, HashOf, SameMembers> numbers_;
  MemoryBudget budget_;
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

/// Collects which threads accessed each page. A page has a bit for each thread:
/// where many threads come to many pages in any order, nearly every set of
/// threads exists for a moment, and numbering them all takes minutes.
class PageThreads {
public:
  struct Bits {
    std::uint64_t accessed = 0;
    std::uint64_t written = 0;
  };
  using Table = PageTable<Bits>;

  explicit PageThreads(std::size_t bytes)
      : budget_(std::make_shared<MemoryBudget>(bytes / 3 * 2)),
        sets_bytes_(bytes / 3) {}

  /// Where the bits of this thread are.
  Table &table(std::uint32_t thread) {
    const std::size_t index = thread / ThreadSets::kWordBits;
    while (tables_.size() <= index)
      tables_.push_back(std::make_unique<Table>(budget_));
    return *tables_[index];
  }
  static std::uint64_t bit(std::uint32_t thread) {
    return std::uint64_t{1} << thread % ThreadSets::kWordBits;
  }

  /// Calls visit(granule, accessed, written) with numbers of `sets` for each
  /// page that was accessed. Returns whether pages were left out. Once.
  template <typename Visit> bool take_sets(ThreadSets &sets, Visit visit) {
    struct Numbers {
      std::uint32_t accessed = 0;
      std::uint32_t written = 0;
    };
    PageTable<Numbers> pages(sets_bytes_);
    bool is_left_out = false;
    for (std::uint32_t index = 0; index < tables_.size(); ++index) {
      tables_[index]->each([&](std::uint64_t granule, const Bits &bits) {
        if (bits.accessed == 0)
          return;
        pages.visit(granule, granule + 1, [&](Numbers &page) {
          sets.add_word(page.accessed, index, bits.accessed);
          sets.add_word(page.written, index, bits.written);
        });
      });
      is_left_out |= tables_[index]->is_lower_bound();
      tables_[index].reset();
    }
    tables_.clear();
    pages.each([&](std::uint64_t granule, const Numbers &page) {
      if (page.accessed != 0)
        visit(granule, page.accessed, page.written);
    });
    return is_left_out || pages.is_lower_bound();
  }

private:
  std::shared_ptr<MemoryBudget> budget_;
  std::size_t sets_bytes_;
  std::vector<std::unique_ptr<Table>> tables_; ///< each of kWordBits threads
};

} // namespace pagetide::tools
