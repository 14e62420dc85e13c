//===- modules.h - What the program has mapped, and what of it has marks --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace oracle {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

[[noreturn]] inline void die(const char *what, const std::string &subject) {
  std::fprintf(stderr, "oracle plugin: %s: %s\n", what, subject.c_str());
  std::_Exit(98);
}

struct Range {
  u64 begin, end;
};

struct Segment {
  u64 offset, address, bytes;
};

struct Module { ///< as elf_ranges.py describes it
  std::vector<Segment> segments;
  std::vector<Range> code, constants;
  u64 boundaries = 0;
};

inline std::map<std::string, Module> modules; ///< by real path

/// What is mapped where, as the process's own list says.
struct Mapping {
  u64 begin, end, offset;
  std::string path;
};

inline std::vector<Mapping> read_maps() {
  std::vector<Mapping> maps;
  FILE *file = std::fopen("/proc/self/maps", "re");
  if (!file)
    die("cannot read", "/proc/self/maps");
  char line[4352];
  while (std::fgets(line, sizeof(line), file)) {
    u64 begin, end, offset;
    int path = 0;
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n",
                    &begin, &end, &offset, &path) < 3)
      continue;
    std::string name = path ? line + path : "";
    while (!name.empty() && (name.back() == '\n' || name.back() == ' '))
      name.pop_back();
    maps.push_back({begin, end, offset, name});
  }
  std::fclose(file);
  return maps;
}

/// Sorted, without overlap; read by all threads and replaced as a whole. What
/// was replaced stays, for somebody may still read it.
class Ranges {
public:
  /// The range that holds `address`, or null.
  const Range *find(u64 address) const {
    const auto *ranges = ranges_.load(std::memory_order_acquire);
    auto after = std::upper_bound(
        ranges->begin(), ranges->end(), address,
        [](u64 value, const Range &range) { return value < range.begin; });
    if (after == ranges->begin() || address >= std::prev(after)->end)
      return nullptr;
    return &*std::prev(after);
  }
  /// True where part of [begin, end) is in a range.
  bool touches(u64 begin, u64 end) const {
    const auto *ranges = ranges_.load(std::memory_order_acquire);
    auto after = std::lower_bound(
        ranges->begin(), ranges->end(), end,
        [](const Range &range, u64 value) { return range.begin < value; });
    return after != ranges->begin() && std::prev(after)->end > begin;
  }
  const std::vector<Range> &all() const { return *ranges_.load(); }
  void add(Range added) {
    if (added.begin >= added.end)
      return;
    auto *ranges = new std::vector<Range>(*ranges_.load());
    ranges->push_back(added);
    std::sort(ranges->begin(), ranges->end(),
              [](Range a, Range b) { return a.begin < b.begin; });
    // Overlaps are merged.
    std::vector<Range> merged;
    for (const Range &range : *ranges)
      if (!merged.empty() && range.begin < merged.back().end)
        merged.back().end = std::max(merged.back().end, range.end);
      else
        merged.push_back(range);
    ranges->swap(merged);
    ranges_.store(ranges, std::memory_order_release);
  }
  void remove(Range gone) {
    auto *ranges = new std::vector<Range>;
    for (const Range &range : *ranges_.load()) {
      if (range.begin < std::min(range.end, gone.begin))
        ranges->push_back({range.begin, std::min(range.end, gone.begin)});
      if (std::max(range.begin, gone.end) < range.end)
        ranges->push_back({std::max(range.begin, gone.end), range.end});
    }
    ranges_.store(ranges, std::memory_order_release);
  }

private:
  std::atomic<const std::vector<Range> *> ranges_{new std::vector<Range>};
};

inline Ranges constants, stacks, shadows, stack_mappings;
inline Ranges instrumented; ///< code
inline std::atomic<u64> boundaries{
    0}; ///< where the runtime stores at a boundary

/// Looked up when code of a place that is not known yet is translated.
inline std::vector<Mapping> placed;

inline const Mapping *find_placed(u64 pc) {
  for (const Mapping &mapping : placed)
    if (pc >= mapping.begin && pc < mapping.end)
      return &mapping;
  return nullptr;
}

inline void place(u64 pc) {
  for (const Mapping &mapping : read_maps()) {
    if (pc < mapping.begin || pc >= mapping.end)
      continue;
    placed.push_back(mapping);
    auto found = modules.find(mapping.path);
    if (found == modules.end())
      return;
    const Module &module = found->second;
    for (const Segment &segment : module.segments) {
      // The mapping begins with the page of the segment's first byte.
      if (segment.offset / 4096 * 4096 != mapping.offset)
        continue;
      u64 bias = mapping.begin - segment.address / 4096 * 4096;
      for (const Range &range : module.constants)
        constants.add({range.begin + bias, range.end + bias});
      for (const Range &range : module.code)
        instrumented.add({range.begin + bias, range.end + bias});
      if (module.boundaries)
        boundaries = module.boundaries + bias;
      return;
    }
    die("no segment is mapped at the code of", mapping.path);
  }
}

inline void read_modules(const std::string &path) {
  FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    die("cannot read", path);
  char line[8192];
  Module *module = nullptr;
  while (std::fgets(line, sizeof(line), file)) {
    std::string text(line);
    text.erase(text.find_last_not_of('\n') + 1);
    u64 a = 0, b = 0, c = 0;
    if (text.rfind("module ", 0) == 0)
      module = &modules[text.substr(7)];
    else if (!module)
      die("a module must come first in", path);
    else if (std::sscanf(line, "segment %" SCNx64 " %" SCNx64 " %" SCNx64, &a,
                         &b, &c) == 3)
      module->segments.push_back({a, b, c});
    else if (std::sscanf(line, "code %" SCNx64 " %" SCNx64, &a, &b) == 2)
      module->code.push_back({a, b});
    else if (std::sscanf(line, "constant %" SCNx64 " %" SCNx64, &a, &b) == 2)
      module->constants.push_back({a, b});
    else if (std::sscanf(line, "boundaries %" SCNx64, &a) == 1)
      module->boundaries = a;
    else
      die("a line nobody understands", text);
  }
  std::fclose(file);
}

} // namespace oracle
