//===- row_export.cpp - A trace as rows -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/row_export.h"

#include "trace/completeness_json.h"
#include "trace/runs.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace pagetide::tools {

using trace::ChecksumState;

namespace {

/// The header line is an interface: docs/reference/cli-output.md.
constexpr const char kCsvHeader[] =
    "period,start_ns,end_ns,pid,tid,address,read,written,checksum,state,"
    "may\n";

const char *state_name(ChecksumState state) {
  switch (state) {
  case ChecksumState::kNone:
    return "none";
  case ChecksumState::kStable:
    return "stable";
  case ChecksumState::kUnstable:
    return "unstable";
  case ChecksumState::kGone:
    return "gone";
  case ChecksumState::kUnreadable:
    return "unreadable";
  }
  return "none";
}

/// Whether a row with these flags was read, or written, as far as the layout
/// can tell.
enum class Answer { kNo, kYes, kUnknown };

Answer was_read(abi::Layout layout, unsigned flags) {
  if (!abi::tells_writes(layout) || !abi::records_reads(layout))
    return Answer::kUnknown;
  return flags & (trace::kRunRead | trace::kRunMayRead) ? Answer::kYes
                                                        : Answer::kNo;
}

Answer was_written(abi::Layout layout, unsigned flags) {
  if (!abi::tells_writes(layout))
    return Answer::kUnknown;
  return flags & (trace::kRunWritten | trace::kRunMayWritten |
                  trace::kRunCarried)
             ? Answer::kYes
             : Answer::kNo;
}

std::string suffix_of(unsigned flags) {
  std::string suffix;
  if (flags & trace::kRunCarried)
    suffix += "+carried";
  if (flags & kMayFlags)
    suffix += "+may";
  return suffix;
}

/// Which accesses of the row are only possible. Empty if none are.
const char *possible_name(abi::Layout layout, unsigned flags) {
  const unsigned possible = possible_flags(flags);
  if (possible == 0)
    return "";
  if (!abi::tells_writes(layout))
    return "accessed";
  if (!(possible & trace::kRunWritten))
    return "read";
  return possible & trace::kRunRead ? "read+written" : "written";
}

/// Looks up the checksums of granules, in ascending order.
class ChecksumLookup {
public:
  explicit ChecksumLookup(const PeriodPart &part) : part_(part) {}

  /// The state of `granule`. Lowers `until` to the granule where the state
  /// changes. If the state is stable, `hashes` points to the granule's hash.
  ChecksumState at(std::uint64_t granule, std::uint64_t &until,
                   const std::uint64_t *&hashes) {
    const std::vector<ChecksumRun> &runs = part_.checksum_runs;
    while (next_ < runs.size() && runs[next_].end() <= granule) {
      if (runs[next_].stable())
        hashes_before_ += runs[next_].count;
      ++next_;
    }
    hashes = nullptr;
    if (next_ == runs.size())
      return ChecksumState::kNone;
    const ChecksumRun &run = runs[next_];
    if (run.first > granule) {
      until = std::min(until, std::uint64_t{run.first});
      return ChecksumState::kNone;
    }
    until = std::min(until, run.end());
    if (run.stable())
      hashes = &part_.hashes[hashes_before_ + (granule - run.first)];
    return static_cast<ChecksumState>(run.state);
  }

private:
  const PeriodPart &part_;
  std::size_t next_ = 0;
  std::size_t hashes_before_ = 0;
};

class Exporter {
public:
  Exporter(const TraceReader &reader, RowFormat format, const RowFilter &filter,
           TextSink &sink)
      : header_(reader.header()), geometry_(reader.geometry()),
        is_json_(format == RowFormat::kJson), filter_(filter), sink_(sink) {
    first_granule_ = filter.addresses.first >> geometry_.granule_shift;
    end_granule_ = (filter.addresses.last >> geometry_.granule_shift) + 1;
  }

  void begin();
  void add_part(const PeriodPart &part);
  void finish(const TraceReader &reader);

private:
  void add_run(const PeriodPart &part, std::uint32_t tid, const GranuleRun &run,
               ChecksumLookup &checksums);

