//===- sort.cpp - Sorting and grouping with the C++ library ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::sort, std::stable_sort, a heap and a std::map over one set of records:
// what C++ programs do, through the templates they do it with.

#include "kernel.h"

#include <algorithm>
#include <map>
#include <queue>
#include <vector>

namespace {

struct Record {
  uint64_t key;
  uint32_t group;
  uint32_t weight;
  double score;
};

struct Group {
  uint64_t count = 0;
  double score = 0;
  uint64_t last_key = 0;
};

KERNEL_FUNCTION std::vector<Record> make_records(uint64_t count,
                                                 uint64_t *random) {
  std::vector<Record> records;
  for (uint64_t i = 0; i < count; ++i) {
    Record r;
    r.key = next_random(random);
    r.group = static_cast<uint32_t>(random_below(random, count / 16 + 1));
    r.weight = static_cast<uint32_t>(random_below(random, 1000));
    r.score = static_cast<double>(random_below(random, 100000)) / 64;
    records.push_back(r);
  }
  return records;
}

KERNEL_FUNCTION void sort_records(std::vector<Record> &records) {
  std::sort(records.begin(), records.end(),
            [](const Record &a, const Record &b) { return a.key < b.key; });
  std::stable_sort(
      records.begin(), records.end(),
      [](const Record &a, const Record &b) { return a.weight < b.weight; });
}

KERNEL_FUNCTION uint64_t group_records(const std::vector<Record> &records) {
  std::map<uint32_t, Group> groups;
  for (const Record &r : records) {
    Group &group = groups[r.group];
    ++group.count;
    group.score += r.score;
    group.last_key = r.key;
  }
  uint64_t sum = 0;
  for (const auto &[id, group] : groups)
    sum = mix(mix_double(mix(sum, id), group.score), group.last_key);
  return sum;
}

/// The keys of the best scores, by a heap of a bounded size.
KERNEL_FUNCTION uint64_t best_records(const std::vector<Record> &records) {
  const auto better = [](const Record *a, const Record *b) {
    return a->score != b->score ? a->score > b->score : a->key < b->key;
  };
  std::priority_queue<const Record *, std::vector<const Record *>,
                      decltype(better)>
      best(better);
  for (const Record &r : records) {
    best.push(&r);
    if (best.size() > records.size() / 64 + 1)
      best.pop();
  }
  uint64_t sum = 0;
  for (; !best.empty(); best.pop())
    sum = mix(sum, best.top()->key);
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  const kernel_arguments arguments = read_arguments(argc, argv);
  uint64_t random = 7;
  uint64_t sum = 0;
  for (uint64_t round = 0; round < arguments.rounds; ++round) {
    std::vector<Record> records = make_records(arguments.size, &random);
    sort_records(records);
    sum = mix(sum, group_records(records));
    sum = mix(sum, best_records(records));
  }
  print_checksum("sort", sum);
  return 0;
}
