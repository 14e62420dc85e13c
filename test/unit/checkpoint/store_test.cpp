//===- store_test.cpp - Tests of folders of checkpoints -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checkpoint/sample_folder.h"
#include "format/error.h"
#include "format/hash.h"
#include "store/upkeep.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::checkpoint {

namespace {

Bytes content_of(const std::string &path) {
  return read_file(path, std::uint64_t{1} << 30);
}

void replace(const std::string &path, const Bytes &bytes) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  file.append(bytes);
}

Problem problem_of(const std::function<void()> &function) {
  try {
    function();
  } catch (const Error &error) {
    EXPECT_NE(error.what()[0], '\0');
    return error.problem();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Problem::kInvalid;
}

/// Either exactly what was saved, or a refusal as damaged.
void expect_right_or_refused(const SampleFolder &sample, std::uint64_t number,
                             const std::string &what) {
  try {
    EXPECT_TRUE(sample.restored(number) == sample.saved.at(number)) << what;
  } catch (const Error &error) {
    EXPECT_EQ(error.problem(), Problem::kDamaged) << what << error.what();
  }
}

/// What is tried with each way to compress.
class CheckpointCompressed : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Each, CheckpointCompressed,
                         testing::ValuesIn(kCompressions),
                         [](const auto &test) {
                           return std::string(compression_name(test.param));
                         });

bool has_lz4(const SampleFolder &sample, std::uint64_t number) {
  return sample.folder().manifest(number).has(Codec::kLz4);
}

/// Of a file of a manifest.
std::uint16_t version_of(const Bytes &bytes) {
  ManifestHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header.version_major;
}

TEST_P(CheckpointCompressed, RestoresEachOfAChain) {
  SampleFolder sample(GetParam());
  sample.make_chain();
  for (const std::uint64_t number : {1, 2, 3})
    EXPECT_TRUE(sample.restored(number) == sample.saved[number]) << number;
  EXPECT_EQ(problem_of([&] { sample.restored(4); }), Problem::kNone);
}

TEST_P(CheckpointCompressed, TakesTheNewestOfEachByte) {
  SampleFolder sample(GetParam());
  sample.memory[2] = sample_bytes(5000, 3);
  std::uint64_t last = sample.save(0);
  std::minstd_rand random(7);
  for (int i = 0; i < 100; ++i) {
    std::vector<SampleFolder::Range> ranges;
    std::size_t at = 0;
    while ((at += random() % 2000) < 4900) {
      const std::size_t end = at + 1 + random() % 90;
      sample.change(2, at, end);
      ranges.push_back({2, at, end});
      at = end;
    }
    if (i % 2 != 0) // a file may have them in any order
      std::shuffle(ranges.begin(), ranges.end(), random);
    last = sample.save(last, ranges);
    ASSERT_TRUE(sample.restored(last) == sample.memory) << i;
  }
}

TEST(CheckpointStore, RegionsGrowShrinkComeAndGo) {
  SampleFolder sample;
  sample.memory[2] = sample_bytes(1000, 3);
  sample.save(0);
  sample.memory[2].resize(400);
  sample.save(1);
  EXPECT_TRUE(sample.restored(2) == sample.memory);
  // Grown again: what lies beyond 400 must not be that of checkpoint 1.
  sample.memory[2].resize(600, 0x11);
  sample.save(2, {{2, 400, 600}});
  EXPECT_TRUE(sample.restored(3) == sample.memory);
  sample.memory[9] = sample_bytes(100, 4);
  sample.save(3, {{9, 0, 100}});
  EXPECT_TRUE(sample.restored(4) == sample.memory);
  sample.memory.erase(2);
  sample.save(4);
  EXPECT_TRUE(sample.restored(5) == sample.memory);
  // There again, and an increment without its bytes: nothing has them.
  sample.memory[2] = sample_bytes(50, 5);
  sample.save(5);
  EXPECT_EQ(problem_of([&] { sample.restored(6); }), Problem::kDamaged);
  // Grown without its new bytes.
  sample.memory[9].resize(200);
  sample.save(4, {{2, 0, 50}});
  EXPECT_EQ(problem_of([&] { sample.restored(7); }), Problem::kDamaged);
}

