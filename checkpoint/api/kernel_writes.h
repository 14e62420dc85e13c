//===- kernel_writes.h - Which pages the kernel saw written ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "api/dirty_regions.h"
#include "pagetide/cut_copies.h"
#include "pagetide/pagemap_scan.h"
#include "store/file.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pagetide::checkpoint {

/// Has the kernel write-protect regions asynchronously: the first write to a
/// page lifts its protection without stopping a thread, whoever writes. Linux
/// 6.7.
class KernelWrites {
public:
  /// Throws Error (kUnsupported) if the system lacks it.
  KernelWrites();

  /// From now on, writes to these bytes are seen. Returns the pages that were
  /// not tracked before; of the others, what was written is still known. Throws
  /// Error (kUnsupported).
  std::vector<CopyRange> track(const void *address, std::size_t bytes);

  /// Takes the pages of the regions that were written since they were last
  /// taken. Memory that was mapped anew counts as written. Throws Error and
  /// std::bad_alloc; then nobody knows what was taken.
  std::vector<CopyRange> take(std::span<const ProtectedRegion> regions);

  /// In a child of fork, where they are of no use.
  void close();

private:
  /// Appends what the kernel finds.
  void scan(std::uintptr_t begin, std::uintptr_t end,
            const kernel::ScanArgument &query, std::vector<CopyRange> &found);
  void watch(std::uintptr_t begin, std::uintptr_t end) const;
  /// Forgets what was written there.
  void write_protect(std::uintptr_t begin, std::uintptr_t end) const;

  File uffd_;
  File pagemap_;
  std::vector<kernel::PageRegion> some_; ///< what one request finds
};

} // namespace pagetide::checkpoint
