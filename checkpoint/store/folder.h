//===- folder.h - The files of a folder of checkpoints --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/manifest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pagetide::checkpoint {

/// Names of files in a folder of checkpoints. Nothing is kept in memory: other
/// processes add and remove files.
class Folder {
public:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  const std::string &path() const { return path_; }
  std::string manifest_path(std::uint64_t number) const;
  std::string data_path(std::uint64_t number, std::uint64_t generation) const;
  std::string writer_lock_path() const { return path_ + "/writer.lock"; }
  std::string upkeep_lock_path() const { return path_ + "/upkeep.lock"; }

  /// Of all manifests, in order. Throws kNone if there is no such folder.
  std::vector<std::uint64_t> numbers() const;
  /// The newest; throws kNone if there is none.
  std::uint64_t newest() const;
  /// Above every number that any file has.
  std::uint64_t next_number() const;

  /// Throws kNone if there is no such checkpoint, kDamaged, kVersion, kIo.
  Manifest manifest(std::uint64_t number) const;

  struct DataFile {
    std::string name; ///< without the folder
    std::uint64_t number;
    std::uint64_t generation;
  };
  std::vector<DataFile> data_files() const;
  /// Manifests that were not completed.
  std::vector<std::string> unfinished() const;

private:
  std::vector<std::string> names() const;

  std::string path_;
};

} // namespace pagetide::checkpoint
