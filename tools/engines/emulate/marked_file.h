//===- marked_file.h - Takes the marks of a process in QEMU ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "record/period_builder.h"
#include "support/unique_fd.h"

#include "engines/emulate/emulation.h"

#include <cstdint>
#include <map>
#include <vector>

namespace pagetide::tools {

/// The memory file of a process. It outlives the process, and so do the marks.
class MarkedFile {
public:
  /// Throws Failure if this is no such file.
  explicit MarkedFile(UniqueFd fd);
  ~MarkedFile();
  MarkedFile(const MarkedFile &) = delete;

  /// What was seen of threads while marks were taken.
  struct Change {
    trace::ThreadEvent event;
    std::uint32_t tid;
  };

  /// Takes all marks: each is in the builder, or stays for the next call. False
  /// if there was none.
  bool take(PeriodBuilder &builder, std::vector<Change> &changes);

  bool by_thread() const { return slots_ > 1; }
  /// Whether threads that found no slot have marked in that of the process.
  bool threads_shared() const { return threads_shared_; }

private:
  /// Shadows are much larger than what is used of them.
  static constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 30;

  std::uint8_t *window(std::uint64_t number);
  bool take_slot(std::uint32_t slot, std::uint32_t tid, PeriodBuilder &builder);
  bool take_range(std::uint64_t begin, std::uint64_t end, std::uint64_t shadow,
                  std::uint32_t tid, PeriodBuilder &builder);

  UniqueFd fd_;
  emulation::Header *header_ = nullptr;
  std::uint32_t slots_ = 0;
  std::map<std::uint64_t, std::uint8_t *> windows_; ///< mapped, by number
  std::map<std::uint32_t, std::uint32_t> live_;     ///< tids by slots
  bool threads_shared_ = false;
};

} // namespace pagetide::tools
