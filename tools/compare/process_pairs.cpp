//===- process_pairs.cpp - Which process of one run is which of another ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/process_pairs.h"

#include "trace/trace_reader.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

namespace pagetide::tools {

namespace {

using Indices = std::vector<std::size_t>;

/// One run's processes, with their children.
class Family {
public:
  explicit Family(std::span<const RunProcess> processes)
      : processes_(processes), children_(processes.size()) {
    Indices order(processes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::pair(processes[i].start_ns, i);
    });
    // A process has its parent's number only after the parent began. If
    // several had that number, the last one is meant.
    std::map<std::uint32_t, std::size_t> last_with;
    for (const std::size_t i : order) {
      const auto parent = last_with.find(processes[i].parent_pid);
      (parent == last_with.end() ? roots_ : children_[parent->second])
          .push_back(i);
      last_with[processes[i].pid] = i;
    }
    by_start_ = std::move(order);
  }

  const RunProcess &operator[](std::size_t i) const { return processes_[i]; }
  const Indices &roots() const { return roots_; }
  const Indices &children(std::size_t i) const { return children_[i]; }
  const Indices &by_start() const { return by_start_; }

private:
  std::span<const RunProcess> processes_;
  Indices roots_;
  std::vector<Indices> children_;
  Indices by_start_;
};

using Key = std::vector<std::string>;

Key program_of(const RunProcess &process) {
  return {process.program.substr(process.program.rfind('/') + 1)};
}

/// The name by which the program was called may be a path that differs.
Key command_of(const RunProcess &process) {
  Key key = program_of(process);
  if (!process.arguments.empty())
    key.insert(key.end(), process.arguments.begin() + 1,
               process.arguments.end());
  return key;
}

class Pairing {
public:
  Pairing(std::span<const RunProcess> a, std::span<const RunProcess> b)
      : a_(a), b_(b), of_a_(a.size()), of_b_(b.size()) {
    pair_lists(a_.roots(), b_.roots(), true);
    while (!parents_.empty()) {
      const auto [in_a, in_b] = parents_.front();
      parents_.pop_front();
      pair_lists(a_.children(in_a), b_.children(in_b), true);
    }
    pair_lists(a_.by_start(), b_.by_start(), false);
  }

  std::vector<ProcessPair> take() const {
    std::vector<ProcessPair> pairs;
    for (const std::size_t i : a_.by_start())
      pairs.push_back({i, of_a_[i]});
    for (const std::size_t i : b_.by_start())
      if (!of_b_[i])
        pairs.push_back({std::nullopt, i});
    return pairs;
  }

private:
  void pair(std::size_t in_a, std::size_t in_b) {
    of_a_[in_a] = in_b;
    of_b_[in_b] = in_a;
    parents_.emplace_back(in_a, in_b);
  }

  static Indices unpaired(const Indices &list,
                          const std::vector<std::optional<std::size_t>> &of) {
    Indices left;
    for (const std::size_t i : list)
      if (!of[i])
        left.push_back(i);
    return left;
  }

  /// `is_family`: the two lists have the same parent, so a lone rest is a pair.
  void pair_lists(const Indices &in_a, const Indices &in_b, bool is_family) {
    for (const auto key : {command_of, program_of}) {
      std::map<Key, std::deque<std::size_t>> waiting;
      for (const std::size_t i : unpaired(in_b, of_b_))
        waiting[key(b_[i])].push_back(i);
      for (const std::size_t i : unpaired(in_a, of_a_)) {
        const auto same = waiting.find(key(a_[i]));
        if (same == waiting.end() || same->second.empty())
          continue;
        pair(i, same->second.front());
        same->second.pop_front();
      }
    }
    const Indices left_a = unpaired(in_a, of_a_);
    const Indices left_b = unpaired(in_b, of_b_);
    if (is_family && left_a.size() == 1 && left_b.size() == 1)
      pair(left_a.front(), left_b.front());
  }

  Family a_;
  Family b_;
  std::vector<std::optional<std::size_t>> of_a_;
  std::vector<std::optional<std::size_t>> of_b_;
  std::deque<std::pair<std::size_t, std::size_t>> parents_;
};

} // namespace

RunProcess read_process(const std::string &path) {
  TraceReader reader = TraceReader::open(path);
  RunProcess process;
  process.path = path;
  process.pid = reader.header().pid;
  process.parent_pid = reader.header().parent_pid;
  process.start_ns = reader.header().monotonic_ns;
  Frame frame;
  while (reader.next(frame) && frame.type != trace::FrameType::kPeriod) {
    if (frame.type != trace::FrameType::kProcess)
      continue;
    process.program = frame.process.executable;
    process.arguments = frame.process.arguments;
    break;
  }
  return process;
}

std::vector<ProcessPair> pair_processes(std::span<const RunProcess> a,
                                        std::span<const RunProcess> b) {
  return Pairing(a, b).take();
}

} // namespace pagetide::tools
