//===- run_document.cpp - The HTML document about a run -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "html/run_document.h"

#include "html/html_document.h"
#include "support/failure.h"
#include "support/say.h"
#include "support/text_format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace pagetide::tools {

namespace {

using Json = nlohmann::ordered_json;

/// Of the curve of a run of several processes.
constexpr std::size_t kMaxStretches = 1024;

std::string dump(const Json &json) {
  // Names in a trace need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A report without the end of its line.
std::string one_line(std::string json) {
  json.erase(json.find_last_not_of('\n') + 1);
  return json;
}

} // namespace

RunDocument::RunDocument(const Selection &selection, std::uint64_t run_start_ns)
    : selection_(selection), run_start_ns_(run_start_ns), wss_(kMaxStretches) {}

std::unique_ptr<SelectedTrace>
RunDocument::open(const std::string &file) const {
  return std::make_unique<SelectedTrace>(TraceReader::open(file), selection_,
                                         run_start_ns_);
}

void RunDocument::add(const std::string &file) {
  for (RunReport *report :
       std::initializer_list<RunReport *>{&processes_, &mappings_, &wss_})
    report->add(*open(file));
  const std::unique_ptr<SelectedTrace> trace = open(file);
  if (trace->header().flags & trace::kHeaderPerThread)
    threads_.add(*trace);
}

std::string RunDocument::title() const {
  const RunReport::Trace &first = traces().front();
  std::string name = first.program.substr(first.program.rfind('/') + 1);
  if (name.empty())
    name = fmt::format("process {}", first.pid);
  if (traces().size() > 1)
    name += fmt::format(" and {} more", format_count(traces().size() - 1));
  return fmt::format("{}: pages over time - Pagetide", name);
}

void RunDocument::write(const HtmlAssets &assets, std::string_view version,
                        TextSink &out) {
  HtmlDocument document(assets, out, title(), make_nonce());
  std::vector<std::size_t> shown = processes_.sorted();
  shown.resize(std::min(shown.size(), kMaxViews));
  const ViewLimits limits = ViewLimits().divided(shown.size());
  Json views = Json::array();
  for (const std::size_t number : shown) {
    const std::string &file = traces()[number].path;
    try {
      views.push_back(
          view_process([&] { return open(file); }, limits, document));
    } catch (const Failure &failure) {
      // It was readable before.
      say("{}", failure.what());
    }
  }
  const std::string words = selection_.words();
  std::string json = fmt::format(
      "{{\"pagetide_html\":1,\"version\":{},\"title\":{},\"selected\":{},"
      "\"views\":{},\"processes\":{},\"mappings\":{},\"wss\":{},\"threads\":",
      dump(version), dump(title()), dump(words), dump(views),
      one_line(processes_.json(words)), one_line(mappings_.json(words)),
      one_line(wss_.json(words)));
  json += threads_.traces().empty() ? "null" : one_line(threads_.json(words));
  document.finish(json + "}");
}

} // namespace pagetide::tools
