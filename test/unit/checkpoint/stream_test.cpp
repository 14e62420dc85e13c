//===- stream_test.cpp - Streams, and what becomes of them ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checkpoint/sample_stream.h"
#include "format/error.h"
#include "format/hash.h"
#include "store/apply_stream.h"
#include "store/stream_reader.h"
#include "store/writer_lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

using namespace pagetide::checkpoint;

namespace {

AppliedStream applied(const Bytes &stream, const std::string &folder) {
  const File file = file_of(stream);
  return apply_stream(file, folder, [](std::uint64_t, std::uint64_t) {});
}

/// Why the stream is refused. There must be no checkpoint then.
Error refusal(const Bytes &stream) {
  const SampleFolder sample;
  try {
    applied(stream, sample.path());
  } catch (const Error &error) {
    EXPECT_TRUE(sample.folder().numbers().empty());
    EXPECT_TRUE(sample.folder().data_files().empty());
    EXPECT_TRUE(sample.folder().unfinished().empty());
    return error;
  }
  return {Problem::kNone, "it was applied"};
}

void expect_refused(const Bytes &stream, Problem problem,
                    const std::string &text) {
  const Error error = refusal(stream);
  EXPECT_EQ(error.problem(), problem) << error.what();
  EXPECT_NE(std::string(error.what()).find(text), std::string::npos)
      << error.what();
}

/// The frames of a stream, without its head.
std::vector<Bytes> frames_of(const Bytes &stream) {
  std::vector<Bytes> frames;
  for (std::size_t at = sizeof(StreamHeader); at < stream.size();) {
    FrameHeader header;
    std::memcpy(&header, stream.data() + at, sizeof(header));
    const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(at);
    at += sizeof(header) + header.bytes;
    frames.emplace_back(begin,
                        stream.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return frames;
}

Bytes joined(const Bytes &stream, const std::vector<Bytes> &frames) {
  Bytes out(stream.begin(), stream.begin() + sizeof(StreamHeader));
  for (const Bytes &frame : frames)
    out.insert(out.end(), frame.begin(), frame.end());
  return out;
}

/// What is tried with each way to compress.
class CompressedStreamTest : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Each, CompressedStreamTest,
                         testing::ValuesIn(kCompressions),
                         [](const auto &test) {
                           return std::string(compression_name(test.param));
                         });

TEST_P(CompressedStreamTest, TheLastRoundIsTheCheckpoint) {
  Memory last;
  const Bytes stream = sample_stream(&last, GetParam());
  const SampleFolder sample;
  const AppliedStream applied = ::applied(stream, sample.path());
  EXPECT_EQ(applied.number, 1u);
  EXPECT_EQ(applied.program, "sample");
  EXPECT_EQ(applied.regions, 2u);
  EXPECT_EQ(applied.bytes, 1050u);
  EXPECT_EQ(applied.end.pause_ns, 12345u);
  EXPECT_EQ(applied.end.why, static_cast<std::uint64_t>(RoundsEnd::kSmall));
  ASSERT_EQ(applied.rounds.size(), 3u);
  EXPECT_EQ(applied.rounds[0].bytes, 800u);
  EXPECT_EQ(applied.rounds[1].bytes, 64u + 200 + 150);
  EXPECT_EQ(applied.rounds[2].bytes, 64u);
  EXPECT_EQ(applied.stream_bytes, stream.size());
  EXPECT_EQ(sample.restored(1), last);
  const Manifest manifest = sample.folder().manifest(1);
  EXPECT_TRUE(manifest.is_base());
  EXPECT_EQ(manifest.flags, kStreamed);
  // Parts of blocks are packed as the sender has compressed.
  const bool is_lz4 = GetParam() == BlockEncoder::kLz4;
  EXPECT_EQ(manifest.has(Codec::kLz4), is_lz4);
  EXPECT_EQ(manifest.has(Codec::kZstd), !is_lz4);
}

TEST_P(CompressedStreamTest, LargeBlocksOfManyKinds) {
  SampleStream stream(GetParam());
  stream.memory[3] = sample_bytes(3 * kBlockBytes + 100, 4);
  stream.memory[4] = Bytes(2 * kBlockBytes, 0);
  stream.round();
  for (std::size_t at = 0; at < stream.memory[3].size(); at += 10000)
    stream.memory[3][at] ^= 0x55;
  std::vector<SampleStream::Range> ranges;
  for (std::size_t at = 0; at < stream.memory[3].size(); at += 10000)
    ranges.push_back({3, at, at + 1});
  stream.round(ranges);
  stream.writer().end(0, RoundsEnd::kNotShrinking);
  EXPECT_EQ(stream.writer().bytes(), stream.bytes().size());
  const SampleFolder sample;
  applied(stream.bytes(), sample.path());
  EXPECT_EQ(sample.restored(1), stream.memory);
}

TEST(StreamTest, AFolderMayHaveCheckpoints) {
  SampleFolder sample;
  sample.make_chain();
  Memory last;
  EXPECT_EQ(applied(sample_stream(&last), sample.path()).number, 4u);
  EXPECT_EQ(sample.restored(4), last);
  EXPECT_EQ(sample.restored(3), sample.saved[3]);
}

TEST(StreamTest, WhatFollowsTheEndIsNotRead) {
  Bytes stream = sample_stream();
  const std::size_t end = stream.size();
  stream.insert(stream.end(), 100, 7);
  const SampleFolder sample;
  const File file = file_of(stream);
  apply_stream(file, sample.path(), [](std::uint64_t, std::uint64_t) {});
  EXPECT_EQ(::lseek(file.fd(), 0, SEEK_CUR), static_cast<off_t>(end));
}

TEST_P(CompressedStreamTest, EveryTruncationIsRefused) {
  const Bytes stream = sample_stream(nullptr, GetParam());
  for (std::size_t bytes = 0; bytes < stream.size(); ++bytes)
    expect_refused(Bytes(stream.begin(),
                         stream.begin() + static_cast<std::ptrdiff_t>(bytes)),
                   Problem::kDamaged,
                   bytes == 0 ? "is empty" : "the stream: is cut off");
}

TEST_P(CompressedStreamTest, AFlippedBitOfAnyByteIsRefused) {
  Bytes stream = sample_stream(nullptr, GetParam());
  for (std::size_t at = 0; at < stream.size(); ++at) {
    const auto bit = static_cast<std::uint8_t>(1u << at % 8);
    stream[at] ^= bit;
    expect_refused(stream, Problem::kDamaged, "the stream: ");
    stream[at] ^= bit;
  }
}

TEST(StreamTest, FramesInAnyOtherOrderAreRefused) {
  const Bytes stream = sample_stream();
  const Bytes other = sample_stream();
  const std::vector<Bytes> frames = frames_of(stream);
  ASSERT_EQ(joined(stream, frames), stream);
  for (std::size_t at = 0; at < frames.size(); ++at) {
    std::vector<Bytes> changed = frames;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
    expect_refused(joined(stream, changed), Problem::kDamaged, "the stream: ");
    changed = frames;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at),
                   frames[at]);
    // A second end is never read.
    if (at + 1 != frames.size())
      expect_refused(joined(stream, changed), Problem::kDamaged,
                     "not in its place");
    changed = frames;
    changed[at] = frames_of(other)[at];
    expect_refused(joined(stream, changed), Problem::kDamaged,
                   "not in its place");
  }
}

