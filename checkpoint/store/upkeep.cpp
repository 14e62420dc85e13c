//===- upkeep.cpp - Removing and merging checkpoints ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/upkeep.h"

#include "format/error.h"
#include "store/chain.h"
#include "store/merge.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace pagetide::checkpoint {

namespace {

/// The right to remove files. Not open if another process has it.
File upkeep_lock(const Folder &folder) {
  File file(folder.upkeep_lock_path(), O_RDWR | O_CREAT);
  return file.try_lock() ? std::move(file) : File();
}

std::optional<Manifest> readable_manifest(const Folder &folder,
                                          std::uint64_t number) {
  try {
    return folder.manifest(number);
  } catch (const Error &) {
    return std::nullopt;
  }
}

/// The chains of a folder's checkpoints, by their manifests alone. Reads each
/// manifest once.
class Chains {
public:
  explicit Chains(const Folder &folder) : folder_(folder) {}

  /// The checkpoint and those that it needs; empty if one of these cannot be
  /// read.
  std::vector<std::uint64_t> members(std::uint64_t number) {
    std::vector<std::uint64_t> found;
    while (found.size() < kMaxChain) {
      const std::optional<std::uint64_t> parent = parent_of(number);
      if (!parent)
        return {};
      found.push_back(number);
      if (*parent == 0)
        return found;
      number = *parent;
    }
    return {};
  }

private:
  /// 0: it is a base.
  std::optional<std::uint64_t> parent_of(std::uint64_t number) {
    const auto [at, is_new] = parents_.try_emplace(number);
    if (is_new)
      if (const auto manifest = readable_manifest(folder_, number))
        at->second = manifest->parent;
    return at->second;
  }

  const Folder &folder_;
  std::map<std::uint64_t, std::optional<std::uint64_t>> parents_;
};

void remove_checkpoint(const Folder &folder, std::uint64_t number) {
  // The manifest first: from then on it is not a checkpoint.
  remove_file(folder.manifest_path(number));
  for (const Folder::DataFile &data : folder.data_files())
    if (data.number == number)
      remove_file(folder.path() + "/" + data.name);
}

/// Removes checkpoints before `first` that none from there on needs.
std::size_t remove_before(const Folder &folder, std::uint64_t first,
                          Chains &chains) {
  const std::vector<std::uint64_t> numbers = folder.numbers();
  std::set<std::uint64_t> needed;
  for (const std::uint64_t number : numbers)
    if (number >= first)
      for (const std::uint64_t member : chains.members(number))
        needed.insert(member);
  std::size_t removed = 0;
  // The newest first, so that none is ever left without its parent.
  for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
    if (*at >= first || needed.contains(*at) || chains.members(*at).empty())
      continue;
    remove_checkpoint(folder, *at);
    ++removed;
  }
  return removed;
}

std::size_t remove_old_locked(const Folder &folder, std::size_t keep,
                              const WentBackBehind &behind) {
  std::vector<std::uint64_t> numbers = folder.numbers();
  Chains chains(folder);
  while (!numbers.empty()) {
    keep -=
        !behind.has(numbers.back()) && !chains.members(numbers.back()).empty();
    if (keep == 0)
      return remove_before(folder, numbers.back(), chains);
    numbers.pop_back();
  }
  return 0;
}

std::uint64_t bytes_of_files(const Folder &folder) {
  std::uint64_t sum = 0;
  const auto add = [&sum](const std::string &path) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) == 0)
      sum += static_cast<std::uint64_t>(status.st_size);
  };
  for (const std::uint64_t number : folder.numbers())
    add(folder.manifest_path(number));
  for (const Folder::DataFile &data : folder.data_files())
    add(folder.path() + "/" + data.name);
  return sum;
}

void write_base(const Folder &folder, const Chain &chain, int compression,
                const std::function<void(std::uint64_t, std::uint64_t)> &tell) {
  Manifest base = chain.newest();
  base.parent = 0;
  base.parent_id = {};
  ++base.generation;
  base.flags |= kCompacted;
  base.extents.clear();
  base.blocks.clear();
  // What a killed compaction left has the same name.
  remove_file(folder.data_path(base.number, base.generation));
  CheckpointWriter writer(folder, std::move(base), compression,
                          CheckpointWriter::Sync::kYes);
  merge(chain, Source::kStays, writer.blocks(), tell);
  writer.commit();
}

} // namespace

std::size_t chain_length(const Folder &folder, std::uint64_t number) {
  return Chains(folder).members(number).size();
}

void remove_leftovers(const Folder &folder) {
  const File lock = upkeep_lock(folder);
  if (!lock.is_open())
    return;
  std::set<std::pair<std::uint64_t, std::uint64_t>> named;
  std::set<std::uint64_t> unreadable;
  for (const std::uint64_t number : folder.numbers()) {
    if (const auto manifest = readable_manifest(folder, number))
      named.emplace(number, manifest->generation);
    else
      unreadable.insert(number);
  }
  for (const Folder::DataFile &data : folder.data_files())
    if (!unreadable.contains(data.number) &&
        !named.contains({data.number, data.generation}))
      remove_file(folder.path() + "/" + data.name);
  for (const std::string &name : folder.unfinished())
    remove_file(folder.path() + "/" + name);
}

std::size_t remove_old(const Folder &folder, std::size_t keep,
                       const WentBackBehind &behind) {
  const File lock = upkeep_lock(folder);
  return lock.is_open() ? remove_old_locked(folder, keep, behind) : 0;
}

Compaction
compact(const Folder &folder, std::size_t keep, std::optional<int> compression,
        const std::function<void(std::uint64_t, std::uint64_t)> &progress) {
  const std::vector<std::uint64_t> numbers = folder.numbers();
  if (numbers.empty())
    throw Error(Problem::kNone, folder.path() + ": has no checkpoint");
  const File lock = upkeep_lock(folder);
  if (!lock.is_open())
    throw Error(Problem::kBusy, folder.path() +
                                    ": another process is removing or merging "
                                    "checkpoints; try again when it is done");
  Compaction done;
  done.bytes_before = bytes_of_files(folder);
  done.number = numbers[numbers.size() - std::min(keep, numbers.size())];
  const Chain chain = Chain::load(folder, done.number);
  done.merged = chain.members().size();
  if (done.merged > 1) {
    write_base(folder, chain, compression.value_or(compression_like(chain)),
               progress);
    remove_file(folder.data_path(done.number, chain.newest().generation));
  }
  Chains chains(folder); // as they are now
  done.removed = remove_before(folder, done.number, chains);
  done.bytes_after = bytes_of_files(folder);
  return done;
}

} // namespace pagetide::checkpoint
