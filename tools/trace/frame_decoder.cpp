//===- frame_decoder.cpp - From the payload of a frame to a record --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/frame_decoder.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

namespace pagetide::tools {

using trace::FrameType;

namespace {

/// Takes values from the front of a payload. Throws Malformed if the payload is
/// too short. `what` names the value in the message.
class Cursor {
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

/// One past the last page of the address space.
std::uint64_t page_limit(const trace::FileHeader &header) {
  return (std::uint64_t{1} << abi::kAddressBits) / header.page_bytes;
}

/// One past the granules, or pages, of a run that begins `gap` after
/// `position`.
std::uint64_t end_of_run(std::uint64_t limit, std::uint64_t position,
                         std::uint64_t gap, std::uint64_t count_less_one) {
  // Everything is below 2^64 / 4 once compared with the limit.
  if (gap >= limit || count_less_one >= limit ||
      position + gap + count_less_one >= limit)
    throw Malformed{"a run lies outside the address space"};
  return position + gap + count_less_one + 1;
}

/// Calls take(first, count) for each run, behind whose length `take` reads the
/// rest of it.
template <typename Take>
void decode_runs(Cursor &cursor, std::uint64_t limit, Take take) {
  std::uint64_t position = 0;
  for (std::uint64_t run = 0, n = cursor.varint("run count"); run < n; ++run) {
    const std::uint64_t gap = cursor.varint("run's gap");
    const std::uint64_t count_less_one = cursor.varint("run's length");
    position = end_of_run(limit, position, gap, count_less_one);
    take(position - count_less_one - 1, count_less_one + 1);
  }
}

/// Calls runs_of(tid) for each section, which takes its runs.
template <typename Part, typename RunsOf>
void decode_sections(Cursor &cursor, Part &part, RunsOf runs_of) {
  std::optional<std::uint32_t> previous_tid;
  for (std::uint64_t i = 0, n = cursor.varint("section count"); i < n; ++i) {
    const std::uint32_t tid = cursor.tid();
    if (previous_tid && tid <= *previous_tid)
      throw Malformed{fmt::format("thread {} is out of order", tid)};
    previous_tid = tid;
    const std::size_t first_run = part.runs.size();
    runs_of(tid);
    if (part.runs.size() != first_run)
      part.sections.push_back({tid, first_run, part.runs.size() - first_run});
  }
}

template <typename Part> void decode_times(Cursor &cursor, Part &part) {
  part.start_ns = cursor.varint("period's start");
  if (__builtin_add_overflow(part.start_ns, cursor.varint("period's length"),
                             &part.end_ns))
    throw Malformed{"the period's end is out of range"};
}

std::uint64_t period_index(Cursor &cursor) {
  const std::uint64_t index = cursor.varint("period's index");
  if (index == UINT64_MAX)
    throw Malformed{"the period's index is out of range"};
  return index;
}

void decode_kernel_writes(const trace::FileHeader &header, Cursor &cursor,
                          KernelWrites &part) {
  if (header.page_bytes < 4096 || !std::has_single_bit(header.page_bytes))
    throw Malformed{
        fmt::format("pages of {} bytes are not possible", header.page_bytes)};
  part.runs.clear();
  part.index = period_index(cursor);
  const std::uint8_t part_flags = cursor.byte("part's flags");
  part.last = part_flags & trace::kPartLast;
  part.exiting = part_flags & trace::kPartExiting;
  part.time_ns = cursor.varint("kernel writes' time");
  decode_runs(cursor, page_limit(header),
              [&](std::uint64_t first, std::uint64_t count) {
                part.runs.push_back({first, count, cursor.byte("run's flags")});
              });
}

void decode_period(const trace::FileHeader &header, Cursor &cursor,
                   PeriodPart &part) {
  part.clear();
  part.index = period_index(cursor);
  const std::uint8_t part_flags = cursor.byte("part's flags");
  part.first = part_flags & trace::kPartFirst;
  part.last = part_flags & trace::kPartLast;
  part.flags = cursor.byte("period's flags");
  decode_times(cursor, part);
  part.overruns = cursor.varint("overruns");
  const std::uint64_t limit = geometry_of(header).granule_limit();
  decode_sections(cursor, part, [&](std::uint32_t tid) {
    if (tid != 0 && !(header.flags & trace::kHeaderPerThread))
      throw Malformed{
          fmt::format("thread {} in a trace that is not per thread", tid)};
    decode_runs(cursor, limit, [&](std::uint64_t first, std::uint64_t count) {
      const std::uint8_t flags = cursor.byte("run's flags");
      if (flags == 0)
        throw Malformed{"a run says nothing of its granules"};
      part.runs.push_back({first, count, flags});
    });
  });

  std::uint64_t hashes = 0;
  decode_runs(cursor, limit, [&](std::uint64_t first, std::uint64_t count) {
    const std::uint8_t state = cursor.byte("checksum run's state");
    if (state > static_cast<std::uint8_t>(trace::ChecksumState::kUnreadable))
      throw Malformed{fmt::format("checksum state {} is unknown", state)};
    part.checksum_runs.push_back({first, count, state});
    if (part.checksum_runs.back().stable())
      hashes += count;
    if (hashes > cursor.left() / 8)
      throw Malformed{"more stable granules than hashes"};
  });
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
  if (header.version_minor >= trace::kMinorWithCounts)
    part.context = cursor.varint("count of frames before");
  if (!(header.flags & trace::kHeaderRelativeHashes))
    return;
  if (hashes > cursor.left() / 8)
    throw Malformed{"fewer relative hashes than hashes"};
  part.relative_hashes.reserve(hashes);
  for (std::uint64_t i = 0; i < hashes; ++i)
    part.relative_hashes.push_back(cursor.u64("relative hash"));
}

void decode_cut(Cursor &cursor, Cut &cut) {
  cut.index = period_index(cursor);
  cut.time_ns = cursor.varint("cut's time");
  cut.pause_ns = cursor.varint("cut's pause");
  cut.marked = cursor.varint("cut's marked granules");
  cut.unsettled = cursor.varint("cut's unsettled granules");
  cut.rounds = cursor.varint("cut's rounds");
  cut.reason = cursor.string("cut's reason");
  if ((cut.time_ns == 0) == cut.reason.empty())
    throw Malformed{fmt::format("period {} has both a cut and a reason for "
                                "having none, or neither",
                                cut.index)};
}

SitePlace decode_place(Cursor &cursor, std::size_t strings) {
  const auto string = [&] {
    const std::uint64_t index = cursor.varint("site's text");
    if (index >= strings)
      throw Malformed{fmt::format("a site has text {} of {}", index, strings)};
    return static_cast<std::uint32_t>(index);
  };
  SitePlace place;
  place.function = string();
  place.file = string();
  place.line = cursor.varint("site's line");
  const std::uint64_t column = cursor.varint("site's column");
  if (column > UINT32_MAX)
    throw Malformed{fmt::format("column {} is out of range", column)};
  place.column = static_cast<std::uint32_t>(column);
  return place;
}

/// A table of the format's greatest size must not need much more memory.
constexpr std::uint64_t kMaxSiteStrings = 1 << 20;

void decode_site_table(Cursor &cursor, SiteTablePart &table) {
  table.strings.clear();
  table.sites.clear();
  table.callers.clear();
  const std::uint64_t strings = cursor.varint("text count");
  if (strings > kMaxSiteStrings)
    throw Malformed{fmt::format("a table of sites with {} texts", strings)};
  for (std::uint64_t i = 0; i < strings; ++i)
    table.strings.push_back(cursor.string("site's text"));
  for (std::uint64_t i = 0, n = cursor.varint("site count"); i < n; ++i) {
    const std::uint64_t id = cursor.varint("site's id");
    if (id == 0 || id >= trace::kSiteMay)
      throw Malformed{fmt::format("site id {} is out of range", id)};
    SiteTablePart::Site site;
    site.id = static_cast<std::uint32_t>(id);
    site.kind = cursor.byte("site's kind");
    site.place = decode_place(cursor, table.strings.size());
    site.first_caller = table.callers.size();
    site.caller_count = cursor.varint("caller count");
    for (std::uint64_t caller = 0; caller < site.caller_count; ++caller)
      table.callers.push_back(decode_place(cursor, table.strings.size()));
    table.sites.push_back(site);
  }
}

std::uint32_t decode_site(Cursor &cursor) {
  const std::uint64_t site = cursor.varint("run's site");
  if (site > UINT32_MAX || site == trace::kSiteMay)
    throw Malformed{fmt::format("site {} is out of range", site)};
  return static_cast<std::uint32_t>(site);
}

void decode_period_sites(const trace::FileHeader &header, Cursor &cursor,
                         PeriodSites &part) {
  part.sections.clear();
  part.runs.clear();
  part.index = period_index(cursor);
  const std::uint8_t part_flags = cursor.byte("part's flags");
  part.first = part_flags & trace::kPartFirst;
  part.last = part_flags & trace::kPartLast;
  decode_times(cursor, part);
  const std::uint64_t limit = geometry_of(header).granule_limit();
  decode_sections(cursor, part, [&](std::uint32_t) {
    decode_runs(cursor, limit, [&](std::uint64_t first, std::uint64_t count) {
      const std::uint32_t read = decode_site(cursor);
      const std::uint32_t write = decode_site(cursor);
      if (read == 0 && write == 0)
        throw Malformed{"a run has no site"};
      part.runs.push_back({first, count, read, write});
    });
  });
}

} // namespace

void decode_frame(const trace::FileHeader &header,
                  std::span<const std::uint8_t> payload, Frame &frame) {
  Cursor cursor(payload);
  switch (frame.type) {
  case FrameType::kRunId:
    for (std::uint8_t &byte : frame.run_id.bytes)
      byte = cursor.byte("run's id");
    break;
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
    if (header.version_minor < trace::kMinorWithSharedObjects)
      break;
    for (Mapping &mapping : frame.mappings.mappings)
      if (mapping.protection & trace::kMappingShared) {
        mapping.device = cursor.varint("shared mapping's device");
        mapping.inode = cursor.varint("shared mapping's inode");
      }
    break;
  }
  case FrameType::kThreads: {
    frame.threads.records.clear();
    for (std::uint64_t i = 0, n = cursor.varint("thread count"); i < n; ++i) {
      ThreadRecord record;
      const std::uint8_t event = cursor.byte("thread event");
      if (event > static_cast<std::uint8_t>(trace::ThreadEvent::kExactSince))
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
    decode_period(header, cursor, frame.period);
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
    frame.end.periods.reset();
    if (header.version_minor >= trace::kMinorWithCounts)
      frame.end.periods = cursor.varint("period count");
    break;
  case FrameType::kKernelWrites:
    decode_kernel_writes(header, cursor, frame.kernel_writes);
    break;
  case FrameType::kCut:
    decode_cut(cursor, frame.cut);
    break;
  case FrameType::kSiteTable:
    decode_site_table(cursor, frame.site_table);
    break;
  case FrameType::kPeriodSites:
    decode_period_sites(header, cursor, frame.period_sites);
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
  if (cursor.left() != 0 && header.version_minor <= trace::kVersionMinor)
    throw Malformed{
        fmt::format("{} bytes follow the frame's content", cursor.left())};
}

} // namespace pagetide::tools