TEST_P(CheckpointCompressed, BlocksOfEverySize) {
  SampleFolder sample(GetParam());
  // Below, at and above the size of a block; compressible and not.
  sample.memory[1] = Bytes(3 * kBlockBytes + 1, 7);
  sample.memory[2] = Bytes(kBlockBytes);
  std::minstd_rand random(1);
  for (std::uint8_t &byte : sample.memory[2])
    byte = static_cast<std::uint8_t>(random() >> 8);
  sample.memory[3] = Bytes(1, 9);
  sample.save(0);
  EXPECT_TRUE(sample.restored(1) == sample.memory);
  const Manifest manifest = sample.folder().manifest(1);
  EXPECT_EQ(manifest.blocks.size(), 5u);
  EXPECT_LT(manifest.data_bytes(), kBlockBytes * 3 / 2);
}

TEST(CheckpointStore, AChainOfEachKind) {
  SampleFolder sample;
  sample.memory[1] = sample_bytes(3 * kBlockBytes, 1);
  sample.save(0);
  std::uint64_t last = 1;
  for (const int compression :
       {BlockEncoder::kLz4, BlockEncoder::kNoCompression, 19}) {
    sample.compression = compression;
    sample.change(1, 1000 * last, kBlockBytes + 1000 * last);
    last = sample.save(
        last, {{1, 1000 * last, std::size_t{kBlockBytes} + 1000 * last}});
  }
  for (const auto &[number, memory] : sample.saved) {
    EXPECT_TRUE(sample.restored(number) == memory) << number;
    EXPECT_EQ(has_lz4(sample, number), number == 2) << number;
  }
}

/// Readers of version 1 refuse what they cannot decode, and only that.
TEST(CheckpointStore, OnlyManifestsWithLz4HaveVersion2) {
  SampleFolder sample(BlockEncoder::kLz4);
  sample.memory[1] = sample_bytes(1000, 1);
  sample.memory[2] = Bytes(1, 1);
  sample.save(0);
  sample.save(1, {{2, 0, 1}}); // too small to be compressed
  sample.compression = 1;
  sample.save(2, {{1, 0, 500}});
  const Folder folder = sample.folder();
  const auto file = [&folder](std::uint64_t number) {
    return content_of(folder.manifest_path(number));
  };
  EXPECT_EQ(version_of(file(1)), 2u);
  EXPECT_EQ(version_of(file(2)), 1u);
  EXPECT_EQ(version_of(file(3)), 1u);
  for (const std::uint64_t number : {1, 2, 3}) {
    DataHeader header;
    std::memcpy(&header, content_of(folder.data_path(number, 0)).data(),
                sizeof(header));
    EXPECT_EQ(header.version_major, 1u) << number;
  }
}

//===- Damage -------------------------------------------------------------===//

TEST_P(CheckpointCompressed, EveryCutOfEveryFile) {
  SampleFolder sample(GetParam());
  sample.make_chain();
  for (const auto &entry : std::filesystem::directory_iterator(sample.path())) {
    const std::string path = entry.path();
    const Bytes whole = content_of(path);
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
      replace(path, Bytes(whole.begin(), whole.begin() + bytes));
      for (const std::uint64_t number : {1, 2, 3})
        expect_right_or_refused(sample, number,
                                path + " cut at " + std::to_string(bytes));
      EXPECT_EQ(problem_of([&] { sample.restored(3); }), Problem::kDamaged);
    }
    replace(path, whole);
  }
  EXPECT_TRUE(sample.restored(3) == sample.memory);
}

TEST_P(CheckpointCompressed, EveryByteOfEveryFile) {
  SampleFolder sample(GetParam());
  sample.make_chain();
  ASSERT_EQ(has_lz4(sample, 1), GetParam() == BlockEncoder::kLz4);
  for (const auto &entry : std::filesystem::directory_iterator(sample.path())) {
    const std::string path = entry.path();
    const Bytes whole = content_of(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      Bytes damaged = whole;
      damaged[at] ^= static_cast<std::uint8_t>(1u << at % 8);
      replace(path, damaged);
      for (const std::uint64_t number : {1, 2, 3})
        expect_right_or_refused(sample, number,
                                path + " byte " + std::to_string(at));
    }
    replace(path, whole);
  }
}

