//===- fuzz_reader.cpp - Feeds bytes to the reader and all behind it ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is a trace, as fuzz_traces.h takes it.
//
// Whatever the reader hands out must keep the promises of the format, and
// report, export and audit must manage with it.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary.h"
#include "audit/audit_report.h"
#include "audit/comparison.h"
#include "audit/elf_image.h"
#include "fuzz_traces.h"
#include "report/heatmap_report.h"
#include "report/report_json.h"
#include "report/report_kinds.h"
#include "report/report_text.h"
#include "report/sites_report.h"
#include "report/wss_report.h"
#include "support/failure.h"
#include "trace/runs.h"
#include "trace/site_table.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

using namespace pagetide::tools;
namespace trace = pagetide::trace;

namespace {

void check_part(const PeriodPart &part, const Geometry &geometry) {
  require(part.start_ns <= part.end_ns, "periods end after they begin");
  std::int64_t tid = -1;
  for (const PeriodPart::Section &section : part.sections) {
    require(section.tid > tid, "sections rise by thread");
    tid = section.tid;
    require(section.run_count != 0, "sections are not empty");
    std::uint64_t position = 0;
    for (const GranuleRun &run : part.runs_of(section)) {
      require(run.first >= position && run.count != 0, "runs rise");
      require(run.flags != 0, "runs say something");
      position = run.end();
    }
    require(position <= geometry.granule_limit(), "runs end in the space");
  }
  std::uint64_t position = 0;
  std::uint64_t stable = 0;
  for (const ChecksumRun &run : part.checksum_runs) {
    require(run.first >= position && run.count != 0, "checksum runs rise");
    position = run.end();
    stable += run.stable() ? run.count : 0;
  }
  require(position <= geometry.granule_limit(), "checksums end in the space");
  require(stable == part.hashes.size(), "a hash for each stable granule");
  std::vector<GranuleRun> scratch;
  position = 0;
  for (const GranuleRun &run : union_of_sections(part, scratch)) {
    require(run.first >= position, "unions rise");
    position = run.end();
  }
}

/// Rows of sites rise, and the table finds or does not find their ids.
void check_sites(const PeriodSites &part, const SiteTable &table,
                 const Geometry &geometry) {
  require(part.start_ns <= part.end_ns, "periods end after they begin");
  std::int64_t tid = -1;
  for (const PeriodSites::Section &section : part.sections) {
    require(section.tid > tid, "sections of sites rise by thread");
    tid = section.tid;
    require(section.run_count != 0, "sections of sites are not empty");
    std::uint64_t position = 0;
    for (const SiteRun &run : part.runs_of(section)) {
      require(run.first >= position && run.count != 0, "runs of sites rise");
      require(run.read != 0 || run.write != 0, "runs have sites");
      for (const std::uint32_t id : {run.read, run.write})
        require(!site_text(table, certain_site(id)).empty(), "sites have text");
      position = run.end();
    }
    require(position <= geometry.granule_limit(), "runs end in the space");
  }
}

/// Every number up to the last is either a period that was read or missing.
void check_account(const Completeness &account,
                   const std::vector<std::uint64_t> &whole, std::size_t bytes) {
  require(account.sentence().empty() == account.is_complete(),
          "whatever is not complete is explained");
  require(account.stop_offset() <= bytes, "stops inside the file");
  require(account.damaged_bytes() <= bytes, "skips what is there");
  require(account.whole_periods() == whole.size(), "whole periods are counted");
  std::uint64_t end = 0; // of the damage before
  for (const Damage &damage : account.damage()) {
    require(damage.offset >= end && damage.bytes != 0, "damage is in order");
    require(!damage.reason.empty(), "damage has a reason");
    end = damage.offset + damage.bytes;
  }
  require(end <= bytes, "damage is inside the file");
  std::uint64_t floor = 0;
  for (const std::uint64_t index : whole) {
    require(index >= floor, "periods rise");
    floor = index + 1;
    if (account.missing().size() < Completeness::kMaxListed)
      require(!account.lacks(index), "no period is both read and missing");
    if (account.missing().size() < Completeness::kMaxListed && index != 0)
      require(account.lacks(index - 1) ==
                  !std::binary_search(whole.begin(), whole.end(), index - 1),
              "every number is read or missing");
  }
}

/// Files of names that the samples have, laid out by their length.
ModuleFile look_up(const std::string &path) {
  ModuleFile file;
  file.is_elf = path.size() % 3 != 0;
  file.instrumented = path.size() % 2 == 0;
  file.first_address = path.size() << 12;
  file.relro_begin = file.first_address + 0x10000;
  file.relro_end = file.first_address + 0x11000;
  file.variables = [](std::uint64_t, std::uint64_t) {
    return std::vector<std::string>(6, "variable");
  };
  return file;
}

/// The kind that reads twice.
void check_heatmap(const Bytes &bytes, const Selection &selection) {
  using Form = HeatmapReport::Form;
  for (const Form form : {Form::kText, Form::kSvg, Form::kJson}) {
    HeatmapReport report(form, {20, 20}, ReportStyle(), 1);
    SelectedTrace trace(reader_of(bytes), selection, 1'000'000'000);
    report.add(trace);
    report.lay_out();
    if (report.shows(0)) {
      SelectedTrace again(reader_of(bytes), selection, 1'000'000'000);
      report.fill(0, again);
    }
    const std::string text = report.text(selection.words(), ReportStyle());
    require(text.find('\x1b') == std::string::npos, "no terminal controls");
    dumped(report.json(selection.words()));
    report.svg(selection.words());
  }
}

/// Every kind of report, of all and of a part.
void check_kinds(const Bytes &bytes) {
  Selection part;
  part.from_ns = 1;
  part.to_ns = 900'000'000;
  part.addresses.first = 0x2000;
  part.mapping = "[heap]";
  for (const Selection &selection : {Selection(), part}) {
    std::vector<std::unique_ptr<RunReport>> reports;
    reports.push_back(std::make_unique<WssReport>(5));
    constexpr std::size_t kBytes = 1 << 20; // a run can have 2^40 granules
    reports.push_back(make_hot_report(kBytes));
    reports.push_back(make_mappings_report());
    reports.push_back(make_processes_report());
    if (reader_of(bytes).header().flags & trace::kHeaderPerThread)
      reports.push_back(make_threads_report(kBytes));
    if (reader_of(bytes).header().checksum_mode != trace::ChecksumMode::kNone)
      reports.push_back(make_checksums_report(20, kBytes));
    if (reader_of(bytes).header().flags & trace::kHeaderSites)
      reports.push_back(std::make_unique<SitesReport>(
          [](const std::string &, std::uint64_t) { return CodePlace(); },
          SourceRequest()));
    for (const std::unique_ptr<RunReport> &report : reports) {
      SelectedTrace trace(reader_of(bytes), selection, 1'000'000'000);
      report->add(trace);
      const std::string text = report->text(selection.words(), ReportStyle());
      require(text.find('\x1b') == std::string::npos, "no terminal controls");
      dumped(report->json(selection.words()));
    }
    check_heatmap(bytes, selection);
  }
}

void read_in_all_ways(const Bytes &bytes) {
  TraceReader reader = reader_of(bytes);
  Frame frame;
  std::vector<std::uint64_t> whole;
  std::optional<std::uint64_t> open;
  SiteTable sites;
  while (reader.next(frame)) {
    if (frame.type == trace::FrameType::kSiteTable)
      sites.add(frame.site_table);
    if (frame.type == trace::FrameType::kPeriodSites)
      check_sites(frame.period_sites, sites, reader.geometry());
    if (frame.type != trace::FrameType::kPeriod)
      continue;
    const PeriodPart &part = frame.period;
    check_part(part, reader.geometry());
    require(part.first || open == part.index, "parts follow the first one");
    open = part.last ? std::nullopt : std::optional(part.index);
    if (part.last)
      whole.push_back(part.index);
  }
  check_account(reader.completeness(), whole, bytes.size());

  const Summary summary = summarize(reader_of(bytes));
  report_json(summary);
  report_text(summary, ReportStyle());
  TraceReader again = reader_of(bytes);
  const std::string info = info_text(again);
  require(again.completeness().verdict() == summary.completeness.verdict(),
          "info and report agree");
  require(info.find('\x1b') == std::string::npos, "no terminal controls");

  check_kinds(bytes);

  const Audit audit = audit_trace(reader_of(bytes), look_up);
  require(audit.covered <= audit.written, "no more is covered than written");
  audit_json(audit);
  audit_text(audit, "input", AuditStyle());
}

} // namespace

PAGETIDE_FUZZER(fuzz_reader) {
  const Bytes bytes = trace_of(input);
  try {
    read_in_all_ways(bytes);
  } catch (const Failure &failure) {
    // No trace, or a header that is not possible.
    require(failure.what()[0] != '\0', "refusals are explained");
  }
}
