//===- fuzz_checkpoint.cpp - Restores from folders of any content ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   u8 which, then { u16 bytes, manifest } { u16 bytes, data } for each of two
//   checkpoints. What bits of `which` say: 1 the hashes of the first
//   checkpoint's manifest and blocks are made right; 2 those of the second; 4
//   the second's parent is the first.
//
//===----------------------------------------------------------------------===//

#include "format/error.h"
#include "format/hash.h"
#include "format/manifest.h"
#include "fuzz_folder.h"
#include "fuzz_input.h"
#include "store/chain.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace pagetide::tools;
namespace checkpoint = pagetide::checkpoint;
using checkpoint::Error;
using checkpoint::Manifest;

namespace {

void write(const std::string &path, const Bytes &bytes) {
  const checkpoint::File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  file.append(bytes);
}

/// A manifest whose hashes are right, if its body can be read at all.
std::optional<Manifest> read_manifest(Bytes &file, bool repair) {
  if (repair)
    repair_manifest(file);
  try {
    return checkpoint::decode(file, "input");
  } catch (const Error &error) {
    require(error.what()[0] != '\0', "refusals are explained");
    return std::nullopt;
  }
}

void check_manifest(const Manifest &manifest) {
  require(manifest.number > manifest.parent, "parents are older");
  for (const checkpoint::Block &block : manifest.blocks) {
    std::uint64_t raw = 0;
    for (const checkpoint::Extent &extent : manifest.extents_of(block)) {
      require(extent.region < manifest.regions.size(), "regions are there");
      const std::uint64_t whole = manifest.regions[extent.region].bytes;
      require(extent.offset < whole && extent.bytes <= whole - extent.offset,
              "extents are in their regions");
      raw += extent.bytes;
    }
    require(raw == block.raw_bytes && raw <= checkpoint::kMaxBlockBytes &&
                block.stored_bytes <= raw,
            "blocks are bounded");
  }
  const Bytes again = checkpoint::encode(manifest);
  require(checkpoint::encode(checkpoint::decode(again, "again")) == again,
          "what is written is read");
}

/// Makes blocks' hashes right, so that what follows them is tried.
void repair_blocks(Manifest &manifest, Bytes &data) {
  const checkpoint::DataHeader header = checkpoint::data_header(manifest);
  data.resize(std::max(data.size(), sizeof(header)));
  std::memcpy(data.data(), &header, sizeof(header));
  if (manifest.data_bytes() > (1u << 20))
    return;
  data.resize(manifest.data_bytes());
  for (checkpoint::Block &block : manifest.blocks) {
    block.stored_hash = checkpoint::hash_of(data.data() + block.file_offset,
                                            block.stored_bytes);
    if (block.codec == checkpoint::Codec::kRaw)
      block.raw_hash = block.stored_hash;
  }
}

void restore(const checkpoint::Folder &folder, std::uint64_t number) {
  try {
    const checkpoint::Chain chain = checkpoint::Chain::load(folder, number);
    std::uint64_t expected = 0;
    for (const checkpoint::NeededBlock &needed : chain.needed())
      for (const checkpoint::Piece &piece : chain.pieces(needed))
        expected += piece.bytes;
    require(expected == chain.newest().region_bytes(),
            "each byte has one source");
    checkpoint::BlockDecoder decoder;
    chain.verify(decoder);
    chain.read(decoder, [&](const checkpoint::Piece &piece,
                            std::span<const std::uint8_t> bytes) {
      require(bytes.size() == piece.bytes &&
                  piece.offset + piece.bytes <=
                      chain.newest().regions[piece.region].bytes,
              "pieces are in their regions");
    });
  } catch (const Error &error) {
    require(error.what()[0] != '\0', "refusals are explained");
  }
}

} // namespace

PAGETIDE_FUZZER(fuzz_checkpoint) {
  static const WorkFolder kWork;
  const checkpoint::Folder folder(kWork.path());
  const std::uint8_t which = input.byte();
  kWork.clear();
  checkpoint::Id first_id = {};
  for (std::uint64_t number = 1; number <= 2; ++number) {
    const bool repair = which & number;
    Bytes file = input.bytes(input.number(2));
    Bytes data = input.bytes(input.number(2));
    std::optional<Manifest> manifest = read_manifest(file, repair);
    std::uint64_t generation = 0;
    if (manifest) {
      check_manifest(*manifest);
      if (repair) {
        manifest->number = number;
        if (number == 2 && (which & 4)) {
          manifest->parent = 1;
          manifest->parent_id = first_id;
        } else if (manifest->parent >= number) {
          manifest->parent = 0;
        }
        repair_blocks(*manifest, data);
        file = checkpoint::encode(*manifest);
      }
      first_id = manifest->id;
      generation = manifest->generation;
    }
    write(folder.manifest_path(number), file);
    write(folder.data_path(number, generation), data);
  }
  restore(folder, 1);
  restore(folder, 2);
  checkpoint::last_good(folder, 2, "");
}
