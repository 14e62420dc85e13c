//===- copies_at_cut.h - Copies of regions as they were at one instant ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "api/dirty_regions.h"
#include "pagetide/cut_copies.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pagetide::checkpoint {

/// Has the runtime end a period in a cut and copy pages as they were then.
/// Keeps a part of its memory from one cut to the next.
class CopiesAtCut {
public:
  /// For copies of at most so many bytes.
  explicit CopiesAtCut(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  ~CopiesAtCut();
  CopiesAtCut(const CopiesAtCut &) = delete;

  /// Throws Error (kUnsupported) if the runtime cannot make cuts.
  static void require_support();

  /// What happens shortly before and after the instant. No exception may leave
  /// these functions.
  class Holder {
  public:
    virtual ~Holder() = default;
    /// False: there is to be no cut.
    virtual bool hold() = 0;
    virtual void release() = 0;
  };

  /// Copies what the period's set has of the regions, and `more` of them.
  /// Returns a pagetide_status. Throws std::bad_alloc.
  int make(std::span<const ProtectedRegion> regions,
           std::span<const DirtyRun> more, std::size_t granule, Holder &holder);
  /// For Holder::hold(): copies these anew.
  void copy_again(std::vector<CopyRange> ranges);

  /// Whether there was a cut. If not: whether there was too little room for the
  /// copies, and the reason in English.
  bool was_made() const { return request_.cut_ns != 0; }
  bool was_too_small() const { return request_.count > request_.capacity; }
  const char *reason() const;

  std::uint64_t cut_ns() const { return request_.cut_ns; }
  std::uint64_t pause_ns() const { return request_.pause_ns; }
  /// A granule of a region that cannot be read; 0: none.
  std::uintptr_t not_readable() const { return request_.not_readable; }
  bool is_empty() const { return request_.count == 0; }
  std::uint64_t bytes() const { return request_.count * request_.granule; }

  /// Calls take(region, offset, bytes) for what was copied, by region and then
  /// by offset.
  void for_each(std::span<const ProtectedRegion> regions,
                const std::function<void(std::uint32_t, std::uint64_t,
                                         std::span<const std::uint8_t>)> &take);

  /// Gives most of the memory back.
  void give_back();

private:
  void make_room(std::size_t granule);
  void free_room();

  std::uint64_t most_bytes_;
  std::uint64_t mapped_bytes_ = 0;
  std::uint64_t mapped_address_bytes_ = 0;
  CopyRequest request_ = {};
  std::vector<CopyRange> regions_;
  std::vector<CopyRange> more_;
};

} // namespace pagetide::checkpoint
