//===- manifest.cpp - What a checkpoint is made of ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "format/manifest.h"

#include "format/error.h"
#include "format/hash.h"
#include "pagetide/trace_format.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace pagetide::checkpoint {

namespace {

class Encoder {
public:
  void varint(std::uint64_t value) {
    std::uint8_t bytes[trace::kMaxVarintBytes];
    add(bytes,
        static_cast<std::size_t>(trace::put_varint(bytes, value) - bytes));
  }
  void u64(std::uint64_t value) {
    std::uint8_t bytes[8];
    trace::put_u64(bytes, value);
    add(bytes, sizeof(bytes));
  }
  void add(const void *data, std::size_t bytes) {
    const auto *begin = static_cast<const std::uint8_t *>(data);
    out.insert(out.end(), begin, begin + bytes);
  }

  Bytes out;
};

class Decoder {
public:
  Decoder(std::span<const std::uint8_t> body, const std::string &name)
      : at_(body.data()), end_(body.data() + body.size()), name_(name) {}

  [[noreturn]] void fail(const std::string &why) const {
    throw Error(Problem::kDamaged, name_ + ": is damaged: " + why);
  }
  void require(bool holds, const char *why) const {
    if (!holds)
      fail(why);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    at_ = trace::get_varint(at_, end_, value);
    if (!at_)
      fail("a number is cut off");
    return value;
  }
  /// A number of things that each take `least` bytes or more.
  std::uint64_t count(std::uint64_t most, std::size_t least) {
    const std::uint64_t value = varint();
    require(value <= most && value <= left() / least,
            "it has more entries than bytes");
    return value;
  }
  std::uint64_t u64() {
    std::uint8_t bytes[8];
    take(bytes, sizeof(bytes));
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i)
      value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
  }
  void take(void *to, std::size_t bytes) {
    require(left() >= bytes, "its end is missing");
    std::memcpy(to, at_, bytes);
    at_ += bytes;
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

private:
  const std::uint8_t *at_;
  const std::uint8_t *end_;
  const std::string &name_;
};

constexpr std::size_t kMinExtentBytes = 3;
constexpr std::size_t kMinBlockBytes = 1 + kMinExtentBytes + 1 + 1 + 16;

void take_regions(Decoder &in, Manifest &out) {
  const std::uint64_t count = in.count(kMaxRegions, 2);
  in.require(count != 0, "it has no regions");
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Region region = {in.varint(), in.varint()};
    in.require(region.bytes != 0 &&
                   region.bytes <=
                       std::numeric_limits<std::int64_t>::max() - total,
               "a region's size is impossible");
    in.require(out.regions.empty() || out.regions.back().id < region.id,
               "its regions are not in order");
    total += region.bytes;
    out.regions.push_back(region);
  }
}

Extent take_extent(Decoder &in, const Manifest &manifest) {
  const std::uint64_t region = in.varint();
  in.require(region < manifest.regions.size(),
             "it speaks of a region that it does not have");
  const Extent extent = {static_cast<std::uint32_t>(region), in.varint(),
                         in.varint()};
  const std::uint64_t whole = manifest.regions[region].bytes;
  in.require(extent.bytes != 0 && extent.offset < whole &&
                 extent.bytes <= whole - extent.offset,
             "it speaks of bytes outside a region");
  return extent;
}

bool is_compressed(Codec codec, std::uint16_t version) {
  return codec == Codec::kZstd ||
         (codec == Codec::kLz4 && version == kVersionMajorLz4);
}

