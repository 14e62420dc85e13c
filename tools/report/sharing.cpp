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

ThreadSets::ThreadSets() : sets_(1) { numbers_[{}] = 0; }

std::uint32_t ThreadSets::with(std::uint32_t set, std::uint32_t thread) {
  const std::uint64_t key = std::uint64_t{set} << 32 | thread;
  if (const auto known = with_.find(key); known != with_.end())
    return known->second;
  Members members = sets_[set];
  const auto at = std::lower_bound(members.begin(), members.end(), thread);
  std::uint32_t number = set;
  if (at == members.end() || *at != thread) {
    members.insert(at, thread);
    if (const auto known = numbers_.find(members); known != numbers_.end()) {
      number = known->second;
    } else if (member_count_ + members.size() > kMaxMembers) {
      left_out_ = true;
      return set;
    } else {
      number = static_cast<std::uint32_t>(sets_.size());
      member_count_ += members.size();
      numbers_[members] = number;
      sets_.push_back(std::move(members));
    }
  }
  return with_[key] = number;
}

} // namespace pagetide::tools
