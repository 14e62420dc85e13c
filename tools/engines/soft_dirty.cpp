//===- soft_dirty.cpp - Written pages by the soft-dirty bits --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel sets a page's bit at the first write after the bits were cleared.
// What a read of the bits says beyond that must not count:
//
// - A new mapping, and one that grew, reads as written as a whole (its flag
//   VM_SOFTDIRTY; PAGEMAP_SCAN counts it too), pages that do not exist
//   included. Such a page gives the flag away. In new private memory the pages
//   that exist were written. Of older pages in such a mapping nobody knows.
// - A moved page reads as written. So if memory has vanished, what is in new
//   memory may have been moved there.
// - A new shared mapping lets pages be written without the kernel's notice
// until
//   the bits are cleared: its pages that exist may have been written.
// - The page of zeros, and in private mappings a file's page, is not written.

#include "engines/new_page.h"
#include "engines/outside_engine.h"
#include "engines/process_facts.h"
#include "engines/remote_calls.h"
#include "support/failure.h"
#include "support/page_bytes.h"
#include "support/unique_fd.h"
#include "trace/runs.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

namespace pagetide::tools {

namespace {

using kernel::PagemapEntry;

constexpr std::uint64_t kWritable = 2; // PROT_WRITE
constexpr std::size_t kEntriesAtOnce = 1 << 16;
constexpr std::uint64_t kHugeBytes = 2 << 20;
/// Reading the entries of more takes seconds, where nothing but an entry tells
/// that there is no page.
constexpr std::uint64_t kMaxReadBytes = std::uint64_t{64} << 30;

UniqueFd open_pagemap(pid_t task) {
  UniqueFd fd(::open(fmt::format("/proc/{}/pagemap", task).c_str(),
                     O_RDONLY | O_CLOEXEC));
  if (!fd)
    throw Failure(fmt::format("/proc/{}/pagemap: {}; is /proc mounted, and may "
                              "this user trace the process?",
                              task, std::strerror(errno)));
  return fd;
}

void clear_bits(pid_t task) {
  const std::string path = fmt::format("/proc/{}/clear_refs", task);
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || ::write(fd.get(), "4", 1) != 1)
    throw Failure(fmt::format("{}: {}; the bits cannot be cleared any more",
                              path, std::strerror(errno)));
}

PagemapEntry entry_at(int pagemap, const void *page) {
  PagemapEntry entry = {};
  const auto at = reinterpret_cast<std::uint64_t>(page) / kPageBytes;
  if (::pread(pagemap, &entry, sizeof(entry),
              static_cast<off_t>(at * sizeof(entry))) != sizeof(entry))
    throw Failure(fmt::format("/proc/self/pagemap: {}", std::strerror(errno)));
  return entry;
}

/// What this kernel tells, found out with a page of this process.
struct KernelBits {
  bool works = false;
  std::uint64_t zero_frame = 0; ///< of the page of zeros; 0: not known
};

KernelBits look_at_kernel() {
  KernelBits bits;
  const UniqueFd pagemap = open_pagemap(::getpid());
  auto *const page = static_cast<volatile char *>(
      ::mmap(nullptr, 2 * kPageBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (page == MAP_FAILED)
    throw Failure(fmt::format("mmap: {}", std::strerror(errno)));
  void *const address = const_cast<char *>(page);
  *page = 1;
  (void)page[kPageBytes]; // the page of zeros
  clear_bits(::getpid());
  const bool cleared = !entry_at(pagemap.get(), address).is_dirty();
  *page = 2;
  bits.works = cleared && entry_at(pagemap.get(), address).is_dirty();
  bits.zero_frame =
      entry_at(pagemap.get(), const_cast<char *>(page) + kPageBytes).frame();
  ::munmap(address, 2 * kPageBytes);
  return bits;
}

bool overlaps(const std::vector<MemoryRange> &sorted, MemoryRange range) {
  const auto at = std::ranges::partition_point(
      sorted, [&](const MemoryRange &r) { return r.end <= range.begin; });
  return at != sorted.end() && at->begin < range.end;
}

/// Adjacent ranges become one, so that what was divided is not new.
void add_range(std::vector<MemoryRange> &sorted, MemoryRange range) {
  if (!sorted.empty() && sorted.back().end == range.begin)
    sorted.back().end = range.end;
  else
    sorted.push_back(range);
}

bool is_shared(const Mapping &mapping) {
  return mapping.protection & trace::kMappingShared;
}

/// Mappings in which huge pages may be. A write to one of these sets the bits
/// of all its pages.
std::vector<MemoryRange> huge_ranges(pid_t task) {
  std::vector<MemoryRange> ranges;
  const std::string text =
      read_proc_file(fmt::format("/proc/{}/smaps", task)).value_or("");
  MemoryRange range = {};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    unsigned long long first = 0;
    unsigned long long second = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &first, &second) == 2)
      range = {first, second};
    else if (std::sscanf(line.c_str(), "AnonHugePages: %llu", &first) == 1 &&
             first != 0)
      add_range(ranges, range);
  }
  return ranges;
}

