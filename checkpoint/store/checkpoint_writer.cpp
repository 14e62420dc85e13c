//===- checkpoint_writer.cpp - Writes one checkpoint ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/checkpoint_writer.h"

#include "format/error.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
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
                                   int compression, Sync sync)
    : folder_(folder), sync_(sync),
      data_(folder.data_path(manifest.number, manifest.generation),
            O_WRONLY | O_CREAT | O_EXCL),
      unfinished_(folder.manifest_path(manifest.number) + ".tmp"),
      packer_(std::move(manifest), compression,
              [this](std::span<const std::uint8_t> stored) { put(stored); }) {
  const DataHeader header = data_header(packer_.manifest());
  put({reinterpret_cast<const std::uint8_t *>(&header), sizeof(header)});
}

CheckpointWriter::~CheckpointWriter() {
  if (is_committed_)
    return;
  // Best effort: the next writer removes what we cannot.
  ::unlink(unfinished_.c_str());
  ::unlink(data_.path().c_str());
}

void CheckpointWriter::put(std::span<const std::uint8_t> bytes) {
  out_.insert(out_.end(), bytes.begin(), bytes.end());
  if (out_.size() >= kWriteBytes)
    flush();
}

void CheckpointWriter::flush() {
  data_.append(out_);
  file_bytes_ += out_.size();
  out_.clear();
}

void CheckpointWriter::commit() {
  packer_.finish();
  flush();
  if (sync_ == Sync::kYes)
    data_.sync();
  const Bytes encoded = encode(packer_.manifest());
  {
    const File file(unfinished_, O_WRONLY | O_CREAT | O_TRUNC);
    file.append(encoded);
    if (sync_ == Sync::kYes)
      file.sync();
  }
  file_bytes_ += encoded.size();
  rename_file(unfinished_, folder_.manifest_path(packer_.manifest().number));
  is_committed_ = true;
  if (sync_ == Sync::kYes)
    sync_folder(folder_.path());
}

} // namespace pagetide::checkpoint