/// A restore reads and verifies the blocks of which it needs a byte, and no
/// others.
TEST_P(CheckpointCompressed, DamageOfWhatIsReplaced) {
  SampleFolder sample(GetParam());
  sample.memory[1] = sample_bytes(3 * kBlockBytes, 1);
  sample.save(0);
  // All of the second block, and all of the third one but a byte.
  sample.change(1, kBlockBytes, 3 * kBlockBytes - 1);
  sample.save(1, {{1, kBlockBytes, 3 * kBlockBytes - 1}});
  const std::string path = sample.folder().data_path(1, 0);
  const Bytes whole = content_of(path);
  const std::vector<Block> blocks = sample.folder().manifest(1).blocks;
  ASSERT_EQ(blocks.size(), 3u);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Bytes damaged = whole;
    damaged[blocks[b].file_offset + blocks[b].stored_bytes / 2] ^= 1;
    replace(path, damaged);
    if (b == 1)
      EXPECT_TRUE(sample.restored(2) == sample.memory);
    else
      EXPECT_EQ(problem_of([&] { sample.restored(2); }), Problem::kDamaged);
    EXPECT_EQ(problem_of([&] { sample.restored(1); }), Problem::kDamaged);
  }
}

TEST(CheckpointDamage, LastGoodIsNamed) {
  SampleFolder sample;
  sample.make_chain();
  const Folder folder = sample.folder();
  EXPECT_EQ(last_good(folder, 3, ""), 3u);
  EXPECT_EQ(last_good(folder, 3, "another"), 0u);
  std::filesystem::resize_file(folder.data_path(3, 0), 60);
  EXPECT_EQ(last_good(folder, 3, "sample"), 2u);
  std::filesystem::remove(folder.manifest_path(2));
  EXPECT_EQ(last_good(folder, 3, "sample"), 1u);
  std::filesystem::remove(folder.data_path(1, 0));
  EXPECT_EQ(last_good(folder, 3, "sample"), 0u);
}

/// A machine's end: of the files of the last checkpoint, some sectors have what
/// was there before, which is nothing.
TEST_P(CheckpointCompressed, TornAndReorderedWrites) {
  SampleFolder sample(GetParam());
  sample.memory[1] = sample_bytes(40000, 1);
  sample.save(0);
  sample.change(1, 0, 30000);
  sample.save(1, {{1, 0, 30000}});
  const Folder folder = sample.folder();
  const std::string paths[] = {folder.data_path(2, 0), folder.manifest_path(2)};
  const Bytes whole[] = {content_of(paths[0]), content_of(paths[1])};
  std::minstd_rand random(3);
  int damaged = 0;
  for (int i = 0; i < 300; ++i) {
    for (int f = 0; f < 2; ++f) {
      Bytes torn = whole[f];
      const std::size_t sector = f == 0 ? 512 : 16;
      for (std::size_t at = 0; at < torn.size(); at += sector)
        if (random() % 8 == 0)
          std::fill(torn.begin() + at,
                    torn.begin() + std::min(at + sector, torn.size()), 0);
      if (random() % 4 == 0)
        torn.resize(random() % (torn.size() + 1));
      replace(paths[f], torn);
    }
    expect_right_or_refused(sample, 2, "try " + std::to_string(i));
    damaged += last_good(folder, 2, "") == 1;
    // The one before is never touched.
    EXPECT_TRUE(sample.restored(1) == sample.saved[1]);
  }
  EXPECT_GT(damaged, 200);
}

TEST(CheckpointDamage, FilesOfOtherCheckpoints) {
  SampleFolder sample, other;
  sample.make_chain();
  other.make_chain();
  const Folder folder = sample.folder();
  // Same number, size and layout, but not the same checkpoint.
  replace(folder.data_path(2, 0), content_of(other.folder().data_path(2, 0)));
  EXPECT_EQ(problem_of([&] { sample.restored(3); }), Problem::kDamaged);
  replace(folder.manifest_path(2), content_of(other.folder().manifest_path(2)));
  EXPECT_EQ(problem_of([&] { sample.restored(3); }), Problem::kDamaged);
  EXPECT_EQ(problem_of([&] { sample.restored(2); }), Problem::kDamaged);
  // A manifest under another's name.
  replace(folder.manifest_path(8), content_of(folder.manifest_path(1)));
  EXPECT_EQ(problem_of([&] { sample.restored(8); }), Problem::kDamaged);
}

