//===- site_list.cpp - The places in the source that a document names -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/site_list.h"

#include "analysis/largest_first.h"
#include "html/html_document.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kLinesAround = 4; ///< lines before and after a site's
constexpr std::size_t kMaxSiteText = 300; ///< of a site's name

/// What the document needs for it.
std::size_t room_of(const Json &json) {
  return json_in_html(dumped(json)).size() + 1;
}

Json site_figures_json(const SiteFigures &figures, bool tells_reads) {
  return {{"pages", figures.pages},
          {"written", json_if(tells_reads, figures.written)},
          {"shared", figures.shared},
          {"threads", figures.most_threads},
          {"periods", figures.periods}};
}

} // namespace

bool is_source_name(std::string_view path) {
  static constexpr std::array<std::string_view, 32> kSuffixes = {
      ".c",   ".cc",  ".cpp", ".cxx", ".c++", ".C",   ".h",    ".hh",
      ".hpp", ".hxx", ".h++", ".H",   ".inc", ".inl", ".ipp",  ".tcc",
      ".txx", ".def", ".m",   ".mm",  ".rs",  ".f",   ".f90",  ".f95",
      ".for", ".cu",  ".y",   ".l",   ".ll",  ".yy",  ".cppm", ".S"};
  const std::filesystem::path name =
      std::filesystem::path(path).lexically_normal();
  const std::string suffix = name.extension().string();
  // Headers of C++ have no suffix.
  if (suffix.empty())
    return name.string().starts_with("/usr/include/c++/");
  return std::ranges::find(kSuffixes, suffix) != kSuffixes.end();
}

SiteList::SiteList(const SitesReport &report, const SourceRequest &source,
                   bool shows_source)
    : report_(report), source_(source), shows_source_(shows_source) {
  auto order = largest_first(report.sites(), [](const SiteEntry &site) {
    return std::pair(site.figures.pages, site.figures.sum);
  });
  order.resize(std::min(order.size(), kMaxSites));
  for (const auto *entry : order) {
    numbers_[entry->first] = static_cast<std::uint32_t>(sites_.size());
    sites_.push_back(&entry->second);
    auto &places = places_.emplace_back();
    const auto add = [&](const NamedPlace &place, Role role) {
      if (place.file.empty() || place.line == 0)
        return;
      const std::size_t file = file_number(place.file);
      if (file == files_.size())
        return; // there are too many
      files_[file].lines.push_back(place.line);
      places.emplace_back(file, place.line, role);
    };
    for (const SiteEntry::Place &place : entry->second.places) {
      if (has_line(place))
        add(place.at, places.empty() ? kItself : kOther);
      for (const NamedPlace &caller : place.callers)
        add(caller, kCaller);
    }
  }
}

/// The number of the file; that of none if there is no room.
std::size_t SiteList::file_number(const std::string &path) {
  if (const auto known = file_numbers_.find(path); known != file_numbers_.end())
    return known->second;
  if (files_.size() == kMaxFiles)
    return files_.size();
  file_numbers_[path] = files_.size();
  files_.push_back({path, {}});
  return files_.size() - 1;
}

std::uint32_t SiteList::number_of(const std::string &key) const {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? kNone : found->second;
}

/// Puts the lines around the file's sites into `out`: [[number, text]...].
/// Returns why some are not there.
std::string SiteList::add_lines(const File &file, std::size_t &budget,
                                Json &out) const {
  if (!shows_source_)
    return "no source is shown, as was asked for (--no-source)";
  const std::string now = place_of_source(source_, file.path);
  if (!is_source_name(now))
    return "its name is not that of a source file";
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(now, error);
  if (!error && size > kMaxFileBytes)
    return "the file is too large";
  std::vector<std::string> text;
  try {
    text = read_source(source_, file.path);
  } catch (const Failure &failure) {
    return cut_text(failure.what(), kMaxSiteText);
  }
  std::vector<std::uint64_t> lines = file.lines;
  std::ranges::sort(lines);
  std::uint64_t next = 1;
  for (const std::uint64_t line : lines) {
    if (line > text.size())
      return "the source has changed: it has fewer lines now";
    next = std::max(next, line - std::min(line - 1, kLinesAround));
    const std::uint64_t end =
        std::min<std::uint64_t>(line + kLinesAround, text.size());
    for (; next <= end; ++next) {
      Json shown = Json::array({next, cut_text(text[next - 1], kMaxLineBytes)});
      const std::size_t bytes = room_of(shown);
      if (bytes > budget)
        return "further lines are left out, because this file would be too "
               "large";
      budget -= bytes;
      out.push_back(std::move(shown));
    }
  }
  return {};
}

/// {"path", "problem", "lines"}.
Json SiteList::excerpt(const File &file, std::size_t &budget) const {
  Json out = {{"path", ""}, {"problem", ""}, {"lines", Json::array()}};
  Json nothing = out;
  out["path"] = cut_text(file.path, kMaxSiteText);
  out["problem"] = add_lines(file, budget, out["lines"]);
  const std::size_t bytes = room_of(out["path"]) + room_of(out["problem"]);
  if (bytes > budget)
    return nothing;
  budget -= bytes;
  return out;
}

Json SiteList::json(std::size_t list_bytes, std::size_t text_bytes) const {
  Json out = {{"count", report_.sites().size()},
              {"is_lower_bound", report_.is_lower_bound()},
              {"list", Json::array()},
              {"files", Json::array()}};
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    Json places = Json::array();
    for (const auto &[file, line, kind] : places_[i])
      places.push_back(Json::array({file, line, kind}));
    Json site = {{"text", cut_text(short_text(*sites_[i]), kMaxSiteText)},
                 {"places", std::move(places)}};
    site.update(site_figures_json(sites_[i]->figures, report_.tells_reads()));
    const std::size_t bytes = room_of(site);
    if (bytes > list_bytes)
      break;
    list_bytes -= bytes;
    out["list"].push_back(std::move(site));
  }
  for (const File &file : files_)
    out["files"].push_back(excerpt(file, text_bytes));
  return out;
}

} // namespace pagetide::tools
