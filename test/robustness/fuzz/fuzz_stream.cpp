//===- fuzz_stream.cpp - Makes checkpoints of streams of any content ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   u8 form. Even: the rest is the stream. Odd: { u8 kind, u16 bytes, payload }
//   for each frame, whose hashes are made right, as are those of manifests, of
//   blocks, and the links between rounds.
//
//===----------------------------------------------------------------------===//

#include "checkpoint/sample_stream.h"
#include "format/error.h"
#include "fuzz_folder.h"
#include "fuzz_input.h"
#include "store/apply_stream.h"
#include "store/chain.h"

#include <cstdint>
#include <span>
#include <string>

using namespace pagetide::tools;
namespace checkpoint = pagetide::checkpoint;
using checkpoint::Error;
using checkpoint::FrameKind;
using checkpoint::Manifest;

namespace {

/// A stream of frames that are right.
class MadeStream {
public:
  void add(std::uint8_t kind, const Bytes &payload) {
    switch (kind % 4) {
    case 0:
      blocks_.insert(blocks_.end(), payload.begin(), payload.end());
      break;
    case 1:
      round(payload);
      break;
    case 2:
      out_.end(rounds_);
      break;
    default:
      out_.frame(static_cast<FrameKind>(kind / 4), payload);
    }
  }
  const Bytes &bytes() const { return out_.bytes; }

private:
  void round(Bytes payload) {
    repair_manifest(payload);
    try {
      Manifest manifest = checkpoint::decode(payload, "input");
      manifest.parent = rounds_;
      manifest.number = ++rounds_;
      manifest.parent_id = last_id_;
      last_id_ = manifest.id;
      put_blocks(manifest);
      payload = checkpoint::encode(manifest);
    } catch (const Error &error) {
      require(error.what()[0] != '\0', "refusals are explained");
    }
    out_.frame(FrameKind::kRound, payload);
  }

  /// As many bytes as the manifest wants.
  void put_blocks(Manifest &manifest) {
    const std::uint64_t bytes =
        manifest.data_bytes() - sizeof(checkpoint::DataHeader);
    if (bytes > checkpoint::kMaxBlockBytes)
      return;
    blocks_.resize(bytes);
    for (checkpoint::Block &block : manifest.blocks) {
      block.stored_hash = checkpoint::hash_of(
          blocks_.data() + block.file_offset - sizeof(checkpoint::DataHeader),
          block.stored_bytes);
      if (block.codec == checkpoint::Codec::kRaw)
        block.raw_hash = block.stored_hash;
    }
    out_.frame(FrameKind::kBlock, blocks_);
    blocks_.clear();
  }

  checkpoint::ForgedStream out_;
  Bytes blocks_; ///< of the next round
  std::uint64_t rounds_ = 0;
  checkpoint::Id last_id_ = {};
};

void check_checkpoint(const checkpoint::Folder &folder,
                      const checkpoint::AppliedStream &applied) {
  require(folder.numbers() == std::vector<std::uint64_t>{applied.number},
          "a stream becomes one checkpoint");
  const checkpoint::Chain chain =
      checkpoint::Chain::load(folder, applied.number);
  require(chain.members().size() == 1, "it is a base");
  checkpoint::BlockDecoder decoder;
  chain.verify(decoder);
  std::uint64_t bytes = 0;
  chain.read(decoder, [&](const checkpoint::Piece &,
                          std::span<const std::uint8_t> piece) {
    bytes += piece.size();
  });
  require(bytes == applied.bytes, "each byte is there");
}

} // namespace

PAGETIDE_FUZZER(fuzz_stream) {
  static const WorkFolder kWork;
  kWork.clear();
  const checkpoint::Folder folder(kWork.path());
  MadeStream made;
  Bytes stream;
  if (input.byte() % 2 == 0) {
    stream = input.bytes(SIZE_MAX);
  } else {
    while (!input.empty()) {
      const std::uint8_t kind = input.byte();
      const std::uint64_t bytes = input.number(2);
      made.add(kind, input.bytes(bytes));
    }
    stream = made.bytes();
  }
  const checkpoint::File file = checkpoint::file_of(stream);
  try {
    const checkpoint::AppliedStream applied = checkpoint::apply_stream(
        file, kWork.path(), [](std::uint64_t, std::uint64_t) {});
    check_checkpoint(folder, applied);
  } catch (const Error &error) {
    require(error.what()[0] != '\0', "refusals are explained");
    require(folder.numbers().empty() && folder.data_files().empty() &&
                folder.unfinished().empty(),
            "what is refused leaves nothing");
  }
}
