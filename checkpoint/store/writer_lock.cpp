//===- writer_lock.cpp - The right to write checkpoints into a folder -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/writer_lock.h"

#include "format/error.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace pagetide::checkpoint {

namespace {

constexpr mode_t kFolderMode = 0700; // the files have the program's memory

} // namespace

Folder made_folder(const std::string &path) {
  if (::mkdir(path.c_str(), kFolderMode) != 0 && errno != EEXIST)
    throw Error(Problem::kIo,
                path + ": mkdir failed: " + errno_text(errno) +
                    ". The folder of checkpoints cannot be made; its parent "
                    "must exist.");
  return Folder(path);
}

File writer_lock(const Folder &folder) {
  File file(folder.writer_lock_path(), O_RDWR | O_CREAT);
  if (file.try_lock())
    return file;
  throw Error(Problem::kBusy,
              folder.path() +
                  ": another process writes checkpoints there. End it, or "
                  "name another folder.");
}

void require_program(const Folder &folder, const Manifest &manifest,
                     const std::string &program) {
  if (manifest.program != program)
    throw Error(Problem::kProgram,
                folder.path() + ": its checkpoints are of the program '" +
                    manifest.program + "', and this is '" + program +
                    "'. Name another folder.");
}

void require_program(const Folder &folder, const std::string &program) {
  std::vector<std::uint64_t> numbers = folder.numbers();
  for (; !numbers.empty(); numbers.pop_back()) {
    try {
      require_program(folder, folder.manifest(numbers.back()), program);
      return;
    } catch (const Error &error) {
      if (error.problem() != Problem::kDamaged)
        throw;
    }
  }
}

} // namespace pagetide::checkpoint