void take_block(Decoder &in, std::uint16_t version, Manifest &out,
                std::uint64_t &file_offset) {
  Block block;
  block.first_extent = out.extents.size();
  block.extent_count =
      static_cast<std::uint32_t>(in.count(kMaxBlockBytes, kMinExtentBytes));
  in.require(block.extent_count != 0, "a block is empty");
  std::uint64_t raw = 0;
  for (std::uint32_t i = 0; i < block.extent_count; ++i) {
    const Extent extent = take_extent(in, out);
    in.require(extent.bytes <= kMaxBlockBytes - raw, "a block is too large");
    raw += extent.bytes;
    out.extents.push_back(extent);
  }
  block.raw_bytes = static_cast<std::uint32_t>(raw);
  std::uint8_t codec = 0;
  in.take(&codec, 1);
  block.codec = static_cast<Codec>(codec);
  const std::uint64_t stored = in.varint();
  in.require(block.codec == Codec::kRaw ? stored == raw
                                        : is_compressed(block.codec, version) &&
                                              stored != 0 && stored < raw,
             "a block's size is impossible");
  block.stored_bytes = static_cast<std::uint32_t>(stored);
  block.stored_hash = in.u64();
  block.raw_hash = in.u64();
  block.file_offset = file_offset;
  file_offset += stored;
  out.blocks.push_back(block);
}

/// Extents do not overlap. Those of a base cover all regions.
void check_extents(const Decoder &in, const Manifest &manifest) {
  std::vector<Extent> sorted = manifest.extents;
  const auto before = [](const Extent &a, const Extent &b) {
    return a.region != b.region ? a.region < b.region : a.offset < b.offset;
  };
  if (!std::is_sorted(sorted.begin(), sorted.end(), before))
    std::sort(sorted.begin(), sorted.end(), before);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    in.require(sorted[i - 1].region != sorted[i].region ||
                   sorted[i - 1].offset + sorted[i - 1].bytes <=
                       sorted[i].offset,
               "two of its blocks have the same bytes");
  in.require(!manifest.is_base() ||
                 manifest.raw_bytes() == manifest.region_bytes(),
             "it is a base, and lacks bytes of its regions");
}

Manifest take_body(Decoder &in, std::uint16_t version) {
  Manifest out;
  out.number = in.varint();
  in.take(out.id.data(), kIdBytes);
  out.parent = in.varint();
  in.require(out.number != 0 && out.parent < out.number,
             "its number or its parent's is impossible");
  if (!out.is_base())
    in.take(out.parent_id.data(), kIdBytes);
  out.generation = in.varint();
  out.time_ns = in.varint();
  out.program.resize(in.count(kMaxProgramBytes, 1));
  in.take(out.program.data(), out.program.size());
  out.flags = in.varint();
  out.granule = in.varint();
  take_regions(in, out);
  const std::uint64_t blocks =
      in.count(std::numeric_limits<std::uint32_t>::max(), kMinBlockBytes);
  std::uint64_t file_offset = sizeof(DataHeader);
  out.blocks.reserve(blocks);
  for (std::uint64_t i = 0; i < blocks; ++i)
    take_block(in, version, out, file_offset);
  check_extents(in, out);
  return out;
}

} // namespace

std::optional<std::uint32_t>
Manifest::region_index(std::uint64_t region_id) const {
  const auto found = std::lower_bound(
      regions.begin(), regions.end(), region_id,
      [](const Region &region, std::uint64_t id) { return region.id < id; });
  if (found == regions.end() || found->id != region_id)
    return std::nullopt;
  return static_cast<std::uint32_t>(found - regions.begin());
}

std::uint64_t Manifest::region_bytes() const {
  std::uint64_t sum = 0;
  for (const Region &region : regions)
    sum += region.bytes;
  return sum;
}

std::uint64_t Manifest::raw_bytes() const {
  std::uint64_t sum = 0;
  for (const Block &block : blocks)
    sum += block.raw_bytes;
  return sum;
}

std::uint64_t Manifest::data_bytes() const {
  return blocks.empty()
             ? sizeof(DataHeader)
             : blocks.back().file_offset + blocks.back().stored_bytes;
}

bool Manifest::has(Codec codec) const {
  return std::any_of(blocks.begin(), blocks.end(), [codec](const Block &block) {
    return block.codec == codec;
  });
}

