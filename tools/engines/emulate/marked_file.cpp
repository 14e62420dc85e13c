//===- marked_file.cpp - Takes the marks of a process in QEMU -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/marked_file.h"

#include "support/failure.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pagetide::tools {

using namespace emulation;

namespace {

std::uint8_t *map(int fd, std::uint64_t offset, std::uint64_t bytes) {
  void *p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   static_cast<off_t>(offset));
  if (p == MAP_FAILED)
    throw Failure(fmt::format("the shadows of a process cannot be mapped: {}",
                              std::strerror(errno)));
  return static_cast<std::uint8_t *>(p);
}

} // namespace

MarkedFile::MarkedFile(UniqueFd fd) : fd_(std::move(fd)) {
  // The process must not be able to take memory away that we look at.
  constexpr int kSize = F_SEAL_SHRINK | F_SEAL_GROW;
  struct stat status;
  if ((::fcntl(fd_.get(), F_GET_SEALS) & kSize) != kSize ||
      ::fstat(fd_.get(), &status) != 0 ||
      status.st_size < static_cast<off_t>(offset_of_slot(1)))
    throw Failure("a process has handed over a file that does not hold "
                  "shadows; it is not recorded");
  header_ = reinterpret_cast<Header *>(map(fd_.get(), 0, kHeaderBytes));
  if (header_->magic != kMagic || header_->version != kVersion)
    throw Failure("a process in QEMU has a plugin of another version of "
                  "Pagetide; use pagetide and plugin of one build");
  const auto fit = static_cast<std::uint64_t>(status.st_size) - kHeaderBytes;
  slots_ = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({header_->slots, fit / kShadowBytes, kMaxSlots}));
}

MarkedFile::~MarkedFile() {
  for (const auto &[number, window] : windows_)
    ::munmap(window, kWindowBytes);
  if (header_)
    ::munmap(header_, kHeaderBytes);
}

std::uint8_t *MarkedFile::window(std::uint64_t number) {
  std::uint8_t *&window = windows_[number];
  if (!window)
    window = map(fd_.get(), kHeaderBytes + number * kWindowBytes, kWindowBytes);
  return window;
}

/// `begin` and `end` are offsets after the header, of whole pages. `shadow` is
/// that of the shadow's beginning.
bool MarkedFile::take_range(std::uint64_t begin, std::uint64_t end,
                            std::uint64_t shadow, std::uint32_t tid,
                            PeriodBuilder &builder) {
  bool any = false;
  while (begin < end) {
    const std::uint64_t number = begin / kWindowBytes;
    const std::uint64_t stop = std::min(end, (number + 1) * kWindowBytes);
    std::uint8_t *const base = window(number) - number * kWindowBytes;
    for (; begin < stop; begin += sizeof(std::uint64_t)) {
      const std::atomic_ref<std::uint64_t> cells(
          *reinterpret_cast<std::uint64_t *>(base + begin));
      if (cells.load(std::memory_order_relaxed) == 0)
        continue;
      builder.add_word(
          tid, shadow_file::ChunkKind::kMarks,
          {(begin - shadow) / sizeof(std::uint64_t), cells.exchange(0)});
      any = true;
    }
  }
  return any;
}

bool MarkedFile::take_slot(std::uint32_t slot, std::uint32_t tid,
                           PeriodBuilder &builder) {
  const auto first = static_cast<off_t>(offset_of_slot(slot));
  const auto last = static_cast<off_t>(offset_of_slot(slot + 1));
  bool any = false;
  off_t end = first;
  while (true) {
    const off_t begin = ::lseek(fd_.get(), end, SEEK_DATA);
    if (begin < 0 || begin >= last)
      return any;
    end = std::min(::lseek(fd_.get(), begin, SEEK_HOLE), last);
    if (end < begin) // the file's offset belongs to others too
      return any;
    any |= take_range(static_cast<std::uint64_t>(begin) - kHeaderBytes,
                      static_cast<std::uint64_t>(end) - kHeaderBytes,
                      slot * kShadowBytes, tid, builder);
  }
}

bool MarkedFile::take(PeriodBuilder &builder, std::vector<Change> &changes) {
  bool any = take_slot(0, 0, builder);
  threads_shared_ |= any && by_thread();
  for (std::uint32_t slot = 1; slot < slots_; ++slot) {
    Slot &entry = header_->slot[slot];
    const SlotState state = entry.state.load(std::memory_order_acquire);
    if (state == SlotState::kFree)
      continue;
    const std::uint32_t tid = entry.tid;
    if (live_.emplace(slot, tid).second)
      changes.push_back({trace::ThreadEvent::kStart, tid});
    any |= take_slot(slot, tid, builder);
    if (state != SlotState::kEnded)
      continue;
    live_.erase(slot);
    changes.push_back({trace::ThreadEvent::kEnd, tid});
    entry.state.store(SlotState::kFree, std::memory_order_release);
  }
  return any;
}

} // namespace pagetide::tools
