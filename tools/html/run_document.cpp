//===- run_document.cpp - The HTML document about a run -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/run_document.h"

#include "html/html_document.h"
#include "report/heat_picture.h"
#include "support/failure.h"
#include "support/json.h"
#include "support/say.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pagetide::tools {

namespace {

/// Of the curve of a run of several processes.
constexpr std::size_t kMaxStretches = 1024;
/// Of names in tables.
constexpr std::size_t kMaxCellText = 300;
/// Of each list of a table, as a share of the document.
constexpr std::size_t kListShare = 16;
/// So many processes can have an equal share of the room.
constexpr std::size_t kEqualShares = 16;
/// What is left for the others, in shares.
constexpr std::size_t kOtherShares = 4;
constexpr std::size_t kMinViewBytes = 24'000;
/// Of the squares of threads, which the page shows.
constexpr std::size_t kMaxSquare = 32;

void cut_cells(Json &row) {
  for (Json &value : row)
    if (value.is_string())
      value = cut_text(valid_utf8(value), kMaxCellText);
}

/// What a report has for programs, without what the page does not show. The
/// list keeps its first rows: they are the largest.
Json fitted_table(Json json, const char *list, std::size_t max_bytes) {
  json.erase("traces");
  Json kept = Json::array();
  std::size_t bytes = 0;
  for (Json &row : json[list]) {
    cut_cells(row);
    bytes += json_in_html(dumped(row)).size() + 1;
    if (bytes > max_bytes)
      break;
    kept.push_back(std::move(row));
  }
  json["left_out"] = json[list].size() - kept.size();
  json[list] = std::move(kept);
  return json;
}

/// How the kinds of access look, and what they are called.
Json kinds_of_access() {
  Json kinds;
  for (const HeatLook &look : kHeatLooks)
    kinds[look.name] = Json{
        {"words", look.words}, {"light", look.light()}, {"dark", look.dark()}};
  return kinds;
}

/// The first rows and columns of a square.
void cut_square(Json &square) {
  if (!square.is_array() || square.size() <= kMaxSquare)
    return;
  square.get_ref<Json::array_t &>().resize(kMaxSquare);
  for (Json &row : square)
    row.get_ref<Json::array_t &>().resize(kMaxSquare);
}

} // namespace

RunDocument::RunDocument(const DocumentOptions &options,
                         std::uint64_t run_start_ns, CodeLookup lookup)
    : options_(options), run_start_ns_(run_start_ns), wss_(kMaxStretches),
      sites_(std::move(lookup), options_.source) {}

std::unique_ptr<SelectedTrace>
RunDocument::open(const std::string &file) const {
  return open_selected(file, options_.selection, run_start_ns_);
}

void RunDocument::add(const std::string &file) {
  const std::unique_ptr<SelectedTrace> trace = open(file);
  std::vector<RunReport *> reports = {processes_.get(), mappings_.get(), &wss_};
  if (trace->header().flags & trace::kHeaderPerThread)
    reports.push_back(threads_.get());
  if (trace->header().flags & trace::kHeaderSites)
    reports.push_back(&sites_);
  RunReport::add_to(reports, *trace);
  match_.add(*trace);
}

std::string RunDocument::title() const {
  const RunReport::Trace &first = traces().front();
  std::string name = cut_text(
      first.program.substr(first.program.rfind('/') + 1), kMaxCellText);
  if (name.empty())
    name = fmt::format("process {}", first.pid);
  if (traces().size() > 1)
    name += fmt::format(" and {} more", format_count(traces().size() - 1));
  return fmt::format("{}: pages over time - Pagetide", name);
}

/// The members of the document's JSON but the views.
std::string RunDocument::tables(std::string_view version,
                                const SiteList &sites) const {
  const std::string words = options_.selection.words();
  const std::size_t share = options_.max_bytes / kListShare;
  Json json = {
      {"pagetide_html", 1},
      {"version", version},
      {"title", title()},
      {"selected", words},
      {"reads_only", options_.selection.only_reads()},
      {"writes_only", options_.selection.only_writes()},
      {"max_bytes", options_.max_bytes},
      {"process_count", traces().size()},
      {"kinds", kinds_of_access()},
      {"processes", fitted_table(processes_->json(words), "processes", share)},
      {"mappings", fitted_table(mappings_->json(words), "mappings", share)},
      {"wss", fitted_table(wss_.json(words), "stretches", share)},
      {"threads", nullptr},
      {"sites", nullptr}};
  if (!threads_->traces().empty()) {
    Json &threads = json["threads"];
    threads = fitted_table(threads_->json(words), "threads", share);
    for (Json &square : threads["sharing"])
      cut_square(square);
  }
  if (!sites_.traces().empty())
    json["sites"] = sites.json(share, share / 2);
  return dumped(json);
}

void RunDocument::write(const HtmlAssets &assets, std::string_view version,
                        TextSink &out) {
  const std::string heading = title();
  HtmlDocument document(assets, out, heading, make_nonce());
  const SiteList sites(sites_, options_.source, options_.shows_source);
  std::string json = tables(version, sites);
  const std::size_t others = document.frame_bytes() + json_in_html(json).size();
  std::size_t left = options_.max_bytes - std::min(options_.max_bytes, others);

  std::string views;
  std::size_t blobs = 0;
  const std::vector<ReportRow> order = processes_->rows();
  const std::size_t equal = std::min(order.size(), kEqualShares);
  for (std::size_t i = 0; i < std::min(order.size(), kMaxViews); ++i) {
    const std::size_t shares =
        i < equal ? equal - i + (order.size() > equal ? kOtherShares : 0)
                  : 2 * kOtherShares;
    const std::size_t room = left / shares;
    if (room < kMinViewBytes)
      break;
    const std::string file = order[i].front();
    try {
      ViewData view =
          view_process([&] { return open(file); }, ViewLimits::within(room),
                       sites_.traces().empty() ? nullptr : &sites);
      const std::string member =
          fmt::format("{}{{\"first_blob\":{},\"view\":{}}}",
                      views.empty() ? "" : ",", blobs, view.json);
      const std::size_t bytes = view.bytes() + json_in_html(member).size() -
                                json_in_html(view.json).size();
      if (bytes > left)
        continue; // a made-up trace: it has no heatmap
      left -= bytes;
      views += member;
      for (const std::vector<std::uint8_t> &blob : view.blobs)
        document.add_blob(blob);
      blobs += view.blobs.size();
    } catch (const Failure &failure) {
      // It was readable before.
      say("{}", failure.what());
    }
  }
  json.pop_back();
  document.finish(fmt::format("{},\"views\":[{}]}}", json, views));
}

} // namespace pagetide::tools
