//===- block_codec_test.cpp - Tests of how blocks are compressed ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/block_codec.h"

#include "checkpoint/sample_folder.h"
#include "checkpoint/sample_stream.h"
#include "format/error.h"
#include "format/hash.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace pagetide::checkpoint {

namespace {

Bytes random_bytes(std::size_t count, std::uint32_t seed) {
  std::minstd_rand random(seed);
  Bytes bytes(count);
  for (std::uint8_t &byte : bytes)
    byte = static_cast<std::uint8_t>(random() >> 8);
  return bytes;
}

/// A block and the bytes that a file has of it.
struct Stored {
  Block block;
  Bytes bytes;
};

Stored encoded(const Bytes &raw, int compression) {
  BlockEncoder encoder(compression);
  Stored out;
  const auto stored = encoder.encode(raw, out.block);
  out.bytes.assign(stored.begin(), stored.end());
  return out;
}

/// Made right, so that what lies behind the hash of the file's bytes is tried.
void repair(Stored &stored) {
  stored.block.stored_bytes = static_cast<std::uint32_t>(stored.bytes.size());
  stored.block.stored_hash = hash_of(stored.bytes.data(), stored.bytes.size());
}

/// Throws Error.
Bytes decoded(const Stored &stored) {
  const File file = file_of(stored.bytes);
  BlockDecoder decoder;
  const auto raw = decoder.raw(file, stored.block);
  return {raw.begin(), raw.end()};
}

/// Both ways to read it give what was saved, or name the file as damaged.
void expect_right_or_refused(const Stored &stored, const Bytes &raw,
                             const std::string &what) {
  const File file = file_of(stored.bytes);
  BlockDecoder decoder;
  for (const bool is_verified : {false, true}) {
    try {
      const auto got = is_verified ? decoder.content(file, stored.block)
                                   : decoder.raw(file, stored.block);
      EXPECT_EQ(Bytes(got.begin(), got.end()), raw) << what;
    } catch (const Error &error) {
      EXPECT_EQ(error.problem(), Problem::kDamaged) << what;
      EXPECT_EQ(std::string(error.what()).find("the stream: is damaged"), 0u)
          << error.what();
    }
  }
}

void expect_refused(const Stored &stored, const std::string &what) {
  try {
    decoded(stored);
    ADD_FAILURE() << what;
  } catch (const Error &error) {
    EXPECT_EQ(error.problem(), Problem::kDamaged) << what;
  }
}

class BlockCodec : public testing::TestWithParam<int> {
protected:
  Codec codec() const {
    return GetParam() == BlockEncoder::kLz4 ? Codec::kLz4 : Codec::kZstd;
  }
};

INSTANTIATE_TEST_SUITE_P(Each, BlockCodec, testing::ValuesIn(kCompressions),
                         [](const auto &test) {
                           return std::string(compression_name(test.param));
                         });

TEST_P(BlockCodec, GivesBackWhatItGot) {
  // LZ4 and zstd treat the smallest ones apart. What a reader bounds is the
  // largest.
  for (const std::size_t count :
       {1u, 2u, 5u, 12u, 13u, 64u, 4096u, kBlockBytes, kMaxBlockBytes}) {
    for (const Bytes &raw :
         {Bytes(count, 7), sample_bytes(count, 1), random_bytes(count, 1)}) {
      const Stored stored = encoded(raw, GetParam());
      EXPECT_EQ(decoded(stored), raw) << count;
      EXPECT_EQ(stored.block.raw_bytes, count);
      EXPECT_EQ(stored.block.stored_bytes, stored.bytes.size());
      if (stored.block.codec == Codec::kRaw) {
        EXPECT_EQ(stored.bytes, raw) << count;
      } else {
        EXPECT_EQ(stored.block.codec, codec());
        EXPECT_LT(stored.bytes.size(), count);
      }
    }
  }
}

TEST_P(BlockCodec, CompressesWhatBecomesSmaller) {
  for (const std::size_t count : {100u, 4096u, kBlockBytes}) {
    const Stored stored = encoded(Bytes(count, 7), GetParam());
    EXPECT_EQ(stored.block.codec, codec());
    EXPECT_LT(stored.bytes.size(), count / 2);
  }
  for (const std::size_t count : {1u, 4096u, kBlockBytes})
    EXPECT_EQ(encoded(random_bytes(count, 2), GetParam()).block.codec,
              Codec::kRaw);
}

TEST_P(BlockCodec, ABlockSaysNothingOfTheNext) {
  BlockEncoder encoder(GetParam());
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Bytes raw = sample_bytes(1000 * (seed % 3 + 1), seed);
    Stored stored;
    const auto bytes = encoder.encode(raw, stored.block);
    stored.bytes.assign(bytes.begin(), bytes.end());
    EXPECT_EQ(decoded(stored), raw);
    EXPECT_EQ(stored.bytes, encoded(raw, GetParam()).bytes);
  }
}