/// The manifest's file, as if another version had written it.
Bytes with_version(Bytes bytes, std::uint16_t version) {
  ManifestHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.version_major = version;
  header.hash = hash_of(&header, offsetof(ManifestHeader, hash));
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

TEST(CheckpointDamage, AnotherVersionIsRefusedAsSuch) {
  SampleFolder sample;
  sample.make_chain();
  const std::string path = sample.folder().manifest_path(3);
  for (const std::uint16_t version : {0, 3, 65535}) {
    replace(path, with_version(content_of(path), version));
    try {
      sample.restored(3);
      ADD_FAILURE() << version;
    } catch (const Error &error) {
      EXPECT_EQ(error.problem(), Problem::kVersion);
      EXPECT_EQ(error.what(),
                path + ": has version " + std::to_string(version) +
                    " of the format; this Pagetide reads versions 1 and 2. "
                    "Use the Pagetide that wrote it.");
    }
  }
}

TEST(CheckpointDamage, Version1HasNoLz4) {
  SampleFolder sample(BlockEncoder::kLz4);
  sample.make_chain();
  const Bytes whole = content_of(sample.folder().manifest_path(1));
  EXPECT_TRUE(decode(whole, "name").has(Codec::kLz4));
  EXPECT_EQ(problem_of([&] { decode(with_version(whole, 1), "name"); }),
            Problem::kDamaged);
  // Version 2 may be without.
  sample.compression = 1;
  const std::uint64_t other = sample.save(0);
  const Bytes zstd = content_of(sample.folder().manifest_path(other));
  EXPECT_FALSE(decode(with_version(zstd, 2), "name").has(Codec::kLz4));
}

TEST(CheckpointDamage, SizesOfLz4BlocksThatAreImpossible) {
  SampleFolder sample(BlockEncoder::kLz4);
  sample.make_chain();
  const Manifest good = sample.folder().manifest(1);
  ASSERT_EQ(good.blocks.front().codec, Codec::kLz4);
  for (const std::uint32_t bytes :
       {0u, good.blocks.front().raw_bytes, good.blocks.front().raw_bytes + 1}) {
    Manifest bad = good;
    bad.blocks.front().stored_bytes = bytes;
    EXPECT_EQ(problem_of([&] { decode(encode(bad), "name"); }),
              Problem::kDamaged)
        << bytes;
  }
}

TEST(CheckpointDamage, ManifestsThatLie) {
  SampleFolder sample;
  sample.make_chain();
  const Manifest good = sample.folder().manifest(1);
  const auto refused = [](const Manifest &manifest) {
    return problem_of([&] { decode(encode(manifest), "name"); }) ==
           Problem::kDamaged;
  };
  Manifest bad = good;
  bad.extents.front().offset = 1; // a gap and an overlap
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.extents.front().region = 2;
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.extents.back().bytes += 1;
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.regions.front().bytes += 1; // a base that lacks a byte
  EXPECT_TRUE(refused(bad));
  bad = good;
  std::swap(bad.regions.front(), bad.regions.back());
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.parent = bad.number;
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.blocks.front().codec = static_cast<Codec>(9);
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.regions.clear();
  bad.extents.clear();
  bad.blocks.clear();
  EXPECT_TRUE(refused(bad));
  EXPECT_EQ(decode(encode(good), "name").blocks.size(), good.blocks.size());
}

//===- Writing ------------------------------------------------------------===//

TEST(CheckpointWriterTest, NothingStaysOfWhatIsNotCommitted) {
  SampleFolder sample;
  sample.make_chain();
  const auto files_of = [&] {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto &entry :
         std::filesystem::directory_iterator(sample.path()))
      ++count;
    return count;
  };
  const std::size_t before = files_of();
  {
    Manifest manifest = sample.folder().manifest(3);
    manifest.number = 4;
    CheckpointWriter writer(sample.folder(), manifest, 1,
                            CheckpointWriter::Sync::kYes);
    writer.add(0, 0, Bytes(2 << 20, 3));
    EXPECT_GT(files_of(), before);
  }
  EXPECT_EQ(files_of(), before);
  EXPECT_EQ(sample.folder().newest(), 3u);
}

