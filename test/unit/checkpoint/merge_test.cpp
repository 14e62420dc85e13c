//===- merge_test.cpp - What merging leaves of its source -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/merge.h"

#include "checkpoint/sample_folder.h"
#include "checkpoint/sample_stream.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::checkpoint {

namespace {

constexpr std::uint64_t kMiB = 1u << 20;

Bytes random_bytes(std::size_t count) {
  std::minstd_rand random(1);
  Bytes bytes(count);
  for (std::uint8_t &byte : bytes)
    byte = static_cast<std::uint8_t>(random() >> 8);
  return bytes;
}

/// The checkpoint and its parents, in files of memory.
Chain chain_in_memory(const SampleFolder &sample, std::uint64_t number) {
  std::vector<Manifest> members;
  std::vector<File> data;
  for (; number != 0; number = members.back().parent) {
    members.push_back(sample.folder().manifest(number));
    const std::string path = sample.folder().data_path(number, 0);
    data.push_back(file_of(read_file(path, 100 * kMiB)));
  }
  return Chain::of(std::move(members), std::move(data));
}

/// What the chain's data files take of their disk.
std::uint64_t bytes_taken(const Chain &chain) {
  std::uint64_t sum = 0;
  for (std::uint32_t m = 0; m < chain.members().size(); ++m) {
    struct stat status = {};
    EXPECT_EQ(::fstat(chain.data(m).fd(), &status), 0);
    sum += static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  return sum;
}

/// Merges the chain as a base into the folder.
void merge_into(const SampleFolder &sample, const Chain &chain, Source source,
                const MergeProgress &tell) {
  Manifest base = chain.newest();
  base.number = sample.folder().next_number();
  base.parent = 0;
  base.parent_id = {};
  base.extents.clear();
  base.blocks.clear();
  CheckpointWriter writer(sample.folder(), base, 1,
                          CheckpointWriter::Sync::kNo);
  merge(chain, source, writer.blocks(), tell);
  writer.commit();
}

class CheckpointMerge : public testing::Test {
protected:
  /// A base, an increment of which nothing is needed, and one that replaces the
  /// middle.
  void SetUp() override {
    sample_.memory[1] = random_bytes(12 * kMiB);
    sample_.save(0);
    for (std::uint64_t parent = 1; parent <= 2; ++parent) {
      sample_.change(1, 4 * kMiB, 8 * kMiB + 5);
      sample_.save(parent, {{1, 4 * kMiB, 8 * kMiB + 5}});
    }
  }

  SampleFolder sample_;
};

TEST_F(CheckpointMerge, GivesBackWhatItHasRead) {
  const Chain chain = chain_in_memory(sample_, 3);
  const std::uint64_t before = bytes_taken(chain);
  ASSERT_GE(before, 20 * kMiB);
  merge_into(sample_, chain, Source::kIsUsedUp,
             [&](std::uint64_t done, std::uint64_t) {
               EXPECT_LE(bytes_taken(chain) + done, before + 2 * kMiB);
             });
  EXPECT_LE(bytes_taken(chain), 2 * kMiB);
  EXPECT_TRUE(sample_.restored(4) == sample_.memory);
}

TEST_F(CheckpointMerge, LeavesFilesOfAFolderAlone) {
  const Chain chain = Chain::load(sample_.folder(), 3);
  const std::uint64_t before = bytes_taken(chain);
  merge_into(sample_, chain, Source::kStays, {});
  EXPECT_EQ(bytes_taken(chain), before);
  for (const auto &[number, memory] : sample_.saved)
    EXPECT_TRUE(sample_.restored(number) == memory) << number;
}

} // namespace

} // namespace pagetide::checkpoint
