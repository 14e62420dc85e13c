//===- fuzz_folder.h - What fuzzers of checkpoints share ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "format/hash.h"
#include "format/manifest.h"
#include "fuzz_input.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace pagetide::tools {

/// One folder for all inputs, gone when the fuzzer ends.
class WorkFolder {
public:
  WorkFolder() {
    path_ = std::filesystem::temp_directory_path() / "fuzzckptXXXXXX";
    require(::mkdtemp(path_.data()) != nullptr, "there is room to work");
  }
  ~WorkFolder() { std::filesystem::remove_all(path_); }
  WorkFolder(const WorkFolder &) = delete;
  const std::string &path() const { return path_; }
  void clear() const {
    for (const auto &entry : std::filesystem::directory_iterator(path_))
      std::filesystem::remove(entry.path());
  }

private:
  std::string path_;
};

/// Makes the hashes of a manifest's file right. Its version becomes one that is
/// read: that of the file, if it is.
inline void repair_manifest(Bytes &file) {
  using Header = checkpoint::ManifestHeader;
  if (file.size() < sizeof(Header))
    return;
  Header header = {};
  std::memcpy(header.magic, checkpoint::kManifestMagic, 8);
  const bool is_odd = file[offsetof(Header, version_major)] % 2 != 0;
  header.version_major =
      is_odd ? checkpoint::kVersionMajor : checkpoint::kVersionMajorLz4;
  header.header_bytes = sizeof(header);
  header.body_bytes = file.size() - sizeof(header);
  header.body_hash =
      checkpoint::hash_of(file.data() + sizeof(header), header.body_bytes);
  header.hash = checkpoint::hash_of(&header, offsetof(Header, hash));
  std::memcpy(file.data(), &header, sizeof(header));
}

} // namespace pagetide::tools
