//===- page_scan.h - The request PAGEMAP_SCAN of another process ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/outside_engine.h"
#include "support/page_bytes.h"
#include "trace/runs.h"

#include "pagetide/pagemap_scan.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

namespace pagetide::tools {

/// Which pages to look for: kernel::PageCategories, and kernel::ScanFlags.
struct WantedPages {
  std::uint64_t flags;
  std::uint64_t inverted; ///< those of `all` that a page must not have
  std::uint64_t all;      ///< a page must have each of them
  std::uint64_t any;      ///< and one of these, unless there are none
};

/// Adds the pages to the list as runs with these flags, sorted. Returns an
/// errno.
inline int scan_pages(int pagemap, MemoryRange range, const WantedPages &wanted,
                      unsigned flags, std::vector<GranuleRun> &runs) {
  // Linux 6.18 refuses a request that has this half's last page (EFAULT).
  // Nothing is ever mapped there.
  constexpr std::uint64_t kEndOfMappings =
      (std::uint64_t{1} << abi::kAddressBits) - kPageBytes;
  std::vector<kernel::PageRegion> regions(4096);
  std::vector<MemoryRange> found;
  kernel::ScanArgument scan = {};
  scan.size = sizeof(scan);
  scan.flags = wanted.flags;
  scan.start = range.begin;
  scan.end = std::min(range.end, kEndOfMappings);
  scan.vector = reinterpret_cast<std::uint64_t>(regions.data());
  scan.vector_length = regions.size();
  scan.category_inverted = wanted.inverted;
  scan.category_mask = wanted.all;
  scan.category_anyof_mask = wanted.any;
  scan.return_mask = kernel::kPagePresent;
  while (scan.start < scan.end) {
    const int count = ::ioctl(pagemap, kernel::kPagemapScan, &scan);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (count < 0)
      return errno;
    for (int i = 0; i < count; ++i) {
      const kernel::PageRegion &region = regions[static_cast<std::size_t>(i)];
      found.push_back({region.start, region.end});
    }
    // It may be before the last region found: what is written meanwhile is
    // found once more.
    scan.start = scan.walk_end;
  }
  std::ranges::sort(found, {}, &MemoryRange::begin);
  std::uint64_t end = 0; // of what the list has
  for (const MemoryRange &region : found) {
    const std::uint64_t begin = std::max(region.begin, end);
    if (begin < region.end)
      append_run(runs, begin / kPageBytes, (region.end - begin) / kPageBytes,
                 flags);
    end = std::max(end, region.end);
  }
  return 0;
}

} // namespace pagetide::tools