TEST(CheckpointWriterTest, NeighboursMakeOneExtent) {
  SampleFolder sample;
  sample.make_chain();
  Manifest manifest = sample.folder().manifest(3);
  manifest.number = 4;
  manifest.extents.clear();
  manifest.blocks.clear();
  CheckpointWriter writer(sample.folder(), manifest, 1,
                          CheckpointWriter::Sync::kNo);
  const std::size_t page = 4096;
  for (const std::size_t at : {0, 1, 2, 4, 5})
    writer.add(0, at * page, Bytes(page, 3));
  writer.add(1, 6 * page, Bytes(page, 3)); // of another region
  ASSERT_EQ(writer.manifest().extents.size(), 3u);
  EXPECT_EQ(writer.manifest().extents[0].bytes, 3 * page);
  EXPECT_EQ(writer.manifest().extents[1].offset, 4 * page);
  EXPECT_EQ(writer.manifest().extents[1].bytes, 2 * page);
  // None goes on in the next block.
  for (std::size_t at = 7; at < 7 + 2 * kBlockBytes / page; ++at)
    writer.add(1, at * page, Bytes(page, 3));
  EXPECT_EQ(writer.manifest().extents.size(), 5u);
  EXPECT_EQ(writer.manifest().blocks.size(), 2u);
}

TEST(CheckpointUpkeep, LeftoversGo) {
  SampleFolder sample;
  sample.make_chain();
  const Folder folder = sample.folder();
  replace(folder.data_path(4, 0), Bytes(100));
  replace(folder.data_path(2, 1), Bytes(100)); // of a killed compaction
  replace(folder.manifest_path(4) + ".tmp", Bytes(10));
  // Of a manifest that cannot be read: it may be needed.
  replace(folder.manifest_path(3), Bytes(10));
  EXPECT_EQ(folder.next_number(), 5u);
  remove_leftovers(folder);
  EXPECT_EQ(folder.next_number(), 4u);
  EXPECT_TRUE(folder.unfinished().empty());
  std::vector<std::string> names;
  for (const Folder::DataFile &data : folder.data_files())
    names.push_back(data.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names,
            (std::vector<std::string>{"data-00000001-0", "data-00000002-0",
                                      "data-00000003-0"}));
}

TEST(CheckpointUpkeep, OldOnesGoAndNeededOnesStay) {
  SampleFolder sample;
  sample.make_chain(); // 1 <- 2 <- 3
  sample.save(0);      // 4
  sample.save(4);      // 5
  const Folder folder = sample.folder();
  EXPECT_EQ(remove_old(folder, 3), 0u); // 3 is kept, and needs 1 and 2
  EXPECT_EQ(remove_old(folder, 2), 3u);
  EXPECT_EQ(folder.numbers(), (std::vector<std::uint64_t>{4, 5}));
  EXPECT_EQ(remove_old(folder, 1), 0u); // 5 needs 4
  // One whose chain is broken does not count.
  sample.save(5);
  std::filesystem::resize_file(folder.manifest_path(6), 3);
  EXPECT_EQ(remove_old(folder, 2), 0u);
  EXPECT_TRUE(sample.restored(5) == sample.saved[5]);
}