class SoftDirty : public OutsideEngine {
public:
  explicit SoftDirty(pid_t task)
      : kernel_(look_at_kernel()), pagemap_(open_pagemap(task)) {}

  bool needs_stop() const override { return true; }
  void begin(pid_t task, const Mappings &mappings) override {
    huge_ = huge_ranges(task);
    clear_bits(task);
    remember(mappings);
  }
  std::vector<GranuleRun> collect(pid_t task,
                                  const Mappings &mappings) override;

private:
  void remember(const Mappings &mappings);
  bool lost_some(const Mappings &mappings) const;
  bool is_known(std::uint64_t page) const {
    return overlaps(known_, {page, page + kPageBytes});
  }
  void add(std::vector<GranuleRun> &runs, MemoryRange range,
           unsigned flags) const;
  void read(const Mapping &mapping, std::vector<GranuleRun> &runs) const;

  KernelBits kernel_;
  UniqueFd pagemap_;
  std::vector<MemoryRange> known_;   ///< what was mapped when bits were cleared
  std::vector<MemoryRange> exact_;   ///< the same, by mapping
  std::vector<MemoryRange> movable_; ///< the private part of it
  std::vector<MemoryRange> huge_;
  bool moves_ = false; ///< something of it has vanished
};

void SoftDirty::remember(const Mappings &mappings) {
  known_.clear();
  exact_.clear();
  movable_.clear();
  for (const Mapping &mapping : mappings.mappings) {
    const MemoryRange range = {mapping.start, mapping.start + mapping.bytes};
    add_range(known_, range);
    exact_.push_back(range);
    if (!is_shared(mapping))
      add_range(movable_, range);
  }
}

/// Whether private memory that was known is no longer there.
bool SoftDirty::lost_some(const Mappings &mappings) const {
  std::vector<MemoryRange> now;
  for (const Mapping &mapping : mappings.mappings)
    if (!is_shared(mapping))
      add_range(now, {mapping.start, mapping.start + mapping.bytes});
  return std::ranges::any_of(movable_, [&](const MemoryRange &range) {
    const auto at = std::ranges::partition_point(
        now, [&](const MemoryRange &r) { return r.end <= range.begin; });
    return at == now.end() || at->begin > range.begin || at->end < range.end;
  });
}

/// Divides a range of written pages where less is known of them.
void SoftDirty::add(std::vector<GranuleRun> &runs, MemoryRange range,
                    unsigned flags) const {
  const bool divides = moves_ || !huge_.empty();
  const std::uint64_t step = divides ? kPageBytes : range.end - range.begin;
  for (std::uint64_t at = range.begin; at < range.end; at += step) {
    unsigned of_step = flags;
    if (divides &&
        ((moves_ && !is_known(at)) || overlaps(huge_, {at, at + kPageBytes})))
      of_step = trace::kRunMayWritten;
    append_run(runs, at / kPageBytes, step / kPageBytes, of_step);
  }
}

