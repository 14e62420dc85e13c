//===- trace_reader.cpp - Reads a trace frame by frame --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trace/trace_reader.h"

#include "support/failure.h"
#include "trace/hash.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace pagetide::tools {

using trace::FrameType;

static_assert(std::endian::native == std::endian::little,
              "headers are read as they stand in the file");

namespace {

/// A later minor version may have a longer header, but not an endless one.
constexpr std::uint32_t kMaxHeaderBytes = 4096;

} // namespace

/// Checks the part against those before it, as accept_period does.
void TraceReader::accept_kernel_writes(const KernelWrites &part) {
  if (kernel_open_ ? part.index != *kernel_open_
                   : kernel_whole_ && part.index <= *kernel_whole_)
    throw Malformed{fmt::format("the kernel's writes of period {} are out of "
                                "order",
                                part.index)};
  if ((last_whole_ && part.index <= *last_whole_) || open_period_)
    throw Malformed{fmt::format("the kernel's writes of period {} do not come "
                                "before it",
                                part.index)};
  if (!part.runs.empty()) {
    if (part.runs.front().first < kernel_floor_)
      throw Malformed{fmt::format("the parts of the kernel's writes of period "
                                  "{} overlap or are out of order",
                                  part.index)};
    kernel_floor_ = part.runs.back().end();
  }
  kernel_open_ = part.index;
  if (part.last) {
    kernel_open_.reset();
    kernel_floor_ = 0;
    kernel_whole_ = part.index;
  }
}

/// Checks the part against the parts and periods before it and takes note of
/// it.
void TraceReader::accept_period(const PeriodPart &part) {
  std::uint64_t first = geometry().granule_limit();
  std::uint64_t end = 0;
  for (const PeriodPart::Section &section : part.sections) {
    const std::span<const GranuleRun> runs = part.runs_of(section);
    first = std::min(first, std::uint64_t{runs.front().first});
    end = std::max(end, runs.back().end());
  }
  if (!part.checksum_runs.empty()) {
    first = std::min(first, std::uint64_t{part.checksum_runs.front().first});
    end = std::max(end, part.checksum_runs.back().end());
  }

  if (open_period_) {
    if (part.index != *open_period_)
      throw Malformed{
          fmt::format("period {} begins before the last part of period {}",
                      part.index, *open_period_)};
    if (part.start_ns != open_start_ns_ || part.end_ns != open_end_ns_)
      throw Malformed{fmt::format(
          "the parts of period {} differ in their times", part.index)};
    if (end != 0 && first < open_floor_)
      throw Malformed{fmt::format(
          "the parts of period {} overlap or are out of order", part.index)};
  } else if (last_whole_ && part.index <= *last_whole_) {
    throw Malformed{fmt::format("period {} comes after period {}", part.index,
                                *last_whole_)};
  }

  if (part.last) {
    open_period_.reset();
    open_floor_ = 0;
    last_whole_ = part.index;
    ++whole_periods_;
  } else {
    open_period_ = part.index;
    open_floor_ = std::max(open_floor_, end);
    open_start_ns_ = part.start_ns;
    open_end_ns_ = part.end_ns;
  }
}

TraceReader::TraceReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {
  const std::size_t got = source_->read(&header_, sizeof(header_));
  if (got == 0)
    throw Failure(fmt::format("{}: the file is empty: a program that is killed "
                              "as it begins to record leaves such a trace",
                              name_));
  if (got < sizeof(header_.magic) ||
      std::memcmp(header_.magic, trace::kMagic, sizeof(trace::kMagic)) != 0)
    throw Failure(fmt::format(
        "{}: byte 0: this is no Pagetide trace (its first bytes are wrong)",
        name_));
  if (got < sizeof(header_))
    throw Failure(fmt::format("{}: byte {}: the trace's header is cut off "
                              "after {} of its {} bytes",
                              name_, got, got, sizeof(header_)));
  if (header_.version_major != trace::kVersionMajor)
    throw Failure(fmt::format(
        "{}: byte 8: the trace has format version {}.{}, this pagetide reads "
        "version {}; use the pagetide that belongs to the runtime that wrote "
        "it",
        name_, header_.version_major, header_.version_minor,
        trace::kVersionMajor));
  if (header_.hash != header_hash(header_))
    throw Failure(fmt::format(
        "{}: byte 72: the header's hash is wrong; the header is damaged",
        name_));
  if (header_.header_bytes < sizeof(header_) ||
      header_.header_bytes > kMaxHeaderBytes)
    throw Failure(fmt::format("{}: byte 12: a header of {} bytes is not "
                              "possible",
                              name_, header_.header_bytes));
  if (header_.layout >= abi::kLayoutCount)
    throw Failure(
        fmt::format("{}: byte 16: shadow layout {} is unknown to this pagetide",
                    name_, header_.layout));
  if (header_.granule_shift < abi::kMinGranuleShift ||
      header_.granule_shift > abi::kMaxGranuleShift ||
      header_.cell_shift > header_.granule_shift)
    throw Failure(fmt::format("{}: byte 20: cells of 2^{} and granules of "
                              "2^{} bytes are not possible",
                              name_, header_.cell_shift,
                              header_.granule_shift));
  offset_ = sizeof(header_);
  while (offset_ < header_.header_bytes) {
    std::uint8_t skipped[256];
    const std::size_t want =
        std::min<std::size_t>(sizeof(skipped), header_.header_bytes - offset_);
    const std::size_t skip = source_->read(skipped, want);
    offset_ += skip;
    if (skip < want)
      throw Failure(fmt::format("{}: byte {}: the trace's header is cut off",
                                name_, offset_));
  }
  decompressor_ = ZSTD_createDCtx();
  if (!decompressor_)
    throw std::bad_alloc();
}