TEST_P(CheckpointCompressed, CompactionKeepsTheContent) {
  SampleFolder sample(GetParam());
  sample.make_chain();
  sample.change(1, 400, 500);
  sample.save(3, {{1, 400, 500}});
  const Folder folder = sample.folder();
  const Compaction done = compact(folder, 2, 3, {});
  EXPECT_EQ(done.number, 3u);
  EXPECT_EQ(done.merged, 3u);
  EXPECT_EQ(done.removed, 2u);
  EXPECT_LT(done.bytes_after, done.bytes_before);
  EXPECT_EQ(folder.numbers(), (std::vector<std::uint64_t>{3, 4}));
  EXPECT_TRUE(folder.manifest(3).is_base());
  for (const std::uint64_t number : {3, 4})
    EXPECT_TRUE(sample.restored(number) == sample.saved[number]) << number;
  // An increment that was begun before goes on from it.
  sample.change(1, 0, 10);
  sample.save(4, {{1, 0, 10}});
  EXPECT_TRUE(sample.restored(5) == sample.memory);
  compact(folder, 1, 3, {});
  EXPECT_EQ(folder.numbers(), std::vector<std::uint64_t>{5});
  EXPECT_TRUE(sample.restored(5) == sample.memory);
  // Once more changes nothing.
  EXPECT_EQ(compact(folder, 1, 3, {}).merged, 1u);
  EXPECT_TRUE(sample.restored(5) == sample.memory);
}

/// A base, and an increment that leaves parts of its blocks.
void make_parts(SampleFolder &sample, int base, int increment) {
  sample.compression = base;
  sample.memory[1] = sample_bytes(4 * kBlockBytes, 1);
  const std::uint64_t number = sample.save(0);
  sample.compression = increment;
  sample.change(1, 1000, 3 * kBlockBytes + 1000);
  sample.save(number, {{1, 1000, 3 * std::size_t{kBlockBytes} + 1000}});
}

std::set<Codec> codecs_of(const Manifest &manifest) {
  std::set<Codec> codecs;
  for (const Block &block : manifest.blocks)
    codecs.insert(block.codec);
  return codecs;
}

TEST(CheckpointUpkeep, CompactionGoesOnWithTheNewestCodec) {
  constexpr int kLz4 = BlockEncoder::kLz4, kNone = BlockEncoder::kNoCompression;
  using Codecs = std::set<Codec>;
  struct {
    int base, increment;
    std::optional<int> compression;
    Codecs want; // blocks that stay whole are as they were
  } const cases[] = {
      {kLz4, kLz4, {}, {Codec::kLz4}},
      {1, kLz4, {}, {Codec::kLz4}},
      {kLz4, 1, {}, {Codec::kZstd}},
      {kLz4, kNone, {}, {Codec::kRaw, Codec::kLz4}},
      {kNone, kNone, {}, {Codec::kRaw, Codec::kZstd}},
      // As a program in the background chooses.
      {kLz4, kLz4, 1, {Codec::kLz4, Codec::kZstd}},
      {kLz4, kNone, kNone, {Codec::kRaw}},
  };
  for (const auto &one : cases) {
    SampleFolder sample;
    make_parts(sample, one.base, one.increment);
    compact(sample.folder(), 1, one.compression, {});
    EXPECT_EQ(codecs_of(sample.folder().manifest(2)), one.want)
        << one.base << " " << one.increment;
    EXPECT_TRUE(sample.restored(2) == sample.memory);
  }
}

TEST(CheckpointUpkeep, CompactionOfDamageChangesNothing) {
  SampleFolder sample;
  sample.make_chain();
  const Folder folder = sample.folder();
  Bytes bytes = content_of(folder.data_path(2, 0));
  bytes.back() ^= 1;
  replace(folder.data_path(2, 0), bytes);
  EXPECT_EQ(problem_of([&] { compact(folder, 1, 3, {}); }), Problem::kDamaged);
  EXPECT_EQ(folder.numbers(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(sample.restored(1) == sample.saved[1]);
  EXPECT_EQ(folder.data_files().size(), 3u);
}

TEST(CheckpointUpkeep, OneAtATime) {
  SampleFolder sample;
  sample.make_chain();
  const Folder folder = sample.folder();
  const File other(folder.upkeep_lock_path(), O_RDWR | O_CREAT);
  ASSERT_TRUE(other.try_lock());
  EXPECT_EQ(problem_of([&] { compact(folder, 1, 3, {}); }), Problem::kBusy);
  replace(folder.data_path(4, 0), Bytes(100));
  remove_leftovers(folder);
  EXPECT_EQ(folder.data_files().size(), 4u);
  EXPECT_EQ(remove_old(folder, 1), 0u);
}

} // namespace

} // namespace pagetide::checkpoint
