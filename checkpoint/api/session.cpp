//===- session.cpp - A folder that a program saves to ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/session.h"

#include "api/marks_suspended.h"
#include "api/signal_held.h"
#include "api/updates.h"
#include "format/error.h"
#include "store/threads.h"
#include "store/writer_lock.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

namespace pagetide::checkpoint {

namespace {

constexpr int kDefaultLevel = 1;
constexpr int kMaxLevel = 19;
static_assert(PAGETIDE_CHECKPOINT_NO_COMPRESSION ==
                  BlockEncoder::kNoCompression &&
              PAGETIDE_CHECKPOINT_LZ4 == BlockEncoder::kLz4);
constexpr std::size_t kDefaultKeep = 2;
constexpr std::uint32_t kDefaultChain = 64;
constexpr std::uint64_t kDefaultUpdateWaitNs = 1'000'000'000;
constexpr std::uint64_t kDefaultCopyBytes = 1u << 30;

std::string executable_name() {
  std::string path(4096, '\0');
  const ssize_t bytes = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.empty() ? "program" : name.substr(0, kMaxProgramBytes);
}

[[noreturn]] void refuse(const std::string &what) {
  throw Error(Problem::kInvalid, what);
}

pagetide_checkpoint_config checked(const pagetide_checkpoint_config &config) {
  if (config.size != sizeof(config))
    refuse("pagetide_checkpoint_config: its field size is " +
           std::to_string(config.size) + ", not " +
           std::to_string(sizeof(config)) +
           "; set it to sizeof(pagetide_checkpoint_config), and compile with "
           "the header that belongs to the library");
  if (!config.folder || !*config.folder)
    refuse("pagetide_checkpoint_config: no folder is named");
  if (config.program && std::strlen(config.program) > kMaxProgramBytes)
    refuse("pagetide_checkpoint_config: the program's name has more than 255 "
           "bytes");
  if (config.sync != PAGETIDE_CHECKPOINT_SYNC &&
      config.sync != PAGETIDE_CHECKPOINT_NO_SYNC)
    refuse("pagetide_checkpoint_config: sync is neither 0 nor 1");
  if (config.compression < PAGETIDE_CHECKPOINT_LZ4 ||
      config.compression > kMaxLevel)
    refuse("pagetide_checkpoint_config: compression is neither a level of zstd "
           "(1 to 19), 0, PAGETIDE_CHECKPOINT_NO_COMPRESSION (-1) nor "
           "PAGETIDE_CHECKPOINT_LZ4 (-2)");
  if (config.max_chain > kMaxChain)
    refuse("pagetide_checkpoint_config: max_chain is above 256");
  if (config.granularity != 0 &&
      (!std::has_single_bit(config.granularity) ||
       config.granularity < kMinUnit || config.granularity > kMaxUnit))
    refuse("pagetide_checkpoint_config: granularity is neither 0 nor a power "
           "of two from 64 to 2097152");
  return config;
}

/// The kernel gives memory that was not touched many pages at a time, which
/// takes less than a fault for each of them. If it cannot, there are faults.
void populate(const std::vector<ProtectedRegion> &regions) {
  constexpr std::uintptr_t kPage = 4096, kStep = 1u << 21;
  std::vector<std::uintptr_t> steps;
  for (const ProtectedRegion &region : regions) {
    const auto begin = reinterpret_cast<std::uintptr_t>(region.address);
    for (std::uintptr_t at = (begin + kPage - 1) / kPage * kPage;
         at + kStep <= begin + region.bytes; at += kStep)
      steps.push_back(at);
  }
  in_parallel(steps.size(), [&steps](const NextIndex &next) {
    for (std::size_t i = 0; next(i);)
      ::madvise(reinterpret_cast<void *>(steps[i]), kStep, MADV_POPULATE_WRITE);
  });
}

} // namespace

Session::Session(const pagetide_checkpoint_config &config)
    : folder_(made_folder(checked(config).folder)), lock_(writer_lock(folder_)),
      pid_(::getpid()),
      program_(config.program && *config.program ? config.program
                                                 : executable_name()),
      sync_(config.sync == PAGETIDE_CHECKPOINT_SYNC
                ? CheckpointWriter::Sync::kYes
                : CheckpointWriter::Sync::kNo),
      compression_(config.compression == 0 ? kDefaultLevel
                                           : config.compression),
      keep_(config.keep == 0 ? kDefaultKeep : config.keep),
      max_chain_(config.max_chain == 0 ? kDefaultChain : config.max_chain),
      update_wait_ns_(config.update_wait_ns == 0 ? kDefaultUpdateWaitNs
                                                 : config.update_wait_ns),
      copy_bytes_(config.copy_bytes == 0 ? kDefaultCopyBytes
                                         : config.copy_bytes),
      granularity_(config.granularity == 0 ? 1 : config.granularity),
      progress_(config.progress), progress_user_(config.progress_user),
      tracker_(regions_), copies_(copy_bytes_) {
  if (config.kernel_writes != 0) {
    kernel_.emplace();
    regions_.expect_no_reports();
  }
  require_program(folder_, program_);
  remove_leftovers(folder_);
  next_number_ = folder_.next_number();
  tracker_.start(config.own_callback != 0);
}

Session::~Session() {
  if (is_ours())
    tracker_.stop();
}

bool Session::is_ours() const { return ::getpid() == pid_; }

void Session::release_in_child() {
  lock_.close();
  if (kernel_)
    kernel_->close();
}

void Session::protect(std::uint64_t id, void *address, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Before the region is saved for the first time.
  std::vector<CopyRange> anew;
  if (kernel_ && bytes != 0)
    anew = kernel_->track(address, bytes);
  const bool is_protected =
      regions_.protect(id, address, bytes) != DirtyRegions::Change::kInvalid;
  if (streamed_ && is_protected)
    streamed_->protect(id, address, bytes);
  // These may be pages of a region that was mapped anew.
  regions_.note_written(anew);
  if (streamed_)
    streamed_->note_written(anew);
  if (!is_protected)
    refuse("region " + std::to_string(id) +
           ": is empty, wraps around, overlaps another region, or is one too "
           "many (65536)");
}

void Session::unprotect(std::uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (regions_.unprotect(id) == DirtyRegions::Change::kInvalid)
    refuse("region " + std::to_string(id) + ": is not protected");
  if (streamed_)
    streamed_->unprotect(id);
}

//===- Saving -------------------------------------------------------------===//

/// Whether the next save cannot be an increment to the last one.
bool Session::needs_base() const {
  if (parent_ == 0 ||
      ::access(folder_.manifest_path(parent_).c_str(), F_OK) != 0)
    return true;
  if (chain_ < max_chain_)
    return false;
  // A compaction may have made it shorter.
  const std::size_t length = chain_length(folder_, parent_);
  return length == 0 || length >= max_chain_;
}

Manifest Session::next_manifest(const std::vector<ProtectedRegion> &regions,
                                bool is_base) const {
  Manifest manifest;
  manifest.number = next_number_;
  manifest.id = new_id();
  manifest.parent = is_base ? 0 : parent_;
  manifest.parent_id = is_base ? Id() : parent_id_;
  manifest.time_ns = clock_ns(CLOCK_REALTIME);
  manifest.program = program_;
  manifest.granule = regions_.granule();
  for (const ProtectedRegion &region : regions)
    manifest.regions.push_back({region.id, region.bytes});
  return manifest;
}

void Session::write(const Manifest &head, std::uint64_t total,
                    pagetide_checkpoint_result &result,
                    const std::function<void(const Taker &take)> &for_each) {
  // A file that reaches RLIMIT_FSIZE must fail the save.
  const SignalHeld held(SIGXFSZ);
  CheckpointWriter writer(folder_, head, compression_, sync_);
  for_each([&](std::uint32_t region, std::uint64_t offset,
               std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const std::size_t now = std::min<std::size_t>(bytes.size(), kBlockBytes);
      writer.add(region, offset, bytes.first(now));
      bytes = bytes.subspan(now);
      offset += now;
      result.moved_bytes += now;
      if (progress_)
        progress_(progress_user_, result.moved_bytes, total);
    }
  });
  writer.commit();
  result.file_bytes = writer.file_bytes();
}

