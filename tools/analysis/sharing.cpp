//===- sharing.cpp - Which threads accessed which pages -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/sharing.h"

#include <bit>

namespace pagetide::tools {

namespace {

/// What the containers and the allocator need for a set.
constexpr std::size_t kMoreBytes = 128;

/// A number that is as random as its argument is not (splitmix64).
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

std::uint64_t hash_of(std::uint32_t index, std::uint64_t bits) {
  return bits == 0 ? 0 : mixed(mixed(index) ^ bits);
}

} // namespace

ThreadSets::ThreadSets(std::size_t bytes)
    : sets_(1), numbers_(0, HashOf{&sets_}, SameMembers{&sets_}),
      budget_(bytes) {
  numbers_.insert(0);
}

std::size_t ThreadSets::bytes_of(const Set &set) {
  return kMoreBytes + set.words.size() * sizeof(Word);
}

ThreadSets::Members ThreadSets::members(std::uint32_t set) const {
  Members members;
  for (const Word &word : sets_[set].words)
    for (std::uint64_t bits = word.bits; bits != 0; bits &= bits - 1)
      members.push_back(word.index * kWordBits +
                        static_cast<std::uint32_t>(std::countr_zero(bits)));
  return members;
}

std::size_t ThreadSets::size(std::uint32_t set) const {
  std::size_t members = 0;
  for (const Word &word : sets_[set].words)
    members += static_cast<std::size_t>(std::popcount(word.bits));
  return members;
}

void ThreadSets::forget(std::uint32_t set) {
  numbers_.erase(set);
  budget_.give_back(bytes_of(sets_[set]));
  unused_.push_back(set);
}

/// Returns the number of the set with the threads added. A page that had `set`
/// has that one now.
std::uint32_t ThreadSets::move_page(std::uint32_t set, std::uint32_t index,
                                    std::uint64_t bits) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(sets_.size()));
    sets_.emplace_back();
  }
  const std::uint32_t made = unused_.back();
  Set &from = sets_[set];
  Set &to = sets_[made];
  to.words = from.words;
  to.pages = 0;
  const std::size_t at = place_of(to, index);
  if (at == to.words.size() || to.words[at].index != index)
    to.words.insert(to.words.begin() + static_cast<std::ptrdiff_t>(at),
                    {index, 0});
  std::uint64_t &word = to.words[at].bits;
  to.hash = from.hash ^ hash_of(index, word) ^ hash_of(index, word | bits);
  word |= bits;

  const auto [known, is_new] = numbers_.insert(made);
  if (is_new && !budget_.take(bytes_of(to))) {
    numbers_.erase(known);
    left_out_ = true;
    return set;
  }
  if (is_new)
    unused_.pop_back();
  const std::uint32_t number = *known;
  ++sets_[number].pages;
  if (set != 0 && --from.pages == 0)
    forget(set);
  return number;
}

} // namespace pagetide::tools
