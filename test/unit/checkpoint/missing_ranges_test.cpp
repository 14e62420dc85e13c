//===- missing_ranges_test.cpp - Tests of what a restore still lacks ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/missing_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace pagetide::checkpoint {

namespace {

TEST(CheckpointMissingRanges, AgainstASetOfBytes) {
  std::minstd_rand random(5);
  for (int round = 0; round < 300; ++round) {
    constexpr std::uint64_t kBytes = 60;
    MissingRanges ranges(kBytes);
    std::vector<bool> missing(kBytes, true);
    std::uint64_t limit = kBytes;
    std::uint64_t last_begin = 0;
    for (int step = 0; step < 20; ++step) {
      if (random() % 6 == 0) {
        limit = std::min<std::uint64_t>(limit, random() % (kBytes + 1));
        ranges.limit_to(limit);
      }
      // The same pass, unless it begins before the last one did.
      const std::uint64_t begin = random() % kBytes;
      const std::uint64_t end = begin + 1 + random() % (kBytes - begin);
      if (begin < last_begin)
        ranges.end_pass();
      last_begin = begin;
      std::vector<bool> found(kBytes, false);
      ranges.take(begin, end, [&](std::uint64_t first, std::uint64_t last) {
        ASSERT_LT(first, last);
        for (std::uint64_t at = first; at < last; ++at)
          found[at] = true;
      });
      for (std::uint64_t at = 0; at < kBytes; ++at) {
        const bool want =
            missing[at] && at >= begin && at < std::min(end, limit);
        ASSERT_EQ(found[at], want) << round << " " << step << " " << at;
        missing[at] = missing[at] && !want;
      }
    }
  }
}

} // namespace

} // namespace pagetide::checkpoint
