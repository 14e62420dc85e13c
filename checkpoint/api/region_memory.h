//===- region_memory.h - What regions are made of -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region may lie in a mapping of a file. Then pages beyond the file's end
// cannot be read or written (SIGBUS), and the file may be cut at any time. So
// such memory is read and written by system calls, which fail.
//
// And shared memory may be written by other processes, or at another address,
// and nobody reports that. So may pages of a file that are mapped privately, as
// long as they are not copied.

#pragma once

#include "api/dirty_regions.h"
#include "pagetide/cut_copies.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pagetide::checkpoint {

/// False if not all of it can be read.
bool read_memory(const std::uint8_t *from, std::span<std::uint8_t> to);
/// How many bytes can be written.
std::size_t write_memory(std::uint8_t *to, std::span<const std::uint8_t> from);

class RegionMemory {
public:
  /// Looks at the process's mappings.
  explicit RegionMemory(std::span<const ProtectedRegion> regions);

  /// What somebody may write without a report.
  const std::vector<CopyRange> &shared() const { return shared_; }
  bool is_shared(const std::uint8_t *address) const;

  /// The regions that are not private memory without a file.
  std::vector<CopyRange> of_files() const;

  /// Throws Error (kInvalid), which names the region and the page, if a page of
  /// the regions cannot be read.
  void require_readable() const;

  /// Calls take(bytes) for the run's memory, in order. Throws as
  /// require_readable does.
  void
  read(const DirtyRun &run,
       const std::function<void(std::span<const std::uint8_t>)> &take) const;
  /// Throws Error (kInvalid). From any thread.
  void write(std::uint32_t region, std::uint64_t offset,
             std::span<const std::uint8_t> bytes) const;

private:
  std::span<const ProtectedRegion> regions_;
  /// Of each region: it is private memory without a file, all there, and may
  /// be read and written.
  std::vector<bool> is_plain_;
  std::vector<CopyRange> shared_;
};

} // namespace pagetide::checkpoint
