//===- diff_json.cpp - Where two runs differ, for programs ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/diff_text.h"
#include "support/json.h"
#include "trace/completeness_json.h"

#include <fmt/format.h>

namespace pagetide::tools {

NLOHMANN_JSON_SERIALIZE_ENUM(DifferenceKind,
                             {{DifferenceKind::kProcess, "process"},
                              {DifferenceKind::kPeriod, "period"},
                              {DifferenceKind::kAccess, "access"},
                              {DifferenceKind::kPage, "page"},
                              {DifferenceKind::kChecksum, "checksum"}})

namespace {

Json tally_json(const Tally &tally) {
  return {{"equal", tally.equal},
          {"different", tally.different},
          {"only_a", tally.only_a},
          {"only_b", tally.only_b},
          {"open", tally.open}};
}

void add_figures(Json &out, const ComparedFigures &figures, bool by_periods) {
  const auto of_periods = [&](const Tally &tally) {
    return by_periods ? tally_json(tally) : Json();
  };
  out["periods"] = of_periods(figures.periods);
  out["accesses"] = of_periods(figures.accesses);
  out["checksums"] = of_periods(figures.checksums);
  out["pages"] = tally_json(figures.pages);
  out["last_checksums"] = tally_json(figures.final_checksums);
  out["gone_checksums"] = by_periods ? Json(figures.gone) : Json();
  out["gone_last_checksums"] = figures.final_gone;
  out["shifted_checksums"] = by_periods ? Json(figures.shifted) : Json();
  out["shifted_last_checksums"] = figures.final_shifted;
  out["ignored"] = figures.ignored;
  out["unplaced"] = figures.unplaced;
  out["cut_periods"] = figures.cut_periods;
  out["pages_left_out"] = figures.pages_left_out;
}

Json side_json(const RunReport::Trace *trace) {
  if (!trace)
    return {};
  const bool is_known = !trace->program.empty();
  return {{"file", trace->path},
          {"pid", trace->pid},
          {"executable", is_known ? Json(trace->program) : Json()},
          {"command", is_known ? Json(trace->command) : Json()}};
}

Json difference_json(const Difference &difference, const RunComparison &all) {
  const ProcessPair &pair = all.pairs()[difference.pair];
  const auto pid = [](const auto &run, std::optional<std::size_t> at) {
    return at ? Json(run.traces[*at].pid) : Json();
  };
  Json out = {
      {"kind", difference.kind},       {"in_a", difference.in_a},
      {"in_b", difference.in_b},       {"pid_a", pid(all.a(), pair.a)},
      {"pid_b", pid(all.b(), pair.b)}, {"start_ns", difference.start_ns}};
  const bool is_page = difference.granules != 0;
  out["period"] =
      all.by_periods() && difference.kind != DifferenceKind::kProcess
          ? Json(difference.period)
          : Json();
  const auto address = [&](bool is_there, std::uint64_t granule) {
    return is_page && is_there
               ? Json(fmt::format("{:#x}", granule << all.granule_shift()))
               : Json();
  };
  out["address_a"] = address(difference.in_a, difference.granule_a);
  out["address_b"] = address(difference.in_b, difference.granule_b);
  out["granules"] = difference.granules;
  out["place"] = is_page ? Json(difference.mapping) : Json();
  out["thread"] = difference.thread == 0 ? Json() : Json(difference.thread);
  const bool is_checksum = difference.kind == DifferenceKind::kChecksum;
  const auto hash = [&](std::uint64_t value) {
    return is_checksum ? Json(fmt::format("{:#018x}", value)) : Json();
  };
  out["checksum_a"] = hash(difference.hash_a);
  out["checksum_b"] = hash(difference.hash_b);
  return out;
}

} // namespace

Json traces_json(std::span<const RunReport::Trace> traces) {
  Json out = Json::array();
  for (const RunReport::Trace &trace : traces) {
    Json entry = side_json(&trace);
    entry["period_ns"] = trace.period_ns;
    entry["periods"] = trace.periods;
    entry.update(completeness_json(trace.completeness));
    out.push_back(std::move(entry));
  }
  return out;
}

std::string diff_json(const RunComparison &comparison) {
  const DiffOptions &options = comparison.options();
  const std::string words = options.selection.words();
  Json out;
  out["pagetide_diff"] = 1;
  out["verdict"] = comparison.verdict();
  out["by"] = comparison.by_periods() ? "periods" : "whole";
  out["relative"] = options.relative;
  out["selected"] = words.empty() ? Json() : Json(words);
  out["ignored_mappings"] =
      std::vector<std::string>(options.ignored.begin(), options.ignored.end());
  out["granule_bytes"] = std::uint64_t{1} << comparison.granule_shift();
  out["remarks"] = diff_remarks(comparison);
  out["a"] = traces_json(comparison.a().traces);
  out["b"] = traces_json(comparison.b().traces);
  out["processes"] = tally_json(comparison.processes());
  add_figures(out, comparison.sum(), comparison.by_periods());
  out["mappings"] = Json::array();
  for (const auto &[name, mapping] : comparison.mappings())
    out["mappings"].push_back({{"name", name},
                               {"only_a", mapping.only_a},
                               {"only_b", mapping.only_b},
                               {"access", mapping.accesses},
                               {"checksum", mapping.checksums},
                               {"ignored", mapping.ignored}});
  out["pairs"] = Json::array();
  for (std::size_t i = 0; i < comparison.pairs().size(); ++i) {
    const ProcessPair &pair = comparison.pairs()[i];
    Json entry;
    entry["a"] = side_json(pair.a ? &comparison.a().traces[*pair.a] : nullptr);
    entry["b"] = side_json(pair.b ? &comparison.b().traces[*pair.b] : nullptr);
    add_figures(entry, comparison.figures()[i], comparison.by_periods());
    out["pairs"].push_back(std::move(entry));
  }
  out["differences"] = Json::array();
  for (const Difference &difference : comparison.differences())
    out["differences"].push_back(difference_json(difference, comparison));
  return dumped(out) + "\n";
}

} // namespace pagetide::tools