TEST(StreamTest, AnotherVersionIsRefused) {
  Bytes stream = sample_stream();
  StreamHeader header;
  std::memcpy(&header, stream.data(), sizeof(header));
  header.version_major = 2;
  header.hash = hash_of(&header, offsetof(StreamHeader, hash));
  std::memcpy(stream.data(), &header, sizeof(header));
  expect_refused(stream, Problem::kVersion, "has version 2");
  // No folder is made for what is no stream.
  const SampleFolder sample;
  const std::string folder = sample.path() + "/new";
  EXPECT_THROW(applied(stream, folder), Error);
  EXPECT_THROW(applied(Bytes(1000, 'x'), folder), Error);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(StreamTest, ASenderThatGivesUpSaysWhy) {
  SampleStream stream;
  stream.memory[1] = sample_bytes(100, 1);
  stream.round();
  stream.writer().give_up("there was no cut: a thread did not stop");
  expect_refused(stream.bytes(), Problem::kNoCut,
                 "the sender gave up: there was no cut: a thread");
}

TEST(StreamTest, AnotherProgramsFolderIsLeftAlone) {
  SampleFolder sample;
  sample.memory[1] = sample_bytes(100, 1);
  sample.save(0, {}, "another");
  try {
    applied(sample_stream(), sample.path());
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.problem(), Problem::kProgram);
  }
  EXPECT_EQ(sample.folder().numbers().size(), 1u);
}

TEST(StreamTest, AFolderThatSomeoneWritesToIsBusy) {
  const SampleFolder sample;
  const File lock = writer_lock(sample.folder());
  try {
    applied(sample_stream(), sample.path());
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.problem(), Problem::kBusy);
  }
}

//===- Streams whose hashes are right -------------------------------------===//

class ForgedStreamTest : public testing::Test {
protected:
  ForgedStreamTest() {
    manifest_.number = 1;
    manifest_.program = "sample";
    manifest_.granule = 64;
    manifest_.regions = {{1, 100}};
  }

  /// A block of `count` bytes at `offset` of the region.
  void block(std::uint64_t offset, std::uint32_t count, std::uint8_t value) {
    const Bytes raw(count, value);
    Block one;
    one.first_extent = manifest_.extents.size();
    one.extent_count = 1;
    one.raw_bytes = one.stored_bytes = count;
    one.raw_hash = one.stored_hash = hash_of(raw.data(), count);
    manifest_.extents.push_back({0, offset, count});
    manifest_.blocks.push_back(one);
    stream_.frame(FrameKind::kBlock, raw);
  }
  void round() {
    stream_.frame(FrameKind::kRound, encode(manifest_));
    manifest_.extents.clear();
    manifest_.blocks.clear();
    manifest_.parent = manifest_.number++;
    manifest_.parent_id = manifest_.id;
  }

