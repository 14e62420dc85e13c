//===- trace_reader.cpp - Reads a trace frame by frame --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_reader.h"

#include "support/failure.h"
#include "trace/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

namespace pagetide::tools {

using trace::FrameType;

static_assert(std::endian::native == std::endian::little,
              "headers are read as they are in the file");

namespace {

/// A later minor version may have a longer header, but not an endless one.
constexpr std::uint32_t kMaxHeaderBytes = 4096;

/// What to do about a file that begins with other bytes than a trace.
const char *remedy_for(const trace::FileHeader &header, std::size_t bytes) {
  const std::string_view begin(reinterpret_cast<const char *>(&header),
                               std::min<std::size_t>(bytes, 4));
  if (begin == "\x7f"
               "ELF")
    return "it is a program: pagetide record -- ./PROGRAM makes a trace of it";
  if (begin.starts_with("\x1f\x8b") || begin == "\x28\xb5\x2f\xfd")
    return "it is compressed: unpack it first";
  return "name a file that pagetide record wrote";
}

trace::FileHeader read_header(FrameScanner &scanner, const std::string &name) {
  trace::FileHeader header = {};
  const std::size_t got = scanner.read_at(0, &header, sizeof(header));
  if (got == 0)
    throw Failure("{}: the file is empty: a program that is killed as it "
                  "begins to record leaves such a trace",
                  name);
  if (got < sizeof(header.magic) ||
      std::memcmp(header.magic, trace::kMagic, sizeof(trace::kMagic)) != 0)
    throw Failure(
        "{}: byte 0: this is no Pagetide trace (its first bytes are wrong); {}",
        name, remedy_for(header, got));
  if (got < sizeof(header))
    throw Failure(
        "{}: byte {}: the trace's header is cut off after {} of its {} bytes",
        name, got, got, sizeof(header));
  if (header.version_major != trace::kVersionMajor)
    throw Failure("{}: byte 8: the trace has format version {}.{}, this "
                  "pagetide reads version {}; use the pagetide that belongs to "
                  "the runtime that wrote it",
                  name, header.version_major, header.version_minor,
                  trace::kVersionMajor);
  if (header.hash != header_hash(header))
    throw Failure(
        "{}: byte 72: the header's hash is wrong; the header is damaged", name);
  if (header.header_bytes < sizeof(header) ||
      header.header_bytes > kMaxHeaderBytes)
    throw Failure("{}: byte 12: a header of {} bytes is not possible", name,
                  header.header_bytes);
  if (header.layout >= abi::kPlainLayoutCount)
    throw Failure("{}: byte 16: shadow layout {} is unknown to this pagetide",
                  name, header.layout);
  if (header.granule_shift < abi::kMinGranuleShift ||
      header.granule_shift > abi::kMaxGranuleShift ||
      header.cell_shift > header.granule_shift)
    throw Failure("{}: byte 20: cells of 2^{} and granules of 2^{} bytes are "
                  "not possible",
                  name, header.cell_shift, header.granule_shift);
  if (const std::uint64_t bytes = scanner.file_bytes();
      bytes < header.header_bytes)
    throw Failure("{}: byte {}: the trace's header is cut off", name, bytes);
  return header;
}

} // namespace

TraceReader::TraceReader(std::unique_ptr<ByteSource> source, std::string name)
    : scanner_(std::move(source)), name_(std::move(name)),
      header_(read_header(scanner_, name_)), order_(header_),
      offset_(header_.header_bytes) {}

TraceReader TraceReader::open(const std::string &path) {
  return TraceReader(std::make_unique<FileSource>(path), path);
}

TraceReader TraceReader::open_with_progress(const std::string &path) {
  TraceReader reader = open(path);
  reader.progress_ = std::make_unique<Progress>();
  return reader;
}

bool TraceReader::next(Frame &frame) {
  while (!finished_)
    switch (const FrameScanner::Place place = scanner_.look_at(offset_)) {
    case FrameScanner::Place::kFrame:
      if (progress_)
        progress_->at(name_, offset_, scanner_.file_bytes());
      if (take(frame))
        return true;
      break;
    case FrameScanner::Place::kEndOfFile:
      if (grows_)
        return false;
      if (const auto open = order_.open_period())
        finish(Integrity::kUnfinished,
               fmt::format("period {} lacks its last part", *open));
      else if (ended_)
        finish(Integrity::kComplete);
      else
        finish(Integrity::kUnfinished, "no End frame");
      break;
    case FrameScanner::Place::kCut:
    case FrameScanner::Place::kDamaged:
      if (!look_beyond_damage(place == FrameScanner::Place::kCut))
        return false;
      break;
    }
  return false;
}

/// Decodes the frame at offset_, whose hash the scanner has checked. False if
/// the frame cannot be used.
bool TraceReader::take(Frame &frame) {
  frame.offset = offset_;
  frame.bytes = scanner_.frame_bytes();
  frame.type = scanner_.header().type;
  bool usable = false;
  try {
    decode_frame(header_, scanner_.unpack(), frame);
    usable = order_.accept(frame);
  } catch (const Malformed &malformed) {
    skip_damage(frame.bytes, malformed.reason);
    return false;
  }
  offset_ += frame.bytes;
  // An End frame counts only if no other frame follows, of whatever type.
  ended_ = frame.type == FrameType::kEnd;
  if (ended_)
    completeness_.add_end(frame.end);
  else
    completeness_.forget_end();
  if (usable && frame.type == FrameType::kNote)
    completeness_.add_note(frame.note);
  if (usable && frame.type == FrameType::kPeriod && frame.period.last)
    completeness_.add_period(frame.period.index, order_.knows_mappings());
  return usable;
}

void TraceReader::skip_damage(std::uint64_t bytes, std::string reason) {
  if (const auto open = order_.open_period())
    completeness_.add_partial(*open);
  completeness_.add_damage(offset_, bytes, std::move(reason));
  order_.skip_damage();
  offset_ += bytes;
}

/// No sound frame begins at offset_. Goes on with the next one, if any follows.
/// False if the file must grow first.
bool TraceReader::look_beyond_damage(bool is_cut) {
  std::string reason = scanner_.reason();
  if (grows_ && is_cut)
    return false;
  if (const auto next = scanner_.find_after(offset_)) {
    // A sound frame follows, so it is this frame's size that is wrong.
    skip_damage(*next - offset_,
                is_cut ? "a frame's size is wrong" : std::move(reason));
  } else if (grows_) {
    return false;
  } else if (is_cut && !scanner_.gave_up()) {
    finish(Integrity::kCut, std::move(reason));
  } else {
    if (scanner_.gave_up())
      reason += ", and too many places behind it only look like frames";
    skip_damage(scanner_.file_bytes() - offset_, std::move(reason));
    finish(Integrity::kDamaged);
  }
  return true;
}

void TraceReader::finish(Integrity end_of_file, std::string reason) {
  finished_ = true;
  if (progress_)
    progress_->clear();
  completeness_.finish(end_of_file, offset_, std::move(reason),
                       order_.open_period());
}

} // namespace pagetide::tools
