//===- sharing.cpp - Which threads accessed which pages -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/sharing.h"

#include <algorithm>

namespace pagetide::tools {

namespace {

/// Programs have thousands of sets at the most; a made-up trace can have one
/// for each granule.
constexpr std::size_t kMaxMembers = std::size_t{1} << 24;

} // namespace

ThreadSets::ThreadSets() : answers_(kAnswers), sets_(1) { numbers_[{}] = 0; }

std::uint32_t ThreadSets::find_with(std::uint32_t set, std::uint32_t thread) {
  const Members &old = sets_[set];
  const auto at = std::lower_bound(old.begin(), old.end(), thread);
  if (at != old.end() && *at == thread)
    return set;
  Members members(old.begin(), at);
  members.push_back(thread);
  members.insert(members.end(), at, old.end());
  if (const auto known = numbers_.find(members); known != numbers_.end())
    return known->second;
  if (member_count_ + members.size() > kMaxMembers) {
    left_out_ = true;
    return set;
  }
  const auto number = static_cast<std::uint32_t>(sets_.size());
  member_count_ += members.size();
  numbers_[members] = number;
  sets_.push_back(std::move(members));
  return number;
}

} // namespace pagetide::tools