  Manifest manifest_;
  ForgedStream stream_;
};

TEST_F(ForgedStreamTest, AGoodOneIsApplied) {
  block(0, 100, 1);
  round();
  block(10, 20, 2);
  round();
  stream_.end(2);
  const SampleFolder sample;
  applied(stream_.bytes, sample.path());
  Bytes want(100, 1);
  std::fill(want.begin() + 10, want.begin() + 30, 2);
  EXPECT_EQ(sample.restored(1), (Memory{{1, want}}));
}

TEST_F(ForgedStreamTest, TheFirstRoundMustBeABase) {
  manifest_.number = 2;
  manifest_.parent = 1;
  block(0, 100, 1);
  round();
  stream_.end(1);
  expect_refused(stream_.bytes, Problem::kDamaged,
                 "its first round is no base");
}

TEST_F(ForgedStreamTest, ABaseMustBeWhole) {
  block(0, 99, 1);
  round();
  stream_.end(1);
  expect_refused(stream_.bytes, Problem::kDamaged, "lacks bytes");
}

TEST_F(ForgedStreamTest, RoundsMustFollowEachOther) {
  block(0, 100, 1);
  round();
  manifest_.parent_id[0] = 1;
  round();
  stream_.end(2);
  expect_refused(stream_.bytes, Problem::kDamaged, "does not follow");
}

TEST_F(ForgedStreamTest, RoundsMustBeOfOneProgram) {
  block(0, 100, 1);
  round();
  manifest_.program = "another";
  round();
  stream_.end(2);
  expect_refused(stream_.bytes, Problem::kDamaged, "two programs");
}

TEST_F(ForgedStreamTest, BlocksMustBeThoseOfTheManifest) {
  block(0, 100, 1);
  stream_.frame(FrameKind::kBlock, Bytes(5, 1));
  round();
  stream_.end(1);
  expect_refused(stream_.bytes, Problem::kDamaged, "not those of its manifest");
}

TEST_F(ForgedStreamTest, BlocksMustHaveTheManifestsHashes) {
  block(0, 100, 1);
  manifest_.blocks[0].raw_hash ^= 1;
  manifest_.blocks[0].stored_hash ^= 1;
  round();
  stream_.end(1);
  expect_refused(stream_.bytes, Problem::kDamaged,
                 "bytes 56 to 155 are not as they were written");
}

TEST_F(ForgedStreamTest, RegionsThatGrowMustBeSent) {
  block(0, 100, 1);
  round();
  manifest_.regions = {{1, 200}};
  round();
  stream_.end(2);
  expect_refused(stream_.bytes, Problem::kDamaged,
                 "nothing has byte 100 of region 1");
}

TEST_F(ForgedStreamTest, TheEndMustCountTheRounds) {
  block(0, 100, 1);
  round();
  stream_.end(2);
  expect_refused(stream_.bytes, Problem::kDamaged, "other rounds");
}

TEST_F(ForgedStreamTest, NothingMayBeLeftAtTheEnd) {
  block(0, 100, 1);
  round();
  block(0, 100, 2);
  stream_.end(1);
  expect_refused(stream_.bytes, Problem::kDamaged, "other rounds");
}

TEST_F(ForgedStreamTest, AStreamWithoutRounds) {
  stream_.end(0);
  expect_refused(stream_.bytes, Problem::kDamaged, "other rounds");
}

TEST_F(ForgedStreamTest, TooManyRounds) {
  block(0, 100, 1);
  for (std::size_t i = 0; i < kMaxChain; ++i)
    round();
  stream_.end(kMaxChain);
  expect_refused(stream_.bytes, Problem::kDamaged, "too many rounds");
}

TEST_F(ForgedStreamTest, FramesOfNoKindOrSize) {
  stream_.frame(static_cast<FrameKind>(9), Bytes(5, 1));
  expect_refused(stream_.bytes, Problem::kDamaged, "does not exist");
  stream_ = ForgedStream();
  stream_.frame(FrameKind::kBlock, Bytes(kMaxBlockBytes + 1, 1));
  expect_refused(stream_.bytes, Problem::kDamaged, "larger than any");
  stream_ = ForgedStream();
  stream_.frame(FrameKind::kEnd, Bytes(8, 0));
  expect_refused(stream_.bytes, Problem::kDamaged, "last frame is cut off");
  stream_ = ForgedStream();
  stream_.frame(FrameKind::kRound, Bytes(8, 0));
  expect_refused(stream_.bytes, Problem::kDamaged, "head is cut off");
}

} // namespace
