//===- apply_stream.cpp - A stream becomes a checkpoint of a folder -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/apply_stream.h"

#include "format/error.h"
#include "store/chain.h"
#include "store/checkpoint_writer.h"
#include "store/merge.h"
#include "store/stream_reader.h"
#include "store/upkeep.h"
#include "store/writer_lock.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

namespace pagetide::checkpoint {

namespace {

/// Blocks of rounds, in files that nobody can open: rounds before the last are
/// no checkpoints. The kernel takes the files away when we end.
class Rounds {
public:
  Rounds(const Folder &folder, const std::string &name)
      : folder_(folder), name_(name) {
    begin();
  }

  void add_block(std::span<const std::uint8_t> stored) {
    data_.back().append(stored);
  }

  void end_round(std::span<const std::uint8_t> manifest_file) {
    Manifest manifest = decode(manifest_file, name_);
    if (members_.empty()) {
      require(manifest.is_base(), "its first round is no base");
      require_program(folder_, manifest.program);
    } else {
      const Manifest &last = members_.back();
      require(manifest.parent == last.number && manifest.parent_id == last.id,
              "a round does not follow the one before it");
      require(manifest.program == last.program,
              "its rounds are of two programs");
    }
    require(data_.back().size() == manifest.data_bytes(),
            "a round's blocks are not those of its manifest");
    members_.push_back(std::move(manifest));
    require(members_.size() < kMaxChain, "it has too many rounds");
    begin();
  }

  const Manifest &newest() const { return members_.back(); }

  /// All rounds together. To be called once, at the end.
  Chain chain(std::uint64_t rounds) {
    require(!members_.empty() && members_.size() == rounds &&
                data_.back().size() == sizeof(DataHeader),
            "its end speaks of other rounds than it has");
    data_.pop_back();
    std::reverse(members_.begin(), members_.end());
    std::reverse(data_.begin(), data_.end());
    return Chain::of(std::move(members_), std::move(data_));
  }

private:
  void require(bool holds, const char *why) const {
    if (!holds)
      throw Error(Problem::kDamaged, name_ + ": is damaged: " + why);
  }

  void begin() {
    // If we are killed before it is removed, the next writer does that.
    const std::string path = folder_.path() + "/checkpoint-stream.tmp";
    data_.emplace_back(path, O_RDWR | O_CREAT | O_TRUNC);
    remove_file(path);
    // Damage in it is damage of the stream.
    data_.back().call(name_);
    const DataHeader unused = {};
    add_block(
        {reinterpret_cast<const std::uint8_t *>(&unused), sizeof(unused)});
  }

  const Folder &folder_;
  const std::string &name_;
  std::vector<Manifest> members_;
  std::vector<File> data_; ///< one more: of the round that is being read
};

/// Reads up to the end of the stream.
void read_rounds(StreamReader &reader, Rounds &rounds, AppliedStream &applied,
                 const std::function<void()> &progress) {
  std::uint64_t bytes_before = 0;
  for (;;) {
    const StreamReader::Frame frame = reader.next();
    switch (frame.kind) {
    case FrameKind::kBlock:
      rounds.add_block(frame.payload);
      break;
    case FrameKind::kRound:
      rounds.end_round(frame.payload);
      applied.rounds.push_back(
          {rounds.newest().raw_bytes(), reader.bytes() - bytes_before});
      bytes_before = reader.bytes();
      break;
    case FrameKind::kGaveUp:
      throw Error(Problem::kNoCut,
                  reader.name() + ": the sender gave up: " +
                      std::string(frame.payload.begin(), frame.payload.end()));
    case FrameKind::kEnd:
      applied.end = decode_end(frame.payload, reader.name());
      return;
    }
    progress();
  }
}

} // namespace

AppliedStream apply_stream(const File &in, const std::string &folder_path,
                           const ApplyProgress &progress) {
  const std::uint64_t total = in.size(); // 0 of a pipe
  StreamReader reader(in);               // first what needs no folder
  const Folder folder = made_folder(folder_path);
  const File lock = writer_lock(folder);
  remove_leftovers(folder);
  AppliedStream applied;
  Rounds rounds(folder, in.path());
  read_rounds(reader, rounds, applied,
              [&] { progress(reader.bytes(), total); });
  const Chain chain = rounds.chain(applied.end.rounds);
  Manifest head = chain.newest();
  head.number = folder.next_number();
  head.parent = 0;
  head.parent_id = {};
  head.generation = 0;
  head.flags = kStreamed;
  head.extents.clear();
  head.blocks.clear();
  CheckpointWriter writer(folder, head, compression_like(chain),
                          CheckpointWriter::Sync::kYes);
  merge(chain, Source::kIsUsedUp, writer.blocks(), progress);
  writer.commit();
  applied.number = head.number;
  applied.program = head.program;
  applied.regions = head.regions.size();
  applied.bytes = head.region_bytes();
  applied.stream_bytes = reader.bytes();
  return applied;
}

} // namespace pagetide::checkpoint