  const trace::FileHeader &header_;
  Geometry geometry_;
  bool is_json_;
  const RowFilter &filter_;
  TextSink &sink_;
  std::uint64_t first_granule_;
  std::uint64_t end_granule_;
  fmt::memory_buffer row_;
  const char *row_separator_ = "\n";
};

void Exporter::begin() {
  if (!is_json_) {
    sink_.write(kCsvHeader);
    return;
  }
  const nlohmann::ordered_json header = {
      {"pid", header_.pid},
      {"parent_pid", header_.parent_pid},
      {"layout", abi::kLayoutNames[header_.layout]},
      {"precision", precision_name(header_)},
      {"granule_bytes", std::uint64_t{1} << header_.granule_shift},
      {"page_bytes", header_.page_bytes},
      {"per_thread", (header_.flags & trace::kHeaderPerThread) != 0},
      {"checksum", checksum_mode_name(header_.checksum_mode)},
      {"unstable", unstable_policy_name(header_.unstable_policy)},
      {"monotonic_ns", header_.monotonic_ns},
      {"realtime_ns", header_.realtime_ns},
      {"period_ns", header_.period_ns},
  };
  sink_.write(fmt::format("{{\"pagetide_export\":1,\n\"header\":{},\n"
                          "\"rows\":[",
                          header.dump()));
}

void Exporter::add_part(const PeriodPart &part) {
  if (part.index < filter_.periods.first || part.index > filter_.periods.last)
    return;
  for (const PeriodPart::Section &section : part.sections) {
    if (filter_.tid && *filter_.tid != section.tid)
      continue;
    ChecksumLookup checksums(part);
    for (const GranuleRun &run : part.runs_of(section)) {
      const std::uint64_t first =
          std::max(std::uint64_t{run.first}, first_granule_);
      const std::uint64_t end = std::min(run.end(), end_granule_);
      if (first < end)
        add_run(part, section.tid, {first, end - first, run.flags}, checksums);
    }
  }
}

void Exporter::add_run(const PeriodPart &part, std::uint32_t tid,
                       const GranuleRun &run, ChecksumLookup &checksums) {
  static constexpr const char *kCsvAnswers[] = {"0", "1", ""};
  static constexpr const char *kJsonAnswers[] = {"0", "1", "null"};
  const auto *answers = is_json_ ? kJsonAnswers : kCsvAnswers;
  const char *read =
      answers[static_cast<int>(was_read(geometry_.layout, run.flags))];
  const char *written =
      answers[static_cast<int>(was_written(geometry_.layout, run.flags))];
  const std::string suffix = suffix_of(run.flags);
  const std::string may = possible_name(geometry_.layout, run.flags);
  const std::string json_may = may.empty() ? "null" : '"' + may + '"';

  for (std::uint64_t granule = run.first; granule < run.end();) {
    std::uint64_t until = run.end();
    const std::uint64_t *hash;
    const ChecksumState state = checksums.at(granule, until, hash);
    const std::string state_text = state_name(state) + suffix;
    for (; granule < until; ++granule) {
      const std::uint64_t address = granule << geometry_.granule_shift;
      row_.clear();
      const auto out = std::back_inserter(row_);
      if (!is_json_) {
        fmt::format_to(out, FMT_COMPILE("{},{},{},{},{},{:#x},{},{},"),
                       part.index, part.start_ns, part.end_ns, header_.pid, tid,
                       address, read, written);
        if (hash)
          fmt::format_to(out, FMT_COMPILE("{:#018x}"), *hash++);
        fmt::format_to(out, FMT_COMPILE(",{},{}\n"), state_text, may);
      } else {
        fmt::format_to(out,
                       FMT_COMPILE("{}{{\"period\":{},\"start_ns\":{},"
                                   "\"end_ns\":{},\"pid\":{},\"tid\":{},"
                                   "\"address\":\"{:#x}\",\"read\":{},"
                                   "\"written\":{},\"checksum\":"),
                       row_separator_, part.index, part.start_ns, part.end_ns,
                       header_.pid, tid, address, read, written);
        if (hash)
          fmt::format_to(out, FMT_COMPILE("\"{:#018x}\""), *hash++);
        else
          fmt::format_to(out, FMT_COMPILE("null"));
        fmt::format_to(out, FMT_COMPILE(",\"state\":\"{}\",\"may\":{}}}"),
                       state_text, json_may);
        row_separator_ = ",\n";
      }
      sink_.write({row_.data(), row_.size()});
    }
  }
}

void Exporter::finish(const TraceReader &reader) {
  if (!is_json_)
    return;
  sink_.write("\n]");
  const auto account = completeness_json(reader.completeness());
  for (const auto &[name, value] : account.items())
    sink_.write(fmt::format(
        ",\n\"{}\":{}", name,
        value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  sink_.write("}\n");
}

} // namespace

void export_rows(TraceReader &reader, RowFormat format, const RowFilter &filter,
                 TextSink &sink) {
  Exporter exporter(reader, format, filter, sink);
  exporter.begin();
  Frame frame;
  while (reader.next(frame))
    if (frame.type == trace::FrameType::kPeriod)
      exporter.add_part(frame.period);
  exporter.finish(reader);
}

} // namespace pagetide::tools