TraceReader::~TraceReader() { ZSTD_freeDCtx(decompressor_); }

TraceReader::TraceReader(TraceReader &&other) noexcept
    : source_(std::move(other.source_)), name_(std::move(other.name_)),
      header_(other.header_),
      decompressor_(std::exchange(other.decompressor_, nullptr)),
      stored_(std::move(other.stored_)), raw_(std::move(other.raw_)),
      offset_(other.offset_), ended_(other.ended_), stopped_(other.stopped_),
      integrity_(other.integrity_), stop_reason_(std::move(other.stop_reason_)),
      whole_periods_(other.whole_periods_), last_whole_(other.last_whole_),
      open_period_(other.open_period_), open_floor_(other.open_floor_),
      open_start_ns_(other.open_start_ns_), open_end_ns_(other.open_end_ns_),
      kernel_open_(other.kernel_open_), kernel_whole_(other.kernel_whole_),
      kernel_floor_(other.kernel_floor_) {}

TraceReader TraceReader::open(const std::string &path) {
  return TraceReader(std::make_unique<FileSource>(path), path);
}

bool TraceReader::stop(Integrity integrity, std::string reason) {
  stopped_ = true;
  integrity_ = integrity;
  stop_reason_ = std::move(reason);
  return false;
}

bool TraceReader::next(Frame &frame) {
  if (stopped_)
    return false;
  trace::FrameHeader header;
  const std::size_t got = source_->read(&header, sizeof(header));
  if (got == 0) {
    if (open_period_)
      return stop(Integrity::kUnfinished,
                  fmt::format("period {} lacks its last part", *open_period_));
    return ended_ ? stop(Integrity::kComplete, "")
                  : stop(Integrity::kUnfinished, "no End frame");
  }
  if (got < sizeof(header))
    return stop(Integrity::kCut,
                fmt::format("a frame's header is cut off after {} of its {} "
                            "bytes",
                            got, sizeof(header)));
  if (header.magic != trace::kFrameMagic)
    return stop(Integrity::kDamaged, "no frame begins here");
  if (header.stored_bytes > trace::kMaxFrameBytes ||
      header.raw_bytes > trace::kMaxFrameBytes)
    return stop(Integrity::kDamaged,
                fmt::format("a frame of {} bytes ({} unpacked) exceeds the "
                            "format's bound of {}",
                            header.stored_bytes, header.raw_bytes,
                            trace::kMaxFrameBytes));
  const bool is_raw = header.flags & trace::kFrameRaw;
  if (is_raw && header.stored_bytes != header.raw_bytes)
    return stop(Integrity::kDamaged,
                "an uncompressed frame has two different sizes");
  stored_.resize(header.stored_bytes);
  const std::size_t payload = source_->read(stored_.data(), stored_.size());
  if (payload < stored_.size())
    return stop(Integrity::kCut,
                fmt::format("a frame's payload is cut off after {} of its {} "
                            "bytes",
                            payload, stored_.size()));
  if (header.hash != frame_hash(header, stored_.data()))
    return stop(Integrity::kDamaged, "the frame's hash is wrong");

  std::span<const std::uint8_t> content = stored_;
  if (!is_raw) {
    raw_.resize(header.raw_bytes);
    const std::size_t size =
        ZSTD_decompressDCtx(decompressor_, raw_.data(), raw_.size(),
                            stored_.data(), stored_.size());
    if (ZSTD_isError(size))
      return stop(Integrity::kDamaged,
                  fmt::format("the frame cannot be unpacked: {}",
                              ZSTD_getErrorName(size)));
    if (size != raw_.size())
      return stop(Integrity::kDamaged,
                  fmt::format("the frame unpacks to {} bytes instead of {}",
                              size, raw_.size()));
    content = raw_;
  }
  frame.offset = offset_;
  frame.bytes = sizeof(header) + stored_.size();
  frame.type = header.type;
  try {
    decode_frame(header_, content, frame);
    // The frame's place among the others.
    if (frame.type == FrameType::kPeriod)
      accept_period(frame.period);
    if (frame.type == FrameType::kKernelWrites)
      accept_kernel_writes(frame.kernel_writes);
  } catch (const Malformed &malformed) {
    return stop(Integrity::kDamaged, malformed.reason);
  }
  offset_ += frame.bytes;
  // A frame of an unknown type says nothing about whether the process ended.
  ended_ = frame.type == FrameType::kEnd;
  return true;
}

std::string TraceReader::stop_message() const {
  if (!stopped_ || integrity_ == Integrity::kComplete)
    return {};
  const std::string periods =
      !last_whole_ ? std::string("no whole period came before")
                   : fmt::format("{} whole period{}, up to period {}, came "
                                 "before",
                                 whole_periods_, whole_periods_ == 1 ? "" : "s",
                                 *last_whole_);
  const std::string open =
      open_period_ ? fmt::format(", and a part of period {}", *open_period_)
                   : std::string();
  return fmt::format("{}: byte {}: {}; {}{}", name_, offset_, stop_reason_,
                     periods, open);
}

} // namespace pagetide::tools
