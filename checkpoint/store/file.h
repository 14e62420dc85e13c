//===- file.h - A file, and what goes wrong with it -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/manifest.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace pagetide::checkpoint {

/// "ENOSPC (No space left on device)".
std::string errno_text(int error);

/// All functions throw Error with the file's path, the call and its errno.
class File {
public:
  File() = default;
  /// `flags` are those of open(2); O_CLOEXEC and O_NOFOLLOW are added.
  File(std::string path, int flags);
  /// One that is open already; `name` is for messages.
  static File of(std::string name, int fd);
  File(File &&other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  File &operator=(File &&other) noexcept;
  ~File() { close(); }

  const std::string &path() const { return path_; }
  /// Another name for messages.
  void call(std::string name) { path_ = std::move(name); }
  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close();

  std::uint64_t size() const;
  /// Exactly so many bytes. Throws kDamaged if the file ends before.
  void read_at(std::uint64_t offset, std::span<std::uint8_t> out) const;
  /// The next bytes of a file, a pipe or a socket: how many there were. Fewer
  /// than asked for only at its end.
  std::size_t read(std::span<std::uint8_t> out) const;
  /// At the file's current end, or into a pipe or a socket.
  void append(std::span<const std::uint8_t> bytes) const;
  void sync() const;
  /// Gives the disk back what the first bytes take, if the file system can.
  /// They are 0 then. The size stays.
  void give_back(std::uint64_t bytes) const;
  /// Takes the file's lock (flock); false if another has it.
  bool try_lock() const;

private:
  std::string path_;
  int fd_ = -1;
};

/// No such file: a reader may look again, because files may be replaced.
class FileGone : public std::runtime_error {
public:
  explicit FileGone(const std::string &path) : std::runtime_error(path) {}
};

/// The whole file, at most `most` bytes. Throws FileGone if there is none.
Bytes read_file(const std::string &path, std::uint64_t most);

void remove_file(const std::string &path);
void rename_file(const std::string &from, const std::string &to);
/// Makes names in the folder durable.
void sync_folder(const std::string &folder);

} // namespace pagetide::checkpoint
