//===- info_text.cpp - What is in a trace file, for people ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/info_text.h"

#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pagetide::tools {

namespace {

constexpr std::array<const char *, 12> kFrameNames = {
    "other", "process", "mappings",      "threads", "period", "note",
    "end",   "sites",   "kernel writes", "regions", "run id", "site table"};

struct FrameCounts {
  std::array<std::uint64_t, kFrameNames.size()> frames = {};
  std::array<std::uint64_t, kFrameNames.size()> bytes = {};

  void add(const Frame &frame) {
    const auto type = static_cast<std::size_t>(frame.type);
    const std::size_t at = type < kFrameNames.size() ? type : 0;
    ++frames[at];
    bytes[at] += frame.bytes;
  }
};

std::string header_text(const trace::FileHeader &header,
                        const std::optional<Process> &process,
                        bool lost_process, std::uint64_t duration_ns) {
  const std::string engine =
      process ? engine_text(process->engine) : std::string();
  const bool by_marks = engine.empty() && !lost_process;
  std::string out;
  const auto fact = [&out](const char *label, const std::string &text) {
    out += fmt::format("  {:<14} {}\n", label, text);
  };
  fact("format",
       fmt::format("version {}.{}, header of {} bytes", header.version_major,
                   header.version_minor, header.header_bytes));
  fact("process", fmt::format("{} (parent {})", header.pid, header.parent_pid));
  if (process) {
    fact("program", printable(process->executable));
    fact("command", format_command_briefly(process->arguments));
  }
  if (!engine.empty())
    fact("engine", engine);
  fact("layout",
       fmt::format("{}{}", abi::kLayoutNames[header.layout],
                   header.flags & trace::kHeaderSites ? ", with sites" : ""));
  if (by_marks)
    fact("precision",
         is_near(header)
             ? "near: some marks do not say which of two granules they mean"
             : "exact");
  fact("cell", format_bytes(std::uint64_t{1} << header.cell_shift));
  fact("granule", format_bytes(std::uint64_t{1} << header.granule_shift));
  fact("page", format_bytes(header.page_bytes));
  fact("sets",
       header.flags & trace::kHeaderPerThread ? "per thread" : "per process");
  if (by_marks)
    fact("constants", header.flags & trace::kHeaderSkipsConstants
                          ? "left out by some module"
                          : "marked");
  if (header.flags & trace::kHeaderMarksLate)
    fact("marks",
         "switched on while the program ran; functions that were running "
         "then have none");
  fact("checksums",
       fmt::format("{}{}", checksum_mode_name(header.checksum_mode),
                   header.flags & trace::kHeaderRelativeHashes
                       ? ", and relative ones"
                       : ""));
  fact("unstable", unstable_policy_name(header.unstable_policy));
  fact("period", header.period_ns == 0 ? "ended by the program"
                                       : format_duration(header.period_ns));
  fact("began",
       fmt::format("{} (monotonic {} ns)", format_realtime(header.realtime_ns),
                   header.monotonic_ns));
  fact("duration", format_duration(duration_ns));
  return out;
}

} // namespace

std::string info_text(TraceReader &reader) {
  FrameCounts counts;
  std::optional<End> end;
  std::optional<Process> process;
  std::uint64_t end_ns = reader.header().monotonic_ns;
  Frame frame;
  while (reader.next(frame)) {
    counts.add(frame);
    if (frame.type == trace::FrameType::kProcess)
      process = frame.process;
    if (frame.type == trace::FrameType::kPeriod)
      end_ns = std::max(end_ns, frame.period.end_ns);
    end.reset();
    if (frame.type == trace::FrameType::kEnd) {
      end = frame.end;
      end_ns = std::max(end_ns, frame.end.time_ns);
    }
  }

  std::string out = printable(reader.name()) + "\n";
  // A damaged frame may have named another engine than marks.
  out += header_text(reader.header(), process, !process && reader.has_damage(),
                     end_ns - reader.header().monotonic_ns);
  const char *label = "frames";
  for (std::size_t type = 1; type <= kFrameNames.size(); ++type) {
    const std::size_t at = type % kFrameNames.size();
    if (counts.frames[at] == 0)
      continue;
    out += (fmt::format("  {:<14} {}: {} ({})\n", label, kFrameNames[at],
                        format_count(counts.frames[at]),
                        format_bytes(counts.bytes[at])));
    label = "";
  }
  const Completeness &completeness = reader.completeness();
  out += fmt::format(
      "  {:<14} {} whole{}\n", "periods",
      format_count(completeness.whole_periods()),
      completeness.last_period()
          ? fmt::format(", the last is period {}", *completeness.last_period())
          : std::string());
  out += fmt::format("  {:<14} {}{}\n", "integrity", completeness.verdict(),
                     completeness.is_complete()
                         ? fmt::format(", {} bytes; ended by {}",
                                       completeness.stop_offset(),
                                       end_reason_name(*end))
                         : "");
  return out;
}

} // namespace pagetide::tools
