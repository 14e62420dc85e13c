//===- dirty_regions.h - Protected regions, and what changed in them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/cut_copies.h"
#include "pagetide/pagetide.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace pagetide::checkpoint {

/// What a save takes of one region.
struct DirtyRun {
  std::uint32_t region; ///< index, in the order of ids
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct ProtectedRegion {
  std::uint64_t id;
  const std::uint8_t *address;
  std::uint64_t bytes;
};

/// What a save may take at once. Coarser units gain nothing.
inline constexpr std::size_t kMinUnit = 64;
inline constexpr std::size_t kMaxUnit = std::size_t{2} << 20;

/// The protected regions with one bit for each granule that overlaps them. The
/// period callback sets bits, so nothing here waits for the runtime.
class DirtyRegions {
public:
  enum class Change { kDone, kInvalid };

  /// Bits are for granules of this size, and all are set.
  void set_granule(std::size_t granule);
  std::size_t granule() const { return granule_; }

  Change protect(std::uint64_t id, const void *address, std::size_t bytes);
  Change unprotect(std::uint64_t id);
  /// In the order of ids.
  std::vector<ProtectedRegion> regions() const;
  /// Grows whenever a region or the granule changes.
  std::uint64_t changes() const;

  /// Sets the bits of what was written in the period, for certain, possibly or
  /// carried.
  void note(const pagetide_period &period);
  /// The same for ranges.
  void note_written(std::span<const CopyRange> ranges);

  /// Writes are known from elsewhere too: no region is taken whole because no
  /// period has reported it.
  void expect_no_reports() { all_reported_ = true; }

  /// Addresses of regions in which no period has reported a write since they
  /// were protected.
  std::vector<std::uint8_t *> unreported() const;

  /// Takes the bits: later ones belong to the next save. Regions of which no
  /// period has had a row are taken whole. Runs of others begin and end at
  /// multiples of `unit`, a power of two, if granules are not larger. If there
  /// would be more than `most` runs, the region's unit doubles until there are
  /// not. end_save() must follow.
  std::vector<DirtyRun> begin_save(bool whole, std::size_t unit,
                                   std::size_t most);
  /// From now on, periods that the calling thread notes belong to the save that
  /// has begun, until end_save().
  void note_to_save();
  /// With success false, the bits that were taken are set again.
  void end_save(bool success);
  /// Forgets all bits: a checkpoint has just been restored.
  void clear();

private:
  struct Region {
    std::uint64_t id;
    std::uintptr_t address;
    std::uint64_t bytes;
    bool is_reported;
    std::vector<std::uint64_t> dirty;
    std::vector<std::uint64_t> taken;
  };

  std::size_t granules_of(const Region &region) const;
  void resize(Region &region, std::uint64_t bytes);
  std::vector<Region *> by_address();
  void note_range(const std::vector<Region *> &sorted, std::uintptr_t begin,
                  std::uintptr_t end) const;
  void set_bits(const Region &region, std::vector<std::uint64_t> &bits,
                std::uintptr_t begin, std::uintptr_t end) const;
  /// Calls found(address, end) for each run of units with a bit taken.
  template <typename Found>
  void for_each_taken(const Region &region, std::size_t unit,
                      Found found) const;
  std::size_t count_runs(const Region &region, std::size_t unit) const;
  void add_runs(const Region &region, std::uint32_t index, std::size_t unit,
                std::size_t most, std::vector<DirtyRun> &runs) const;

  mutable std::mutex mutex_;
  std::size_t granule_ = 4096;
  std::vector<Region> regions_; ///< sorted by id
  bool all_reported_ = false;
  std::uint64_t changes_ = 0;
  std::thread::id noting_to_save_; ///< none: nobody does
};

} // namespace pagetide::checkpoint
