//===- report_json.cpp - A summary for programs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_json.h"

#include "support/json.h"
#include "trace/completeness_json.h"

namespace pagetide::tools {

NLOHMANN_JSON_SERIALIZE_ENUM(Integrity, {{Integrity::kDamaged, "damaged"},
                                         {Integrity::kComplete, "complete"},
                                         {Integrity::kUnfinished, "unfinished"},
                                         {Integrity::kCut, "cut"}})

namespace {

constexpr std::size_t kCurvePoints = 256;

Json json_of(const Figures &figures) {
  return {{"median", figures.median},
          {"p95", figures.p95},
          {"max", figures.maximum},
          {"sum", figures.sum},
          {"distinct", figures.distinct},
          {"distinct_is_lower_bound", figures.distinct_is_lower_bound}};
}

Json json_of(const Distribution &of) {
  return {{"median", of.percentile(0.5)},
          {"p95", of.percentile(0.95)},
          {"max", of.maximum()}};
}

/// Null if no period was to end in a cut.
Json json_of(const CutSummary &cuts) {
  if (cuts.cuts + cuts.without == 0)
    return {};
  Json reasons = Json::array();
  for (const auto &[reason, count] : cuts.reasons)
    reasons.push_back({{"text", reason}, {"periods", count}});
  return {{"periods", cuts.cuts},
          {"without", cuts.without},
          {"pause_ns", json_of(cuts.pause_ns)},
          {"marked", json_of(cuts.marked)},
          {"unsettled", json_of(cuts.unsettled)},
          {"reasons", std::move(reasons)},
          {"reasons_left_out", cuts.reasons_left_out}};
}

Json curve_points(const TimeCurve &curve) {
  Json points = Json::array();
  if (!curve.empty())
    for (const auto &column : curve.columns(kCurvePoints))
      points.push_back(column ? Json(*column) : Json());
  return points;
}

template <typename T> Json json_of(const std::optional<T> &value) {
  return value ? Json(*value) : Json();
}

} // namespace

std::string report_json(const Summary &s) {
  const abi::Layout layout = s.geometry().layout;
  const bool tells_writes = abi::tells_writes(layout);
  const bool tells_reads = tells_writes && abi::records_reads(layout);
  Json out;
  out["file"] = s.path;
  out["bytes"] = s.file_bytes;
  out["integrity"] = s.completeness.integrity();
  out["stop_offset"] = s.completeness.stop_offset();
  out.update(completeness_json(s.completeness));
  out["end"] = s.end ? Json{{"reason", static_cast<int>(s.end->reason)},
                            {"text", end_reason_name(*s.end)},
                            {"detail", s.end->detail},
                            {"time_ns", s.end->time_ns}}
                     : Json();
  out["run_id"] = s.run_id ? Json(run_id_text(*s.run_id)) : Json();
  out["pid"] = s.header.pid;
  out["parent_pid"] = s.header.parent_pid;
  if (s.process) {
    out["executable"] = s.process->executable;
    out["arguments"] = s.process->arguments;
    out["options"] = s.process->options;
    out["engine"] = s.process->engine;
    out["runtime_version"] = s.process->runtime_version;
  }
  out["layout"] = abi::kLayoutNames[s.header.layout];
  out["cell_bytes"] = std::uint64_t{1} << s.header.cell_shift;
  out["granule_bytes"] = s.granule_bytes();
  out["precision"] = precision_name(s.header);
  out["page_bytes"] = s.header.page_bytes;
  out["per_thread"] = s.per_thread();
  out["skips_constants"] = (s.header.flags & trace::kHeaderSkipsConstants) != 0;
  out["marks_late"] = (s.header.flags & trace::kHeaderMarksLate) != 0;
  out["checksum"] = checksum_mode_name(s.header.checksum_mode);
  out["unstable"] = unstable_policy_name(s.header.unstable_policy);
  out["monotonic_ns"] = s.header.monotonic_ns;
  out["realtime_ns"] = s.header.realtime_ns;
  out["duration_ns"] = s.duration_ns;
  out["period_ns"] = s.header.period_ns;
  out["periods"] = {{"count", s.periods},
                    {"driven", s.driven_periods},
                    {"off", s.off_periods},
                    {"off_ns", s.off_ns},
                    {"exact_in_windows", s.exact_in_windows},
                    {"final", s.final_periods},
                    {"harvested", s.harvested_periods},
                    {"partial", s.partial_periods},
                    {"missing", s.completeness.missing_count()},
                    {"overruns", s.overruns}};
  out["granules"] = {
      {"accessed", json_of(s.accessed)},
      {"read", tells_reads ? json_of(s.read) : Json()},
      {"written", tells_writes ? json_of(s.written) : Json()},
      {"carried", json_of(s.carried)},
      {"unmarked", json_of(s.unmarked)},
      {"may", json_of(s.may)},
      {"may_read", tells_reads ? json_of(s.may_read) : Json()},
      {"may_written", tells_writes ? json_of(s.may_written) : Json()}};
  out["curve"] = {{"start_ns", s.curve.start_ns()},
                  {"duration_ns", s.curve.duration_ns()},
                  {"max_accessed", curve_points(s.curve)}};
  out["mappings"] = Json::array();
  for (const MappingSummary &mapping : s.mappings)
    out["mappings"].push_back(
        {{"name", mapping.name},
         {"accessed", mapping.counts.accessed},
         {"read", tells_reads ? Json(mapping.counts.read) : Json()},
         {"written", tells_writes ? Json(mapping.counts.written) : Json()},
         {"may", mapping.counts.may},
         {"distinct", mapping.distinct},
         {"distinct_is_lower_bound", mapping.distinct_is_lower_bound}});
  out["threads"] = Json::array();
  for (const auto &[tid, thread] : s.threads.all()) {
    Json entry = {{"tid", tid},
                  {"name", thread.name},
                  {"start_ns", json_of(thread.start_ns)},
                  {"end_ns", json_of(thread.end_ns)}};
    if (s.per_thread()) {
      entry["periods"] = thread.periods;
      entry["accessed"] = thread.counts.accessed;
      entry["read"] = tells_reads ? Json(thread.counts.read) : Json();
      entry["written"] = tells_writes ? Json(thread.counts.written) : Json();
      entry["may"] = thread.counts.may;
    }
    out["threads"].push_back(std::move(entry));
  }
  out["checksums"] = {{"stable", s.checksums.stable},
                      {"unstable", s.checksums.unstable},
                      {"gone", s.checksums.gone},
                      {"unreadable", s.checksums.unreadable}};
  out["cuts"] = json_of(s.cuts);
  out["note_count"] = s.note_count;
  out["notes"] = Json::array();
  for (const Note &note : s.notes)
    out["notes"].push_back({{"time_ns", note.time_ns},
                            {"period", note.period},
                            {"code", note_code_name(note.code)},
                            {"text", note.text}});
  return dumped(out);
}

} // namespace pagetide::tools
