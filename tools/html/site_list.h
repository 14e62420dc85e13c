//===- site_list.h - The places in the source that a document names -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/source_text.h"
#include "report/sites_report.h"
#include "support/json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace pagetide::tools {

/// Whether a document may show lines of a file with this name. A trace can name
/// any file, and people pass documents on.
bool is_source_name(std::string_view path);

/// The sites of a run in the order in which a document lists them, with the
/// lines of source around them.
class SiteList {
public:
  static constexpr std::size_t kMaxSites = 3000;
  static constexpr std::size_t kMaxFiles = 200;
  static constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMaxLineBytes = 200;

  /// `shows_source` is false if there shall be no excerpts. `report` must
  /// outlive the list.
  SiteList(const SitesReport &report, const SourceRequest &source,
           bool shows_source);

  /// The number of a site, as SitesReport::key_of() names it. kNone if the list
  /// does not have it.
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t number_of(const std::string &key) const;

  /// With so many bytes for the list, and for the excerpts.
  Json json(std::size_t list_bytes, std::size_t text_bytes) const;

private:
  /// What a line has to do with a site.
  enum Role : unsigned {
    kItself,
    kCaller, ///< it was inlined there
    kOther,  ///< another place of an ambiguous id
  };

  /// A file of which at least one site has a line.
  struct File {
    std::string path;                 ///< as recorded
    std::vector<std::uint64_t> lines; ///< to show around
  };

  std::size_t file_number(const std::string &path);
  std::string add_lines(const File &file, std::size_t &budget, Json &out) const;
  Json excerpt(const File &file, std::size_t &budget) const;

  const SitesReport &report_;
  const SourceRequest &source_;
  bool shows_source_;
  std::vector<const SiteEntry *> sites_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<File> files_;
  std::unordered_map<std::string, std::size_t> file_numbers_;
  /// Of each site: the number of the file, the line, and a Role.
  using Place = std::tuple<std::size_t, std::uint64_t, unsigned>;
  std::vector<std::vector<Place>> places_;
};

} // namespace pagetide::tools
