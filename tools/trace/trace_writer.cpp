//===- trace_writer.cpp - Writes the frames of a trace --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_writer.h"

#include "support/failure.h"
#include "trace/hash.h"

#include "pagetide/trace_encoding.h"

#include <unistd.h>

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pagetide::tools {

namespace {

constexpr int kCompressionLevel = 3;

using Encoder = trace::PayloadEncoder<Bytes>;

trace::Text text_of(const std::string &text) {
  return {text.data(), text.size()};
}

/// The granules of a period that lie in [from, to), as a part of it.
PeriodPart clipped(const PeriodPart &period, std::uint64_t from,
                   std::uint64_t to) {
  PeriodPart part;
  part.index = period.index;
  part.flags = period.flags;
  part.start_ns = period.start_ns;
  part.end_ns = period.end_ns;
  part.overruns = period.overruns;
  part.context = period.context;
  part.first = part.last = false;
  std::vector<GranuleRun> kept;
  for (const PeriodPart::Section &section : period.sections) {
    kept.clear();
    for (const GranuleRun &run : period.runs_of(section)) {
      const std::uint64_t first = std::max(std::uint64_t{run.first}, from);
      const std::uint64_t end = std::min(run.end(), to);
      if (first < end)
        kept.push_back({first, end - first, run.flags});
    }
    if (!kept.empty())
      part.add_section(section.tid, kept);
  }
  std::size_t hash = 0;
  for (const ChecksumRun &run : period.checksum_runs) {
    const std::uint64_t first = std::max(std::uint64_t{run.first}, from);
    const std::uint64_t end = std::min(run.end(), to);
    if (first < end) {
      part.checksum_runs.push_back({first, end - first, run.state});
      if (run.stable()) {
        const auto begin =
            period.hashes.begin() +
            static_cast<std::ptrdiff_t>(hash + first - run.first);
        const auto count = static_cast<std::ptrdiff_t>(end - first);
        part.hashes.insert(part.hashes.end(), begin, begin + count);
        if (!period.relative_hashes.empty()) {
          const auto relative =
              period.relative_hashes.begin() + (begin - period.hashes.begin());
          part.relative_hashes.insert(part.relative_hashes.end(), relative,
                                      relative + count);
        }
      }
    }
    if (run.stable())
      hash += run.count;
  }
  return part;
}

/// All granules of a period lie in [first, end). If it has none, end is 0.
struct Extent {
  std::uint64_t first = UINT64_MAX;
  std::uint64_t end = 0;
};

Extent extent_of(const PeriodPart &period) {
  Extent extent;
  for (const PeriodPart::Section &section : period.sections) {
    const std::span<const GranuleRun> runs = period.runs_of(section);
    extent.first = std::min(extent.first, std::uint64_t{runs.front().first});
    extent.end = std::max(extent.end, runs.back().end());
  }
  if (!period.checksum_runs.empty()) {
    extent.first = std::min(extent.first,
                            std::uint64_t{period.checksum_runs.front().first});
    extent.end = std::max(extent.end, period.checksum_runs.back().end());
  }
  return extent;
}

/// Halves the period's extent until the parts are small enough. Appends the
/// parts.
void cut_into_parts(PeriodPart period, std::size_t part_bytes,
                    std::vector<PeriodPart> &parts) {
  const Extent extent = extent_of(period);
  if (extent.end == 0)
    return;
  if (extent.end - extent.first > 1 && encode(period).size() > part_bytes) {
    const std::uint64_t middle = extent.first + (extent.end - extent.first) / 2;
    cut_into_parts(clipped(period, extent.first, middle), part_bytes, parts);
    cut_into_parts(clipped(period, middle, extent.end), part_bytes, parts);
    return;
  }
  parts.push_back(std::move(period));
}

std::uint8_t byte_of(const GranuleRun &run) { return run.flags; }
std::uint8_t byte_of(const ChecksumRun &run) { return run.state; }

template <typename Runs> void put_runs(Encoder &encoder, const Runs &runs) {
  for (const auto &run : runs)
    encoder.run(run.first, run.count, byte_of(run));
}

} // namespace

void FdSink::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      throw Failure("{}: cannot be written: {}", name_, std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

trace::FileHeader finished_header(trace::FileHeader header) {
  std::memcpy(header.magic, trace::kMagic, sizeof(header.magic));
  header.version_major = trace::kVersionMajor;
  header.version_minor = trace::kVersionMinor;
  header.header_bytes = sizeof(header);
  header.hash = header_hash(header);
  return header;
}

Bytes encode(const RunId &id) {
  return Bytes(id.bytes.begin(), id.bytes.end());
}

Bytes encode(const Process &process) {
  Bytes out;
  Encoder encoder(out);
  encoder.process(text_of(process.executable), process.arguments.size());
  for (const std::string &argument : process.arguments)
    encoder.string(text_of(argument));
  encoder.process_end(text_of(process.options), text_of(process.engine),
                      text_of(process.runtime_version));
  return out;
}

Bytes encode(const Mappings &mappings) {
  Bytes out;
  Encoder encoder(out);
  encoder.mappings(mappings.time_ns, mappings.mappings.size());
  for (const Mapping &mapping : mappings.mappings)
    encoder.mapping(mapping.start, mapping.bytes, mapping.protection,
                    mapping.offset, text_of(mapping.name));
  for (const Mapping &mapping : mappings.mappings)
    if (mapping.protection & trace::kMappingShared)
      encoder.shared_object(mapping.device, mapping.inode);
  return out;
}

Bytes encode(const Threads &threads) {
  Bytes out;
  Encoder encoder(out);
  encoder.threads(threads.records.size());
  for (const ThreadRecord &record : threads.records)
    encoder.thread(record.event, record.tid, record.time_ns,
                   text_of(record.name));
  return out;
}

Bytes encode(const Note &note) {
  Bytes out;
  Encoder(out).note(note.time_ns, note.period, note.code, text_of(note.text));
  return out;
}

Bytes encode(const End &end) {
  Bytes out;
  Encoder(out).end(end.time_ns, end.reason, end.detail,
                   end.periods.value_or(0));
  return out;
}

Bytes encode(const PeriodPart &part) {
  Bytes out;
  Encoder encoder(out);
  encoder.period(
      part.index,
      static_cast<std::uint8_t>((part.first ? trace::kPartFirst : 0) |
                                (part.last ? trace::kPartLast : 0)),
      part.flags, part.start_ns, part.end_ns, part.overruns);
  encoder.sections(part.sections.size());
  for (const PeriodPart::Section &section : part.sections) {
    encoder.section(section.tid, section.run_count);
    put_runs(encoder, part.runs_of(section));
  }
  encoder.checksums(part.checksum_runs.size());
  put_runs(encoder, part.checksum_runs);
  for (const std::uint64_t hash : part.hashes)
    encoder.u64(hash);
  if (part.last)
    encoder.period_sums(part.combined, part.stable, part.left_out);
  encoder.part_end(part.context);
  for (const std::uint64_t hash : part.relative_hashes)
    encoder.u64(hash);
  return out;
}

Bytes encode(const KernelWrites &part) {
  Bytes out;
  Encoder encoder(out);
  encoder.kernel_writes(
      part.index,
      static_cast<std::uint8_t>((part.last ? trace::kPartLast : 0) |
                                (part.exiting ? trace::kPartExiting : 0)),
      part.time_ns, part.runs.size());
  put_runs(encoder, part.runs);
  return out;
}

Bytes encode(const Cut &cut) {
  Bytes out;
  Encoder(out).cut(cut.index, cut.time_ns, cut.pause_ns, cut.marked,
                   cut.unsettled, cut.rounds, text_of(cut.reason));
  return out;
}

Bytes encode(const Regions &regions) {
  Bytes out;
  Encoder encoder(out);
  encoder.regions(regions.time_ns, regions.regions.size());
  for (const Region &region : regions.regions)
    encoder.region(region.kind, region.start, region.bytes, region.tid,
                   text_of(region.text));
  return out;
}

Bytes encode(const SiteTablePart &table) {
  Bytes out;
  Encoder encoder(out);
  const auto put = [&](const SitePlace &place) {
    encoder.site_place(place.function, place.file, place.line, place.column);
  };
  encoder.site_table(table.strings.size());
  for (const std::string &text : table.strings)
    encoder.string(text_of(text));
  encoder.site_count(table.sites.size());
  for (const SiteTablePart::Site &site : table.sites) {
    encoder.site(site.id, site.kind);
    put(site.place);
    encoder.site_callers(site.caller_count);
    for (const SitePlace &caller : table.callers_of(site))
      put(caller);
  }
  return out;
}

Bytes encode(const PeriodSites &part) {
  Bytes out;
  Encoder encoder(out);
  encoder.period_sites(
      part.index,
      static_cast<std::uint8_t>((part.first ? trace::kPartFirst : 0) |
                                (part.last ? trace::kPartLast : 0)),
      part.start_ns, part.end_ns, part.sections.size());
  for (const PeriodSites::Section &section : part.sections) {
    encoder.section(section.tid, section.run_count);
    for (const SiteRun &run : part.runs_of(section))
      encoder.site_run(run.first, run.count, run.read, run.write);
  }
  return out;
}

std::vector<Bytes> encode_sites(const PeriodSites &sites,
                                std::size_t part_bytes) {
  // Upper bounds: a run is four numbers, a section two more.
  constexpr std::size_t kRunBytes = 7 + 7 + 5 + 5, kSectionBytes = 15;
  std::vector<Bytes> payloads;
  PeriodSites part;
  part.index = sites.index;
  part.start_ns = sites.start_ns;
  part.end_ns = sites.end_ns;
  const auto end_part = [&](bool is_last) {
    part.first = payloads.empty();
    part.last = is_last;
    payloads.push_back(encode(part));
    part.sections.clear();
    part.runs.clear();
  };
  const std::size_t most_runs =
      std::max<std::size_t>(part_bytes / (kRunBytes + kSectionBytes), 1);
  for (const PeriodSites::Section &section : sites.sections) {
    std::span<const SiteRun> rest = sites.runs_of(section);
    while (!rest.empty()) {
      if (part.runs.size() >= most_runs)
        end_part(/*is_last=*/false);
      const std::size_t count =
          std::min(rest.size(), most_runs - part.runs.size());
      part.add_section(section.tid, rest.first(count));
      rest = rest.subspan(count);
    }
  }
  end_part(/*is_last=*/true);
  return payloads;
}

std::vector<Bytes> encode_period(const PeriodPart &period,
                                 std::size_t part_bytes) {
  std::vector<PeriodPart> parts;
  const Extent extent = extent_of(period);
  cut_into_parts(clipped(period, 0, extent.end), part_bytes, parts);
  if (parts.empty())
    parts.push_back(clipped(period, 0, 0));
  parts.front().first = true;
  parts.back().last = true;
  parts.back().combined = period.combined;
  parts.back().stable = period.stable;
  parts.back().left_out = period.left_out;
  std::vector<Bytes> payloads;
  for (const PeriodPart &part : parts)
    payloads.push_back(encode(part));
  return payloads;
}

Bytes make_frame(trace::FrameType type, std::span<const std::uint8_t> payload,
                 Compression compression) {
  if (payload.size() > trace::kMaxFrameBytes)
    throw Failure("a frame of {} bytes exceeds the format's bound of {}",
                  payload.size(), trace::kMaxFrameBytes);
  Bytes packed;
  if (compression == Compression::kZstd) {
    packed.resize(ZSTD_compressBound(payload.size()));
    const std::size_t size =
        ZSTD_compress(packed.data(), packed.size(), payload.data(),
                      payload.size(), kCompressionLevel);
    packed.resize(ZSTD_isError(size) ? 0 : size);
  }
  trace::FrameHeader header = {};
  header.magic = trace::kFrameMagic;
  header.type = type;
  header.raw_bytes = static_cast<std::uint32_t>(payload.size());
  std::span<const std::uint8_t> stored = packed;
  if (packed.empty() || packed.size() >= payload.size()) {
    header.flags = trace::kFrameRaw;
    stored = payload;
  }
  header.stored_bytes = static_cast<std::uint32_t>(stored.size());
  header.hash = frame_hash(header, stored.data());
  Bytes frame(sizeof(header) + stored.size());
  std::memcpy(frame.data(), &header, sizeof(header));
  if (!stored.empty())
    std::memcpy(frame.data() + sizeof(header), stored.data(), stored.size());
  return frame;
}

void TraceWriter::header(const trace::FileHeader &header) {
  const trace::FileHeader finished = finished_header(header);
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(&finished);
  sink_.write({bytes, sizeof(finished)});
}

void TraceWriter::frame(trace::FrameType type,
                        std::span<const std::uint8_t> payload) {
  sink_.write(make_frame(type, payload, compression_));
  context_ += trace::is_context(type);
}

} // namespace pagetide::tools