void Session::note_saved(const Manifest &manifest,
                         pagetide_checkpoint_result &result) {
  chain_ = manifest.is_base() ? 1 : chain_ + 1;
  parent_ = manifest.number;
  parent_id_ = manifest.id;
  sets_missing_ = false;
  last_regions_ = manifest.regions;
  if (went_back_to_ != 0)
    behind_ = {std::exchange(went_back_to_, 0), manifest.number};
  // The checkpoint is complete all the same. If not now, a later save removes
  // what is old.
  remove_unneeded(manifest);
  result.number = manifest.number;
  result.parent = manifest.parent;
  result.flags =
      (manifest.is_base() ? PAGETIDE_CHECKPOINT_BASE : 0u) |
      (manifest.flags & kUntracked ? PAGETIDE_CHECKPOINT_UNTRACKED : 0u);
  result.chain = chain_;
  result.bytes = manifest.region_bytes();
}

bool Session::remove_unneeded(const Manifest &manifest) {
  try {
    // Older chains are not needed once this one has as many as must be kept.
    if (manifest.is_base() || chain_ == keep_)
      remove_old(folder_, keep_, behind_);
    return true;
  } catch (const Error &) {
    return false;
  }
}

/// A region that no period reports may be one that is not watched. A write that
/// must be reported tells.
void Session::mark_unreported(const DirtyRegions &regions) {
  for (std::uint8_t *address : regions.unreported())
    pagetide_mark_written(address, 1);
}

