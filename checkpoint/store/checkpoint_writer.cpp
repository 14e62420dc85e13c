//===- checkpoint_writer.cpp - Writes one checkpoint ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "store/checkpoint_writer.h"

#include "format/error.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

namespace pagetide::checkpoint {

namespace {

constexpr std::size_t kWriteBytes = 1u << 20;

} // namespace

Id new_id() {
  Id id = {};
  for (std::size_t done = 0; done < id.size();) {
    const ssize_t got = ::getrandom(id.data() + done, id.size() - done, 0);
    if (got < 0 && errno != EINTR)
      throw Error(Problem::kIo, "getrandom failed: " + errno_text(errno) +
                                    ". The checkpoint cannot have an id.");
    done += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return id;
}

std::uint64_t clock_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

CheckpointWriter::CheckpointWriter(const Folder &folder, Manifest manifest,
                                   int level, Sync sync)
    : folder_(folder), manifest_(std::move(manifest)), sync_(sync),
      encoder_(level),
      data_(folder.data_path(manifest_.number, manifest_.generation),
            O_WRONLY | O_CREAT | O_EXCL),
      unfinished_(folder.manifest_path(manifest_.number) + ".tmp") {
  const DataHeader header = data_header(manifest_);
  put({reinterpret_cast<const std::uint8_t *>(&header), sizeof(header)});
}

CheckpointWriter::~CheckpointWriter() {
  if (is_committed_)
    return;
  // Best effort: the next writer removes what we cannot.
  ::unlink(unfinished_.c_str());
  ::unlink(data_.path().c_str());
}

void CheckpointWriter::add(std::uint32_t region, std::uint64_t offset,
                           std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t now =
        std::min(bytes.size(), std::size_t{kBlockBytes} - raw_.size());
    if (raw_.empty()) {
      open_block_ = Block();
      open_block_.first_extent = manifest_.extents.size();
    }
    Extent *last = raw_.empty() ? nullptr : &manifest_.extents.back();
    if (last && last->region == region &&
        last->offset + last->bytes == offset) {
      last->bytes += now;
    } else {
      manifest_.extents.push_back({region, offset, now});
      ++open_block_.extent_count;
    }
    raw_.insert(raw_.end(), bytes.begin(),
                bytes.begin() + static_cast<std::ptrdiff_t>(now));
    bytes = bytes.subspan(now);
    offset += now;
    if (raw_.size() == kBlockBytes)
      finish_block();
  }
}

void CheckpointWriter::finish_block() {
  if (raw_.empty())
    return;
  const auto stored = encoder_.encode(raw_, open_block_);
  open_block_.file_offset = file_offset_;
  manifest_.blocks.push_back(open_block_);
  put(stored);
  raw_.clear();
}

void CheckpointWriter::add_stored(const Block &block,
                                  std::span<const Extent> extents,
                                  std::span<const std::uint8_t> stored) {
  finish_block();
  Block copy = block;
  copy.first_extent = manifest_.extents.size();
  copy.file_offset = file_offset_;
  manifest_.extents.insert(manifest_.extents.end(), extents.begin(),
                           extents.end());
  manifest_.blocks.push_back(copy);
  put(stored);
}

void CheckpointWriter::put(std::span<const std::uint8_t> bytes) {
  out_.insert(out_.end(), bytes.begin(), bytes.end());
  file_offset_ += bytes.size();
  if (out_.size() >= kWriteBytes)
    flush();
}

void CheckpointWriter::flush() {
  data_.append(out_);
  file_bytes_ += out_.size();
  out_.clear();
}

void CheckpointWriter::commit() {
  finish_block();
  flush();
  if (sync_ == Sync::kYes)
    data_.sync();
  const Bytes encoded = encode(manifest_);
  {
    const File file(unfinished_, O_WRONLY | O_CREAT | O_TRUNC);
    file.append(encoded);
    if (sync_ == Sync::kYes)
      file.sync();
  }
  file_bytes_ += encoded.size();
  rename_file(unfinished_, folder_.manifest_path(manifest_.number));
  is_committed_ = true;
  if (sync_ == Sync::kYes)
    sync_folder(folder_.path());
}

} // namespace pagetide::checkpoint
