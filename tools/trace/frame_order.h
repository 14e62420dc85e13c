//===- frame_order.h - What a frame means after those before it -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frame can be decoded alone, but it is used together with frames before it:
// the parts of a period belong together, and rows lie in the mappings that were
// listed last. After damage, frames may be missing. What then needs a frame
// that may be one of them is not handed out, or is marked.
//
// Since version 1.4 frames say enough to know what is missing. In earlier
// traces all that may be missing counts as missing.

#pragma once

#include "trace/frame_decoder.h"

#include <cstdint>
#include <optional>

namespace pagetide::tools {

class FrameOrder {
public:
  explicit FrameOrder(const trace::FileHeader &header);

  /// Checks the frame against those before it, and fills in what it says of
  /// them. False if it needs frames that are lost. Throws Malformed if the
  /// frame cannot come at this place.
  bool accept(Frame &frame);
  /// Bytes between the last frame and the next one could not be read.
  void skip_damage();

  /// The last part of this period was accepted, and all parts before it.
  std::optional<std::uint64_t> last_whole_period() const { return last_whole_; }
  /// The period of which some parts were accepted, but not yet the last.
  std::optional<std::uint64_t> open_period() const { return open_period_; }
  /// Whether the list of mappings that was accepted last holds now.
  bool knows_mappings() const { return mappings_ == Context::kKnown; }
  /// The `context` of a Period frame that would come next.
  std::uint64_t context_of_next() const;

private:
  /// What is known of frames of one kind.
  enum class Context {
    kKnown,
    kDoubtful, ///< one may have been among damaged bytes
    kLost,     ///< one was, or nothing can tell
  };

  bool accept_period(Frame &frame);
  bool accept_kernel_writes(const KernelWrites &part);
  bool accept_sites(const PeriodSites &part);
  bool accept_cut(const Cut &cut);
  void check_context(const PeriodPart &part);

  bool has_counts_; ///< version 1.4

  std::optional<std::uint64_t> last_whole_;
  std::optional<std::uint64_t> open_period_;
  std::uint64_t open_floor_ = 0; ///< first granule the next part may have
  std::uint64_t open_start_ns_ = 0;
  std::uint64_t open_end_ns_ = 0;
  /// After damage: the next part's period may have begun in it.
  bool lost_beginning_ = false;

  std::optional<std::uint64_t> kernel_open_; ///< as open_period_
  std::optional<std::uint64_t> kernel_whole_;
  std::uint64_t kernel_floor_ = 0;

  std::optional<std::uint64_t> sites_open_; ///< as open_period_
  std::optional<std::uint64_t> sites_whole_;
  /// Where the next part of the sites may begin.
  std::uint32_t sites_tid_ = 0;
  std::uint64_t sites_floor_ = 0;
  bool lost_sites_beginning_ = false;

  std::optional<std::uint64_t> last_cut_;

  std::uint64_t context_frames_ = 0; ///< that precede, lost ones included
  bool context_in_doubt_ = false;    ///< damage since that was compared
  Context mappings_ = Context::kKnown;
  Context threads_ = Context::kKnown;
  Context regions_ = Context::kKnown;
};

} // namespace pagetide::tools