/// Not every engine takes our word for it. No other thread may write meanwhile.
/// What others may write is saved anyway: a write of ours would undo theirs, or
/// make a page of a file the program's own.
void Session::write_unreported(const DirtyRegions &regions) {
  const std::vector<std::uint8_t *> unreported = regions.unreported();
  if (unreported.empty())
    return;
  const RegionMemory memory(regions.regions());
  for (std::uint8_t *address : unreported) {
    std::uint8_t now = 0;
    if (memory.is_shared(address))
      continue;
    const bool rewritten = read_memory(address, {&now, 1}) &&
                           write_memory(address, {&now, 1}) == 1;
    if (!rewritten && errno == EFAULT)
      continue; // the save says so, or the program cannot write it either
    auto *byte = const_cast<volatile std::uint8_t *>(address);
    *byte = *byte;
  }
}

/// The kernel's account has all, also if sets of marks are missing.
bool Session::note_period_end(bool is_complete) {
  is_complete |= kernel_.has_value();
  sets_missing_ |= !is_complete;
  return is_complete;
}

std::vector<CopyRange>
Session::take_kernel_writes(const std::vector<ProtectedRegion> &regions) {
  if (!kernel_)
    return {};
  try {
    std::vector<CopyRange> written = kernel_->take(regions);
    regions_.note_written(written);
    if (streamed_)
      streamed_->note_written(written);
    return written;
  } catch (...) {
    sets_missing_ = true;
    throw;
  }
}

RegionMemory Session::readable(const std::vector<ProtectedRegion> &regions) {
  RegionMemory memory(regions);
  regions_.note_written(memory.shared());
  try {
    memory.require_readable();
  } catch (const Error &) {
    // It may be there again some time, and hold something else.
    regions_.note_written(memory.of_files());
    throw;
  }
  return memory;
}

void Session::require_some(const std::vector<ProtectedRegion> &regions) {
  if (regions.empty())
    refuse("no region is protected; see pagetide_checkpoint_protect");
}

void Session::save(pagetide_checkpoint_result &result) {
  const std::lock_guard<std::mutex> saving(saving_);
  const std::uint64_t start = clock_ns(CLOCK_MONOTONIC);
  const UpdatesHeld held(update_wait_ns_);
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<ProtectedRegion> regions = regions_.regions();
  require_some(regions);
  mark_unreported(regions_);
  write_unreported(regions_);
  note_period_end(tracker_.end_period());
  const MarksSuspended suspended;
  take_kernel_writes(regions);
  const RegionMemory memory = readable(regions);
  const bool is_base = sets_missing_ || needs_base();
  Manifest manifest = next_manifest(regions, is_base);
  manifest.flags =
      sets_missing_ || !regions_.unreported().empty() ? kUntracked : 0;
  // A number is used once, even if this save fails.
  ++next_number_;
  const std::vector<DirtyRun> runs =
      regions_.begin_save(is_base, granularity_, kMaxRuns);
  std::uint64_t total = 0;
  for (const DirtyRun &run : runs)
    total += run.bytes;
  try {
    write(manifest, total, result, [&](const Taker &take) {
      for (const DirtyRun &run : runs) {
        std::uint64_t offset = run.offset;
        memory.read(run, [&](std::span<const std::uint8_t> bytes) {
          take(run.region, offset, bytes);
          offset += bytes.size();
        });
      }
    });
  } catch (...) {
    regions_.end_save(false);
    throw;
  }
  regions_.end_save(true);
  note_saved(manifest, result);
  result.duration_ns = clock_ns(CLOCK_MONOTONIC) - start;
}

//===- Restoring ----------------------------------------------------------===//

