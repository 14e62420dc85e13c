//===- trace_files.cpp - The files of one recorded run --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "record/trace_files.h"

#include "support/failure.h"
#include "support/unique_fd.h"

#include "pagetide/trace_format.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace pagetide::tools {

namespace {

/// The directory that holds the file, as the system takes it.
std::string directory_of(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Takes a decimal number off the front.
bool take_number(std::string_view &text, unsigned long long &number) {
  std::size_t digits = 0;
  number = 0;
  while (digits < text.size() && digits < 18 && text[digits] >= '0' &&
         text[digits] <= '9')
    number = number * 10 + static_cast<unsigned>(text[digits++] - '0');
  text.remove_prefix(digits);
  return digits != 0;
}

/// Whether this is what follows FILE in a sibling's name: .<pid>[.<n>]
bool is_sibling_suffix(std::string_view suffix,
                       std::pair<unsigned long long, unsigned long long> &at) {
  at = {0, 0};
  if (suffix.empty() || suffix[0] != '.')
    return false;
  suffix.remove_prefix(1);
  if (!take_number(suffix, at.first))
    return false;
  if (suffix.empty())
    return true;
  if (suffix[0] != '.')
    return false;
  suffix.remove_prefix(1);
  return take_number(suffix, at.second) && suffix.empty();
}

} // namespace

std::vector<std::string> files_of_run(const std::string &path) {
  const std::string directory = directory_of(path);
  const std::size_t slash = path.rfind('/');
  const std::string prefix =
      slash == std::string::npos ? "" : path.substr(0, slash + 1);
  const std::string base = path.substr(prefix.size());
  std::vector<
      std::pair<std::pair<unsigned long long, unsigned long long>, std::string>>
      siblings;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  for (; !error && entries != std::filesystem::directory_iterator();
       entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    std::pair<unsigned long long, unsigned long long> number;
    if (name.compare(0, base.size(), base) == 0 &&
        is_sibling_suffix(std::string_view(name).substr(base.size()), number))
      siblings.emplace_back(number, prefix + name);
  }
  if (error)
    throw Failure(fmt::format("{}: the directory cannot be read: {}", directory,
                              error.message()));
  std::sort(siblings.begin(), siblings.end());
  std::vector<std::string> files;
  if (kind_of_file(path) != FileKind::kAbsent)
    files.push_back(path);
  for (auto &[number, name] : siblings)
    files.push_back(std::move(name));
  return files;
}

FileKind kind_of_file(const std::string &path) {
  struct stat status;
  // The name itself is what a recorder would have to make: links are not
  // followed.
  if (::lstat(path.c_str(), &status) != 0)
    return errno == ENOENT ? FileKind::kAbsent : FileKind::kOther;
  if (!S_ISREG(status.st_mode))
    return FileKind::kOther;
  if (status.st_size == 0)
    return FileKind::kEmpty;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::uint8_t magic[sizeof(trace::kMagic)];
  if (!fd || ::read(fd.get(), magic, sizeof(magic)) !=
                 static_cast<ssize_t>(sizeof(magic)))
    return FileKind::kOther;
  return std::memcmp(magic, trace::kMagic, sizeof(magic)) == 0
             ? FileKind::kTrace
             : FileKind::kOther;
}

void make_room_for_run(const std::string &path) {
  const std::string directory = directory_of(path);
  struct stat status;
  if (path.empty() || path.back() == '/' ||
      (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)))
    throw Failure(
        fmt::format("{}: is a directory; name a file for the trace", path));
  if (::stat(directory.c_str(), &status) != 0)
    throw Failure(fmt::format("{}: no trace can be made there: {}", directory,
                              std::strerror(errno)));
  if (!S_ISDIR(status.st_mode))
    throw Failure(fmt::format("{}: is no directory, so no trace can be made "
                              "there",
                              directory));
  // Only making a file shows whether one can be made.
  std::string probe = path + ".XXXXXX";
  const UniqueFd made(::mkostemp(probe.data(), O_CLOEXEC));
  if (!made)
    throw Failure(fmt::format("{}: no trace can be made there: {}", directory,
                              std::strerror(errno)));
  ::unlink(probe.c_str());
  const std::vector<std::string> files = files_of_run(path);
  for (const std::string &file : files)
    if (kind_of_file(file) == FileKind::kOther)
      throw Failure(fmt::format("{}: is there already and is no Pagetide "
                                "trace; move it away or name another file "
                                "with -o",
                                file));
  for (const std::string &file : files)
    if (::unlink(file.c_str()) != 0 && errno != ENOENT)
      throw Failure(fmt::format("{}: the trace of an earlier run cannot be "
                                "removed: {}",
                                file, std::strerror(errno)));
}

} // namespace pagetide::tools
