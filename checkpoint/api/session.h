//===- session.h - A folder that a program saves to -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "api/copies_at_cut.h"
#include "api/dirty_regions.h"
#include "api/kernel_writes.h"
#include "api/period_tracker.h"
#include "api/region_memory.h"
#include "format/manifest.h"
#include "pagetide/checkpoint.h"
#include "store/chain.h"
#include "store/checkpoint_writer.h"
#include "store/file.h"
#include "store/folder.h"
#include "store/upkeep.h"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagetide::checkpoint {

/// What pagetide_checkpoint_open() gives. Throws Error from all functions.
class Session {
public:
  explicit Session(const pagetide_checkpoint_config &config);
  ~Session();
  Session(const Session &) = delete;

  void protect(std::uint64_t id, void *address, std::size_t bytes);
  void unprotect(std::uint64_t id);
  void save(pagetide_checkpoint_result &result);
  /// Saves what the regions hold at one instant, while threads go on. False if
  /// nothing has changed since the last checkpoint: then `result` is of that.
  bool save_at_cut(pagetide_checkpoint_result &result);
  /// Writes a checkpoint to a file that is open, in rounds, while threads go
  /// on.
  void stream(int fd, const pagetide_checkpoint_stream_config &config,
              pagetide_checkpoint_streamed &result);
  void restore(std::uint64_t number, pagetide_checkpoint_result &result);
  std::uint64_t saved_bytes(std::uint64_t number, std::uint64_t id);
  void note(const pagetide_period &period) { tracker_.note(period); }

  /// False in a child of the process that opened it.
  bool is_ours() const;
  /// In a child: gives up the lock, which the parent has.
  void release_in_child();

private:
  /// Takes bytes of a region.
  using Taker = std::function<void(std::uint32_t region, std::uint64_t offset,
                                   std::span<const std::uint8_t> bytes)>;
  class HeldForCut;
  class Stream;

  bool needs_base() const;
  bool shorten_chain();
  static void mark_unreported(const DirtyRegions &regions);
  static void write_unreported(const DirtyRegions &regions);
  bool note_period_end(bool is_complete);
  /// Notes what the kernel saw written, if that is wanted, and returns it.
  std::vector<CopyRange>
  take_kernel_writes(const std::vector<ProtectedRegion> &regions);
  /// Notes as written what others may write without a report. Throws Error
  /// (kInvalid) if regions cannot be read.
  RegionMemory readable(const std::vector<ProtectedRegion> &regions);
  static void require_some(const std::vector<ProtectedRegion> &regions);
  /// Ends the period in a cut. What it wrote is noted in `dirty` as part of
  /// what was begun to be saved. False if page sets are missing.
  bool make_copies(const std::vector<ProtectedRegion> &regions,
                   const std::vector<DirtyRun> &runs, std::uint64_t changes,
                   DirtyRegions &dirty);
  Manifest next_manifest(const std::vector<ProtectedRegion> &regions,
                         bool is_base) const;
  /// `head` has no blocks yet.
  void write(const Manifest &head, std::uint64_t total,
             pagetide_checkpoint_result &result,
             const std::function<void(const Taker &take)> &for_each);
  void note_saved(const Manifest &manifest, pagetide_checkpoint_result &result);
  bool remove_unneeded(const Manifest &manifest);
  std::uint64_t number_or_newest(std::uint64_t number) const;
  void check_regions(const Manifest &manifest) const;
  Chain verified_chain(std::uint64_t number) const;

  Folder folder_;
  File lock_;
  pid_t pid_;
  std::string program_;
  CheckpointWriter::Sync sync_;
  int compression_;
  std::size_t keep_;
  std::uint32_t max_chain_;
  std::uint64_t update_wait_ns_;
  std::uint64_t copy_bytes_;
  std::size_t granularity_;
  pagetide_checkpoint_progress progress_;
  void *progress_user_;

  std::mutex saving_; ///< one save, restore or read at a time
  std::mutex mutex_;  ///< regions do not change meanwhile
  DirtyRegions regions_;
  /// The same regions, and what changed since the stream sent it. Null: nothing
  /// is being streamed.
  std::unique_ptr<DirtyRegions> streamed_;
  bool keeps_updates_ = false; ///< after the cut that is made now
  PeriodTracker tracker_;
  CopiesAtCut copies_;
  std::optional<KernelWrites> kernel_; ///< none: not wanted
  /// Sets were missing since the last checkpoint: the next is whole.
  bool sets_missing_ = false;
  std::vector<Region> last_regions_; ///< of the last checkpoint

  std::uint64_t parent_ = 0; ///< of the next save; 0: it will be a base
  Id parent_id_ = {};
  std::uint32_t chain_ = 0; ///< of the parent
  std::uint64_t next_number_ = 0;
  /// The older checkpoint that was restored, until the next save. 0: none.
  std::uint64_t went_back_to_ = 0;
  WentBackBehind behind_; ///< since the program went on from an older one
};

} // namespace pagetide::checkpoint