std::uint64_t Session::number_or_newest(std::uint64_t number) const {
  return number != 0 ? number : folder_.newest();
}

void Session::check_regions(const Manifest &manifest) const {
  const std::vector<ProtectedRegion> ours = regions_.regions();
  const std::string where = "checkpoint " + std::to_string(manifest.number) +
                            " of " + folder_.path() + ": ";
  for (const ProtectedRegion &region : ours) {
    const auto index = manifest.region_index(region.id);
    if (!index)
      throw Error(Problem::kRegions, where + "has no region " +
                                         std::to_string(region.id) +
                                         ", which the program protects");
    if (manifest.regions[*index].bytes != region.bytes)
      throw Error(Problem::kRegions,
                  where + "its region " + std::to_string(region.id) + " has " +
                      std::to_string(manifest.regions[*index].bytes) +
                      " bytes, and the program protects " +
                      std::to_string(region.bytes) +
                      "; see pagetide_checkpoint_saved_bytes");
  }
  for (const Region &region : manifest.regions)
    if (std::none_of(ours.begin(), ours.end(),
                     [&region](const ProtectedRegion &own) {
                       return own.id == region.id;
                     }))
      throw Error(Problem::kRegions,
                  where + "it has region " + std::to_string(region.id) +
                      ", which the program does not protect");
}

Chain Session::verified_chain(std::uint64_t number) const {
  // First what needs one file: its refusals are the clearer ones.
  const Manifest manifest = folder_.manifest(number);
  require_program(folder_, manifest, program_);
  check_regions(manifest);
  Chain chain = Chain::load(folder_, number);
  chain.verify_in_parallel();
  return chain;
}

void Session::restore(std::uint64_t number,
                      pagetide_checkpoint_result &result) {
  const std::lock_guard<std::mutex> saving(saving_);
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::uint64_t start = clock_ns(CLOCK_MONOTONIC);
  number = number_or_newest(number);
  result.number = number;
  try {
    const Chain chain = verified_chain(number);
    const std::vector<ProtectedRegion> regions = regions_.regions();
    const RegionMemory memory(regions);
    memory.require_readable();
    populate(regions);
    std::atomic<std::uint64_t> moved_bytes = 0;
    chain.read_in_parallel(
        [&](const Piece &piece, std::span<const std::uint8_t> bytes) {
          memory.write(piece.region, piece.offset, bytes);
          moved_bytes.fetch_add(bytes.size(), std::memory_order_relaxed);
        });
    result.moved_bytes = moved_bytes;
    result.parent = chain.newest().parent;
    result.flags = chain.newest().is_base() ? PAGETIDE_CHECKPOINT_BASE : 0u;
    result.bytes = chain.newest().region_bytes();
    result.file_bytes = chain.needed_bytes();
    chain_ = static_cast<std::uint32_t>(chain.members().size());
    result.chain = chain_;
    // If later ones are there, whoever removes old ones may take this one for
    // old. So nothing may depend on it.
    const bool is_newest = number == folder_.newest();
    parent_ = is_newest ? number : 0;
    went_back_to_ = is_newest ? 0 : number;
    parent_id_ = chain.newest().id;
    last_regions_ = chain.newest().regions;
  } catch (const Error &error) {
    if (error.problem() != Problem::kDamaged)
      throw;
    result.last_good = last_good(folder_, number - 1, program_);
    throw Error(
        Problem::kDamaged,
        error.what() +
            (result.last_good != 0
                 ? ". Checkpoint " + std::to_string(result.last_good) +
                       " can be restored."
                 : std::string(". No earlier checkpoint can be restored.")));
  }
  // What was written up to here is in the checkpoint.
  tracker_.end_period();
  take_kernel_writes(regions_.regions());
  regions_.clear();
  sets_missing_ = false;
  result.duration_ns = clock_ns(CLOCK_MONOTONIC) - start;
}

std::uint64_t Session::saved_bytes(std::uint64_t number, std::uint64_t id) {
  const std::lock_guard<std::mutex> saving(saving_);
  const Manifest manifest = folder_.manifest(number_or_newest(number));
  require_program(folder_, manifest, program_);
  const auto index = manifest.region_index(id);
  if (!index)
    throw Error(Problem::kRegions,
                "checkpoint " + std::to_string(manifest.number) + " of " +
                    folder_.path() + ": has no region " + std::to_string(id));
  return manifest.regions[*index].bytes;
}

} // namespace pagetide::checkpoint