TEST_P(BlockCodec, EveryTruncationIsRefused) {
  const Bytes raw = sample_bytes(3000, 1);
  const Stored whole = encoded(raw, GetParam());
  ASSERT_EQ(whole.block.codec, codec());
  for (std::size_t bytes = 1; bytes < whole.bytes.size(); ++bytes) {
    Stored cut = whole;
    cut.bytes.resize(bytes);
    expect_refused(cut, "the file ends");
    repair(cut);
    expect_refused(cut, "cut after " + std::to_string(bytes));
  }
}

TEST_P(BlockCodec, AFlippedBitOfAnyByteIsFound) {
  const Bytes raw = sample_bytes(3000, 1);
  const Stored whole = encoded(raw, GetParam());
  ASSERT_EQ(whole.block.codec, codec());
  for (std::size_t at = 0; at < whole.bytes.size(); ++at) {
    Stored flipped = whole;
    flipped.bytes[at] ^= static_cast<std::uint8_t>(1u << at % 8);
    expect_refused(flipped, "byte " + std::to_string(at));
    repair(flipped);
    expect_right_or_refused(flipped, raw, "byte " + std::to_string(at));
  }
}

TEST_P(BlockCodec, BytesOfAnyKindStayInTheirBounds) {
  const Bytes raw = sample_bytes(3000, 1);
  std::minstd_rand random(3);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    Stored stored = encoded(raw, GetParam());
    if (i % 2 == 0)
      stored.bytes = random_bytes(1 + random() % 500, i);
    for (int n = 0; n < 3; ++n) // lengths of matches and of literals
      stored.bytes[random() % stored.bytes.size()] = 0xff;
    repair(stored);
    expect_right_or_refused(stored, raw, std::to_string(i));
  }
}

TEST_P(BlockCodec, AnotherLengthIsRefused) {
  const Bytes raw = sample_bytes(3000, 1);
  for (const std::uint32_t count : {1u, 2999u, 3001u, kMaxBlockBytes}) {
    Stored stored = encoded(raw, GetParam());
    stored.block.raw_bytes = count;
    expect_refused(stored, std::to_string(count));
  }
  // More bytes than it needs.
  Stored stored = encoded(raw, GetParam());
  stored.bytes.push_back(0);
  repair(stored);
  expect_refused(stored, "a byte too many");
}

TEST_P(BlockCodec, AnotherCodecIsRefused) {
  const Bytes raw = sample_bytes(3000, 1);
  Stored stored = encoded(raw, GetParam());
  stored.block.codec =
      stored.block.codec == Codec::kLz4 ? Codec::kZstd : Codec::kLz4;
  expect_refused(stored, "taken for the other one");
}

TEST(BlockCodecOff, EverythingIsStoredAsItIs) {
  for (const std::size_t count : {1u, 4096u, kMaxBlockBytes}) {
    const Bytes raw(count, 7);
    const Stored stored = encoded(raw, BlockEncoder::kNoCompression);
    EXPECT_EQ(stored.block.codec, Codec::kRaw);
    EXPECT_EQ(stored.bytes, raw);
    EXPECT_EQ(decoded(stored), raw);
  }
}

} // namespace

} // namespace pagetide::checkpoint
