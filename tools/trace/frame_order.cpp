//===- frame_order.cpp - What a frame means after those before it ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/frame_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace pagetide::tools {

using trace::FrameType;

namespace {

/// All granules of a part lie in [first, end). If it has none, end is 0.
struct GranuleRange {
  std::uint64_t first;
  std::uint64_t end;
};

GranuleRange range_of(const PeriodPart &part) {
  GranuleRange range = {UINT64_MAX, 0};
  for (const PeriodPart::Section &section : part.sections) {
    const std::span<const GranuleRun> runs = part.runs_of(section);
    range.first = std::min(range.first, std::uint64_t{runs.front().first});
    range.end = std::max(range.end, runs.back().end());
  }
  if (!part.checksum_runs.empty()) {
    range.first =
        std::min(range.first, std::uint64_t{part.checksum_runs.front().first});
    range.end = std::max(range.end, part.checksum_runs.back().end());
  }
  return range;
}

} // namespace

FrameOrder::FrameOrder(const trace::FileHeader &header)
    : has_counts_(header.version_minor >= trace::kMinorWithCounts) {}

std::uint64_t FrameOrder::context_of_next() const {
  // A count that is too high says that something is lost.
  return context_frames_ + context_in_doubt_;
}

void FrameOrder::skip_damage() {
  open_period_.reset();
  lost_beginning_ = true;
  kernel_open_.reset();
  kernel_floor_ = 0;
  sites_open_.reset();
  lost_sites_beginning_ = true;
  context_in_doubt_ = true;
  for (Context *context : {&mappings_, &threads_, &regions_})
    if (*context == Context::kKnown)
      *context = Context::kDoubtful;
}

/// Compares the frames that the part counts with those that were read.
void FrameOrder::check_context(const PeriodPart &part) {
  const bool same = has_counts_ && part.context == context_frames_;
  if (!context_in_doubt_) {
    if (has_counts_ && !same)
      throw Malformed{fmt::format("a part of period {} counts {} frames of "
                                  "mappings, threads and regions before it, "
                                  "where {} are",
                                  part.index, part.context, context_frames_)};
    return;
  }
  context_in_doubt_ = false;
  for (Context *context : {&mappings_, &threads_, &regions_})
    if (*context == Context::kDoubtful)
      *context = same ? Context::kKnown : Context::kLost;
  if (has_counts_)
    context_frames_ = part.context;
}

/// Checks the part against the parts and periods before it.
bool FrameOrder::accept_period(Frame &frame) {
  PeriodPart &part = frame.period;
  const GranuleRange range = range_of(part);
  if (!has_counts_)
    part.first = !open_period_ && !lost_beginning_;
  if (open_period_) {
    if (part.index != *open_period_)
      throw Malformed{
          fmt::format("period {} begins before the last part of period {}",
                      part.index, *open_period_)};
    if (part.first)
      throw Malformed{fmt::format("period {} begins twice", part.index)};
    if (part.start_ns != open_start_ns_ || part.end_ns != open_end_ns_)
      throw Malformed{fmt::format(
          "the parts of period {} differ in their times", part.index)};
    if (range.end != 0 && range.first < open_floor_)
      throw Malformed{fmt::format(
          "the parts of period {} overlap or are out of order", part.index)};
  } else {
    if (last_whole_ && part.index <= *last_whole_)
      throw Malformed{fmt::format("period {} comes after period {}", part.index,
                                  *last_whole_)};
    if (!part.first && !lost_beginning_)
      throw Malformed{
          fmt::format("period {} begins with a later part", part.index)};
  }
  check_context(part);

  if (!open_period_ && !part.first) {
    lost_beginning_ = !part.last;
    return false;
  }
  lost_beginning_ = false;
  if (part.last) {
    open_period_.reset();
    open_floor_ = 0;
    last_whole_ = part.index;
  } else {
    open_period_ = part.index;
    open_floor_ = std::max(open_floor_, range.end);
    open_start_ns_ = part.start_ns;
    open_end_ns_ = part.end_ns;
  }
  frame.lost_mappings = mappings_ == Context::kLost;
  frame.lost_threads = threads_ == Context::kLost;
  threads_ = Context::kKnown; // those that come from here on
  return true;
}