Bytes encode(const Manifest &manifest) {
  Encoder body;
  body.varint(manifest.number);
  body.add(manifest.id.data(), kIdBytes);
  body.varint(manifest.parent);
  if (!manifest.is_base())
    body.add(manifest.parent_id.data(), kIdBytes);
  body.varint(manifest.generation);
  body.varint(manifest.time_ns);
  body.varint(manifest.program.size());
  body.add(manifest.program.data(), manifest.program.size());
  body.varint(manifest.flags);
  body.varint(manifest.granule);
  body.varint(manifest.regions.size());
  for (const Region &region : manifest.regions) {
    body.varint(region.id);
    body.varint(region.bytes);
  }
  body.varint(manifest.blocks.size());
  for (const Block &block : manifest.blocks) {
    body.varint(block.extent_count);
    for (const Extent &extent : manifest.extents_of(block)) {
      body.varint(extent.region);
      body.varint(extent.offset);
      body.varint(extent.bytes);
    }
    const auto codec = static_cast<std::uint8_t>(block.codec);
    body.add(&codec, 1);
    body.varint(block.stored_bytes);
    body.u64(block.stored_hash);
    body.u64(block.raw_hash);
  }
  if (body.out.size() > kMaxManifestBytes - sizeof(ManifestHeader))
    throw Error(Problem::kInvalid,
                "checkpoint " + std::to_string(manifest.number) +
                    ": its manifest would be too large; protect less memory");
  ManifestHeader header = {};
  std::memcpy(header.magic, kManifestMagic, sizeof(kManifestMagic));
  header.version_major =
      manifest.has(Codec::kLz4) ? kVersionMajorLz4 : kVersionMajor;
  header.version_minor = kVersionMinor;
  header.header_bytes = sizeof(header);
  header.body_bytes = body.out.size();
  header.body_hash = hash_of(body.out.data(), body.out.size());
  header.hash = hash_of(&header, offsetof(ManifestHeader, hash));
  const auto *head = reinterpret_cast<const std::uint8_t *>(&header);
  body.out.insert(body.out.begin(), head, head + sizeof(header));
  return std::move(body.out);
}

Manifest decode(std::span<const std::uint8_t> file, const std::string &name) {
  const auto fail = [&name](const char *why) {
    throw Error(Problem::kDamaged, name + ": is damaged: " + why);
  };
  ManifestHeader header = {};
  if (file.size() < sizeof(header))
    fail("its head is cut off");
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.magic, kManifestMagic, sizeof(kManifestMagic)) != 0)
    fail("it does not begin as a manifest does");
  // A flipped bit in the version is damage, another version is not.
  const bool whole =
      header.hash == hash_of(&header, offsetof(ManifestHeader, hash));
  if (whole && header.version_major != kVersionMajor &&
      header.version_major != kVersionMajorLz4)
    throw Error(Problem::kVersion,
                name + ": has version " + std::to_string(header.version_major) +
                    " of the format; this Pagetide reads versions " +
                    std::to_string(kVersionMajor) + " and " +
                    std::to_string(kVersionMajorLz4) +
                    ". Use the Pagetide that wrote it.");
  if (!whole || header.header_bytes != sizeof(header))
    fail("its head is not as it was written");
  const auto body = file.subspan(sizeof(header));
  if (header.body_bytes != body.size())
    fail("it is longer or shorter than it was written");
  if (header.body_hash != hash_of(body.data(), body.size()))
    fail("it is not as it was written");
  Decoder in(body, name);
  return take_body(in, header.version_major);
}

DataHeader data_header(const Manifest &manifest) {
  DataHeader header = {};
  std::memcpy(header.magic, kDataMagic, sizeof(kDataMagic));
  header.version_major = kVersionMajor;
  header.version_minor = kVersionMinor;
  header.header_bytes = sizeof(header);
  header.number = manifest.number;
  header.generation = manifest.generation;
  std::memcpy(header.id, manifest.id.data(), kIdBytes);
  header.hash = hash_of(&header, offsetof(DataHeader, hash));
  return header;
}

} // namespace pagetide::checkpoint
