//===- folder.cpp - The files of a folder of checkpoints ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/folder.h"

#include "format/error.h"
#include "store/file.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>

namespace pagetide::checkpoint {

namespace {

constexpr std::string_view kManifestPrefix = "checkpoint-";
constexpr std::string_view kDataPrefix = "data-";
constexpr std::string_view kUnfinishedSuffix = ".tmp";
constexpr std::size_t kDigits = 8;

std::string digits(std::uint64_t number) {
  std::string text = std::to_string(number);
  return std::string(kDigits - std::min(kDigits, text.size()), '0') + text;
}

std::optional<std::uint64_t> number_in(const std::string &text) {
  std::uint64_t number = 0;
  const char *end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end)
    return std::nullopt;
  return number;
}

/// N of checkpoint-N, if the name is exactly as we write it.
std::optional<std::uint64_t> manifest_number(const std::string &name) {
  if (!name.starts_with(kManifestPrefix))
    return std::nullopt;
  const auto number = number_in(name.substr(kManifestPrefix.size()));
  if (!number || *number == 0 ||
      name != std::string(kManifestPrefix) + digits(*number))
    return std::nullopt;
  return number;
}

std::optional<Folder::DataFile> data_file(const std::string &name) {
  const std::size_t dash = name.rfind('-');
  if (!name.starts_with(kDataPrefix) || dash < kDataPrefix.size())
    return std::nullopt;
  const auto number =
      number_in(name.substr(kDataPrefix.size(), dash - kDataPrefix.size()));
  const auto generation = number_in(name.substr(dash + 1));
  if (!number || !generation)
    return std::nullopt;
  return Folder::DataFile{name, *number, *generation};
}

} // namespace

std::string Folder::manifest_path(std::uint64_t number) const {
  return path_ + "/" + std::string(kManifestPrefix) + digits(number);
}

std::string Folder::data_path(std::uint64_t number,
                              std::uint64_t generation) const {
  return path_ + "/" + std::string(kDataPrefix) + digits(number) + "-" +
         std::to_string(generation);
}

std::vector<std::string> Folder::names() const {
  DIR *folder = ::opendir(path_.c_str());
  if (!folder && errno == ENOENT)
    throw Error(Problem::kNone, path_ + ": there is no such folder");
  if (!folder)
    throw Error(Problem::kIo, path_ + ": opendir failed: " + errno_text(errno));
  std::vector<std::string> names;
  errno = 0;
  while (const dirent *entry = ::readdir(folder))
    names.emplace_back(entry->d_name);
  const int error = errno;
  ::closedir(folder);
  if (error != 0)
    throw Error(Problem::kIo, path_ + ": readdir failed: " + errno_text(error));
  return names;
}

std::vector<std::uint64_t> Folder::numbers() const {
  std::vector<std::uint64_t> numbers;
  for (const std::string &name : names())
    if (const auto number = manifest_number(name))
      numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::uint64_t Folder::newest() const {
  const std::vector<std::uint64_t> all = numbers();
  if (all.empty())
    throw Error(Problem::kNone, path_ + ": has no checkpoint");
  return all.back();
}

std::uint64_t Folder::next_number() const {
  std::uint64_t last = 0;
  for (const std::string &name : names()) {
    if (const auto number = manifest_number(name))
      last = std::max(last, *number);
    if (const auto data = data_file(name))
      last = std::max(last, data->number);
  }
  return last + 1;
}

Manifest Folder::manifest(std::uint64_t number) const {
  const std::string path = manifest_path(number);
  Manifest manifest;
  try {
    manifest = decode(read_file(path, kMaxManifestBytes), path);
  } catch (const FileGone &) {
    throw Error(Problem::kNone, path + ": there is no such checkpoint");
  }
  if (manifest.number != number)
    throw Error(Problem::kDamaged, path +
                                       ": is damaged: it is the manifest of "
                                       "checkpoint " +
                                       std::to_string(manifest.number));
  return manifest;
}

std::vector<Folder::DataFile> Folder::data_files() const {
  std::vector<DataFile> files;
  for (const std::string &name : names())
    if (auto data = data_file(name))
      files.push_back(std::move(*data));
  return files;
}

std::vector<std::string> Folder::unfinished() const {
  std::vector<std::string> files;
  for (const std::string &name : names())
    if (name.starts_with(kManifestPrefix) && name.ends_with(kUnfinishedSuffix))
      files.push_back(name);
  return files;
}

} // namespace pagetide::checkpoint
