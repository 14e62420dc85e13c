//===- shared_memory.cpp - Pages that several processes accessed ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/shared_memory.h"

#include "trace/runs.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace pagetide::tools {

void SharedMemory::add(std::uint32_t process,
                       const MappingNames::Object &object,
                       const std::string &name, const GranuleRun &in_object) {
  constexpr std::uint64_t kMaxGranules = std::uint64_t{1} << kObjectBits;
  constexpr std::size_t kMaxObjects = std::size_t{1} << (64 - kObjectBits - 1);
  const auto [at, is_new] = numbers_.try_emplace(object, names_.size());
  if (is_new)
    names_.push_back(name);
  if (process >= kMaxThreads || at->second >= kMaxObjects ||
      in_object.first >= kMaxGranules ||
      in_object.count > kMaxGranules - in_object.first) {
    left_out_ = true;
    return;
  }
  const std::uint64_t first = (at->second << kObjectBits) + in_object.first;
  const std::uint64_t bit = PageThreads::bit(process);
  const std::uint64_t written = in_object.flags & trace::kRunWritten ? bit : 0;
  pages_.table(process).visit(first, first + in_object.count,
                              [&](PageThreads::Bits &page) {
                                page.accessed |= bit;
                                page.written |= written;
                              });
}

SharedMemory::Figures SharedMemory::take_figures(std::size_t processes) {
  Figures figures;
  figures.of_process.resize(processes);
  std::vector<Object> objects(names_.size());
  std::vector<std::set<std::uint32_t>> sharers(names_.size());
  ThreadSets sets;
  const bool is_left_out =
      pages_.take_sets(sets, [&](std::uint64_t granule, std::uint32_t accessed,
                                 std::uint32_t written) {
        const ThreadSets::Members members = sets.members(accessed);
        if (members.size() < 2)
          return;
        const std::size_t number = granule >> kObjectBits;
        ++objects[number].granules;
        objects[number].written += written != 0;
        sharers[number].insert(members.begin(), members.end());
        figures.repeated += members.size() - 1;
        for (const std::uint32_t process : members)
          if (process < processes)
            ++figures.of_process[process];
      });
  figures.is_lower_bound = left_out_ || is_left_out || sets.is_lower_bound();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i].granules == 0)
      continue;
    objects[i].name = names_[i];
    objects[i].processes.assign(sharers[i].begin(), sharers[i].end());
    figures.objects.push_back(std::move(objects[i]));
  }
  std::ranges::sort(figures.objects, [](const Object &a, const Object &b) {
    return std::tie(b.granules, a.name) < std::tie(a.granules, b.name);
  });
  return figures;
}

} // namespace pagetide::tools