/// By entries in which a bit may be the mapping's.
void SoftDirty::read(const Mapping &mapping,
                     std::vector<GranuleRun> &runs) const {
  const bool shared = is_shared(mapping);
  const MemoryRange whole = {mapping.start, mapping.start + mapping.bytes};
  std::vector<PagemapEntry> entries(
      std::min<std::uint64_t>(kEntriesAtOnce, mapping.bytes / kPageBytes));
  std::vector<GranuleRun> if_old;
  std::vector<GranuleRun> if_new;
  bool all_dirty = true;
  std::optional<bool> hole_is_dirty;
  for (std::uint64_t at = whole.begin; at < whole.end;) {
    const std::uint64_t wanted =
        std::min<std::uint64_t>(entries.size(), (whole.end - at) / kPageBytes);
    const ssize_t got =
        ::pread(pagemap_.get(), entries.data(), wanted * sizeof(PagemapEntry),
                static_cast<off_t>(at / kPageBytes * sizeof(PagemapEntry)));
    if (got <= 0)
      return; // beyond what the process can map
    const std::size_t count =
        static_cast<std::size_t>(got) / sizeof(PagemapEntry);
    for (std::size_t i = 0; i < count; ++i, at += kPageBytes) {
      const PagemapEntry entry = entries[i];
      if (!entry.exists()) {
        hole_is_dirty = entry.is_dirty();
        continue;
      }
      all_dirty &= entry.is_dirty();
      const MemoryRange page = {at, at + kPageBytes};
      if (entry.is_dirty() && (shared || !entry.is_of_file()))
        add(if_old, page, trace::kRunWritten);
      if (const unsigned flags =
              flags_if_new(entry, is_known(at), shared, kernel_.zero_frame))
        add(if_new, page, flags);
    }
  }
  // Without a hole: private memory that was there before has no flag, or all of
  // it is new.
  const bool was_there =
      !shared && std::ranges::any_of(exact_, [&](const MemoryRange &range) {
        return range.begin == whole.begin && range.end == whole.end;
      });
  const bool has_flag = hole_is_dirty.value_or(all_dirty && !was_there);
  const std::vector<GranuleRun> &chosen = has_flag ? if_new : if_old;
  runs.insert(runs.end(), chosen.begin(), chosen.end());
}

std::vector<GranuleRun> SoftDirty::collect(pid_t task,
                                           const Mappings &mappings) {
  std::vector<GranuleRun> runs;
  moves_ = lost_some(mappings);
  for (const Mapping &mapping : mappings.mappings) {
    const MemoryRange range = {mapping.start, mapping.start + mapping.bytes};
    const bool writable = mapping.protection & kWritable;
    if (mapping.name.starts_with("[v") || (is_shared(mapping) && !writable))
      continue;
    if (const char *why = why_unseen(mapping)) {
      if (writable)
        unseen_.push_back({range, why});
    } else if (mapping.bytes > kMaxReadBytes) {
      if (writable)
        unseen_.push_back({range, "it has more than 64 GiB"});
    } else {
      read(mapping, runs);
    }
  }
  clear_bits(task);
  remember(mappings);
  return runs;
}

} // namespace

const char *why_unseen(const Mapping &mapping) {
  const std::string &name = mapping.name;
  if (name.starts_with("/dev/hugepages/") || name.starts_with("/anon_hugepage"))
    return "it is of hugetlbfs";
  if (name.starts_with("/dev/") && !name.starts_with("/dev/shm/") &&
      !name.starts_with("/dev/zero"))
    return "memory of a device";
  if (name.starts_with("anon_inode:"))
    return "memory shared with the kernel";
  return nullptr;
}

std::string probe_soft_dirty() {
  return look_at_kernel().works
             ? ""
             : "this kernel has no soft-dirty bits (CONFIG_MEM_SOFT_DIRTY, as "
               "Debian's, Ubuntu's and Fedora's kernels have)";
}

void split_huge_pages(pid_t task, RemoteCalls &calls) {
  for (const MemoryRange &range : huge_ranges(task)) {
    const std::uint64_t first =
        (range.begin + kHugeBytes - 1) / kHugeBytes * kHugeBytes;
    // Advice for a part of a huge page splits it, and says only that its first
    // page was not used lately.
    for (std::uint64_t at = first; at + kHugeBytes <= range.end;
         at += kHugeBytes)
      calls.call(SYS_madvise, {at, kPageBytes, MADV_COLD});
  }
}

std::unique_ptr<OutsideEngine> make_soft_dirty(pid_t task) {
  return std::make_unique<SoftDirty>(task);
}

} // namespace pagetide::tools
