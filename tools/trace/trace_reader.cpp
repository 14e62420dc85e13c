//===- trace_reader.cpp - Reads a trace frame by frame --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trace/trace_reader.h"

#include "support/failure.h"
#include "trace/hash.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pagetide::tools {

using trace::FrameType;

static_assert(std::endian::native == std::endian::little,
              "headers are read as they stand in the file");

namespace {

constexpr std::size_t kReadAhead = 256 * 1024;
/// A later minor version may have a longer header, but not an endless one.
constexpr std::uint32_t kMaxHeaderBytes = 4096;

/// Thrown and caught within the reader: the payload is not what the format
/// says.
struct Malformed {
  std::string reason;
};

} // namespace

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

FileSource::FileSource(const std::string &path)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), name_(path),
      buffer_(kReadAhead) {
  if (!fd_)
    throw Failure(
        fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  struct stat status;
  if (::fstat(fd_.get(), &status) != 0)
    throw Failure(
        fmt::format("{}: cannot be examined: {}", path, std::strerror(errno)));
  if (!S_ISREG(status.st_mode))
    throw Failure(
        fmt::format("{}: is no regular file, so it is no trace", path));
}

FileSource::FileSource(UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)), buffer_(kReadAhead) {}

std::size_t FileSource::read(void *buffer, std::size_t bytes) {
  auto *out = static_cast<std::uint8_t *>(buffer);
  std::size_t done = 0;
  while (done < bytes) {
    if (taken_ == buffered_) {
      const ssize_t got = ::read(fd_.get(), buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        throw Failure(
            fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
      if (got == 0)
        break;
      buffered_ = static_cast<std::size_t>(got);
      taken_ = 0;
    }
    const std::size_t step = std::min(bytes - done, buffered_ - taken_);
    std::memcpy(out + done, buffer_.data() + taken_, step);
    taken_ += step;
    done += step;
  }
  return done;
}

std::size_t MemorySource::read(void *buffer, std::size_t bytes) {
  const std::size_t step = std::min(bytes, bytes_.size());
  if (step != 0)
    std::memcpy(buffer, bytes_.data(), step);
  bytes_ = bytes_.subspan(step);
  return step;
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

/// Takes values from the front of a payload; throws Malformed where it runs
/// out. `what` names the value in the message.
class TraceReader::Cursor {
public:
  explicit Cursor(std::span<const std::uint8_t> payload)
      : at_(payload.data()), end_(payload.data() + payload.size()) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint64_t varint(const char *what) {
    std::uint64_t value;
    const std::uint8_t *next = trace::get_varint(at_, end_, value);
    if (!next)
      throw Malformed{
          fmt::format("{}: the number is cut off or too long", what)};
    at_ = next;
    return value;
  }

  std::uint32_t tid() {
    const std::uint64_t value = varint("thread id");
    if (value > UINT32_MAX)
      throw Malformed{fmt::format("thread id {} is out of range", value)};
    return static_cast<std::uint32_t>(value);
  }

  std::uint8_t byte(const char *what) {
    if (at_ == end_)
      throw Malformed{fmt::format("{}: missing", what)};
    return *at_++;
  }

  std::uint64_t u64(const char *what) {
    if (left() < 8)
      throw Malformed{fmt::format("{}: cut off", what)};
    std::uint64_t value;
    std::memcpy(&value, at_, 8);
    at_ += 8;
    return value;
  }

  std::string string(const char *what) {
    const std::uint64_t bytes = varint(what);
    if (bytes > left())
      throw Malformed{fmt::format("{}: {} bytes of text where {} are left",
                                  what, bytes, left())};
    std::string text(reinterpret_cast<const char *>(at_), bytes);
    at_ += bytes;
    return text;
  }

private:
  const std::uint8_t *at_;
  const std::uint8_t *end_;
};

void TraceReader::decode(Cursor &cursor, Frame &frame) {
  switch (frame.type) {
  case FrameType::kProcess: {
    frame.process.executable = cursor.string("executable");
    frame.process.arguments.clear();
    for (std::uint64_t i = 0, n = cursor.varint("argument count"); i < n; ++i)
      frame.process.arguments.push_back(cursor.string("argument"));
    frame.process.options = cursor.string("options");
    frame.process.engine = cursor.string("engine");
    if (frame.process.engine == "shadow") // as early runtimes called it
      frame.process.engine = "marks";
    frame.process.runtime_version = cursor.string("runtime version");
    break;
  }
  case FrameType::kMappings: {
    frame.mappings.time_ns = cursor.varint("mappings' time");
    frame.mappings.mappings.clear();
    std::uint64_t floor = 0;
    for (std::uint64_t i = 0, n = cursor.varint("mapping count"); i < n; ++i) {
      Mapping mapping;
      mapping.start = cursor.varint("mapping's start");
      mapping.bytes = cursor.varint("mapping's size");
      mapping.protection = cursor.varint("mapping's protection");
      mapping.offset = cursor.varint("mapping's offset");
      mapping.name = cursor.string("mapping's name");
      if (mapping.start < floor)
        throw Malformed{
            fmt::format("mapping {:#x} is out of order", mapping.start)};
      if (__builtin_add_overflow(mapping.start, mapping.bytes, &floor))
        throw Malformed{fmt::format("mapping {:#x} of {:#x} bytes wraps around",
                                    mapping.start, mapping.bytes)};
      frame.mappings.mappings.push_back(std::move(mapping));
    }
    break;
  }
  case FrameType::kThreads: {
    frame.threads.records.clear();
    for (std::uint64_t i = 0, n = cursor.varint("thread count"); i < n; ++i) {
      ThreadRecord record;
      const std::uint8_t event = cursor.byte("thread event");
      if (event > static_cast<std::uint8_t>(trace::ThreadEvent::kEnd))
        throw Malformed{fmt::format("thread event {} is unknown", event)};
      record.event = static_cast<trace::ThreadEvent>(event);
      record.tid = cursor.tid();
      record.time_ns = cursor.varint("thread event's time");
      record.name = cursor.string("thread's name");
      frame.threads.records.push_back(std::move(record));
    }
    break;
  }
  case FrameType::kPeriod:
    decode_period(cursor, frame.period);
    break;
  case FrameType::kNote:
    frame.note.time_ns = cursor.varint("note's time");
    frame.note.period = cursor.varint("note's period");
    frame.note.code = static_cast<trace::NoteCode>(cursor.byte("note's code"));
    frame.note.text = cursor.string("note's text");
    break;
  case FrameType::kEnd:
    frame.end.time_ns = cursor.varint("end's time");
    frame.end.reason =
        static_cast<trace::EndReason>(cursor.byte("end's reason"));
    frame.end.detail = cursor.varint("end's detail");
    break;
  case FrameType::kKernelWrites:
    decode_kernel_writes(cursor, frame.kernel_writes);
    break;
  case FrameType::kRegions: {
    frame.regions.time_ns = cursor.varint("regions' time");
    frame.regions.regions.clear();
    for (std::uint64_t i = 0, n = cursor.varint("region count"); i < n; ++i) {
      Region region;
      region.kind =
          static_cast<trace::RegionKind>(cursor.byte("region's kind"));
      region.start = cursor.varint("region's start");
      region.bytes = cursor.varint("region's size");
      region.tid = cursor.tid();
      region.text = cursor.string("region's text");
      std::uint64_t end;
      if (__builtin_add_overflow(region.start, region.bytes, &end))
        throw Malformed{fmt::format("region {:#x} of {:#x} bytes wraps around",
                                    region.start, region.bytes)};
      frame.regions.regions.push_back(std::move(region));
    }
    break;
  }
  default:
    return; // skipped, whatever is in it
  }
  if (cursor.left() != 0 && header_.version_minor <= trace::kVersionMinor)
    throw Malformed{
        fmt::format("{} bytes follow the frame's content", cursor.left())};
  if (frame.type == FrameType::kPeriod)
    accept_period(frame.period);
  if (frame.type == FrameType::kKernelWrites)
    accept_kernel_writes(frame.kernel_writes);
}

/// One past the last page of the address space.
std::uint64_t TraceReader::page_limit() const {
  return (std::uint64_t{1} << abi::kAddressBits) / header_.page_bytes;
}

/// One past the granules, or pages, of a run that begins `gap` after
/// `position`.
static std::uint64_t end_of_run(std::uint64_t limit, std::uint64_t position,
                                std::uint64_t gap,
                                std::uint64_t count_less_one) {
  // Everything is below 2^64 / 4 once compared with the limit.
  if (gap >= limit || count_less_one >= limit ||
      position + gap + count_less_one >= limit)
    throw Malformed{"a run lies outside the address space"};
  return position + gap + count_less_one + 1;
}

void TraceReader::decode_kernel_writes(Cursor &cursor, KernelWrites &part) {
  if (header_.page_bytes < 4096 || !std::has_single_bit(header_.page_bytes))
    throw Malformed{
        fmt::format("pages of {} bytes are not possible", header_.page_bytes)};
  part.runs.clear();
  part.index = cursor.varint("period's index");
  const std::uint8_t part_flags = cursor.byte("part's flags");
  part.last = part_flags & trace::kPartLast;
  part.exiting = part_flags & trace::kPartExiting;
  part.time_ns = cursor.varint("kernel writes' time");
  std::uint64_t position = 0;
  for (std::uint64_t run = 0, n = cursor.varint("run count"); run < n; ++run) {
    const std::uint64_t gap = cursor.varint("run's gap");
    const std::uint64_t count_less_one = cursor.varint("run's length");
    const std::uint8_t flags = cursor.byte("run's flags");
    const std::uint64_t end =
        end_of_run(page_limit(), position, gap, count_less_one);
    part.runs.push_back({position + gap, count_less_one + 1, flags});
    position = end;
  }
}

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

void TraceReader::decode_period(Cursor &cursor, PeriodPart &part) {
  part.clear();
  part.index = cursor.varint("period's index");
  part.last = cursor.byte("part's flags") & trace::kPartLast;
  part.flags = cursor.byte("period's flags");
  part.start_ns = cursor.varint("period's start");
  if (__builtin_add_overflow(part.start_ns, cursor.varint("period's length"),
                             &part.end_ns))
    throw Malformed{"the period's end is out of range"};
  part.overruns = cursor.varint("overruns");

  const std::uint64_t limit = geometry().granule_limit();
  const auto run_end = [limit](std::uint64_t position, std::uint64_t gap,
                               std::uint64_t count_less_one) {
    return end_of_run(limit, position, gap, count_less_one);
  };

  const std::uint64_t sections = cursor.varint("section count");
  std::optional<std::uint32_t> previous_tid;
  for (std::uint64_t i = 0; i < sections; ++i) {
    const std::uint32_t tid = cursor.tid();
    if (previous_tid && tid <= *previous_tid)
      throw Malformed{fmt::format("thread {} is out of order", tid)};
    previous_tid = tid;
    if (tid != 0 && !(header_.flags & trace::kHeaderPerThread))
      throw Malformed{
          fmt::format("thread {} in a trace that is not per thread", tid)};
    const std::size_t first_run = part.runs.size();
    std::uint64_t position = 0;
    for (std::uint64_t run = 0, n = cursor.varint("run count"); run < n;
         ++run) {
      const std::uint64_t gap = cursor.varint("run's gap");
      const std::uint64_t count_less_one = cursor.varint("run's length");
      const std::uint8_t flags = cursor.byte("run's flags");
      if (flags == 0)
        throw Malformed{"a run says nothing of its granules"};
      const std::uint64_t end = run_end(position, gap, count_less_one);
      part.runs.push_back({position + gap, count_less_one + 1, flags});
      position = end;
    }
    if (part.runs.size() != first_run)
      part.sections.push_back({tid, first_run, part.runs.size() - first_run});
  }

  std::uint64_t position = 0;
  std::uint64_t hashes = 0;
  for (std::uint64_t run = 0, n = cursor.varint("checksum run count"); run < n;
       ++run) {
    const std::uint64_t gap = cursor.varint("checksum run's gap");
    const std::uint64_t count_less_one = cursor.varint("checksum run's length");
    const std::uint8_t state = cursor.byte("checksum run's state");
    if (state > static_cast<std::uint8_t>(trace::ChecksumState::kUnreadable))
      throw Malformed{fmt::format("checksum state {} is unknown", state)};
    const std::uint64_t end = run_end(position, gap, count_less_one);
    part.checksum_runs.push_back({position + gap, count_less_one + 1, state});
    position = end;
    if (part.checksum_runs.back().stable())
      hashes += count_less_one + 1;
    if (hashes > cursor.left() / 8)
      throw Malformed{"more stable granules than hashes"};
  }
  if (hashes > cursor.left() / 8)
    throw Malformed{"more stable granules than hashes"};
  part.hashes.reserve(hashes);
  for (std::uint64_t i = 0; i < hashes; ++i)
    part.hashes.push_back(cursor.u64("hash"));

  if (part.last) {
    part.combined = cursor.u64("combined checksum");
    part.stable = cursor.varint("stable count");
    part.left_out = cursor.varint("left-out count");
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

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

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
  Cursor cursor(content);
  try {
    decode(cursor, frame);
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