/// Checks the part against those before it, as accept_period does.
bool FrameOrder::accept_kernel_writes(const KernelWrites &part) {
  if (kernel_open_ ? part.index != *kernel_open_
                   : kernel_whole_ && part.index <= *kernel_whole_)
    throw Malformed{fmt::format("the kernel's writes of period {} are out of "
                                "order",
                                part.index)};
  if ((last_whole_ && part.index <= *last_whole_) || open_period_)
    throw Malformed{fmt::format("the kernel's writes of period {} do not come "
                                "before it",
                                part.index)};
  if (!part.runs.empty() && part.runs.front().first < kernel_floor_)
    throw Malformed{fmt::format("the parts of the kernel's writes of period "
                                "{} overlap or are out of order",
                                part.index)};
  // Nobody could say whose memory was written. While this is in doubt, the
  // parts before may be lost too.
  if (mappings_ != Context::kKnown || regions_ != Context::kKnown)
    return false;
  if (!part.runs.empty())
    kernel_floor_ = part.runs.back().end();
  kernel_open_ = part.index;
  if (part.last) {
    kernel_open_.reset();
    kernel_floor_ = 0;
    kernel_whole_ = part.index;
  }
  return true;
}

/// Checks the part against those before it, as accept_period does.
bool FrameOrder::accept_sites(const PeriodSites &part) {
  if ((sites_open_ && part.index != *sites_open_) ||
      (sites_whole_ && part.index <= *sites_whole_))
    throw Malformed{
        fmt::format("the sites of period {} are out of order", part.index)};
  if ((last_whole_ && part.index <= *last_whole_) || open_period_)
    throw Malformed{fmt::format("the sites of period {} do not come before it",
                                part.index)};
  if (part.first ? sites_open_.has_value()
                 : !sites_open_ && !lost_sites_beginning_)
    throw Malformed{fmt::format(
        "the sites of period {} begin twice or not at all", part.index)};
  if (part.first || !sites_open_) {
    sites_tid_ = 0;
    sites_floor_ = 0;
  }
  lost_sites_beginning_ = false;
  if (!part.sections.empty()) {
    const PeriodSites::Section &front = part.sections.front();
    if (front.tid < sites_tid_ ||
        (front.tid == sites_tid_ &&
         part.runs_of(front).front().first < sites_floor_))
      throw Malformed{fmt::format("the parts of the sites of period {} overlap "
                                  "or are out of order",
                                  part.index)};
    sites_tid_ = part.sections.back().tid;
    sites_floor_ = part.runs_of(part.sections.back()).back().end();
  }
  sites_open_ = part.index;
  if (part.last) {
    sites_open_.reset();
    sites_whole_ = part.index;
  }
  return true;
}

bool FrameOrder::accept_cut(const Cut &cut) {
  if (open_period_ || (last_whole_ && cut.index <= *last_whole_) ||
      (last_cut_ && cut.index <= *last_cut_))
    throw Malformed{
        fmt::format("the cut of period {} does not come before it", cut.index)};
  last_cut_ = cut.index;
  return true;
}

bool FrameOrder::accept(Frame &frame) {
  frame.lost_mappings = frame.lost_threads = false;
  context_frames_ += trace::is_context(frame.type);
  switch (frame.type) {
  case FrameType::kPeriod:
    return accept_period(frame);
  case FrameType::kKernelWrites:
    return accept_kernel_writes(frame.kernel_writes);
  case FrameType::kPeriodSites:
    return accept_sites(frame.period_sites);
  case FrameType::kCut:
    return accept_cut(frame.cut);
  case FrameType::kMappings:
    frame.lost_mappings = mappings_ != Context::kKnown;
    mappings_ = Context::kKnown;
    return true;
  case FrameType::kRegions:
    regions_ = Context::kKnown;
    return true;
  default:
    return true;
  }
}

} // namespace pagetide::tools
