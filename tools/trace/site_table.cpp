//===- site_table.cpp - What the sites of a trace are ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/site_table.h"

#include <cxxabi.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace pagetide::tools {

namespace {

/// The bits of a kind that say what the place is, not what it does.
constexpr std::uint8_t kWhat = trace::kSiteReturn;

bool is_same_place(const Site &a, const Site &b) {
  return (a.kind & kWhat) == (b.kind & kWhat) && a.place == b.place &&
         a.callers == b.callers;
}

std::string where(const SourcePlace &place) {
  if (place.file.empty())
    return {};
  std::string text = fmt::format("{}", place.file);
  if (place.line != 0)
    text += fmt::format(":{}", place.line);
  if (place.line != 0 && place.column != 0)
    text += fmt::format(":{}", place.column);
  return text;
}

std::string text_of(const SourcePlace &place) {
  const std::string function = place.function.empty()
                                   ? std::string("an unknown function")
                                   : demangled(place.function);
  const std::string at = where(place);
  return at.empty() ? function : fmt::format("{} at {}", function, at);
}

} // namespace

std::string_view SiteTable::keep(const std::string &text) {
  const auto [at, is_new] = texts_.insert(text);
  if (is_new)
    text_bytes_ += text.size();
  return *at;
}

void SiteTable::add(const SiteTablePart &part) {
  const auto place_of = [&](const SitePlace &place) {
    return SourcePlace{keep(part.strings[place.function]),
                       keep(part.strings[place.file]), place.line,
                       place.column};
  };
  for (const SiteTablePart::Site &from : part.sites) {
    if (places_ + 1 + from.caller_count > kMaxSites ||
        text_bytes_ > kMaxTextBytes) {
      full_ = true;
      return;
    }
    Site site;
    site.kind = from.kind;
    site.place = place_of(from.place);
    for (const SitePlace &caller : part.callers_of(from))
      site.callers.push_back(place_of(caller));
    std::vector<Site> &known = sites_[from.id];
    const auto same = std::ranges::find_if(
        known, [&](const Site &other) { return is_same_place(site, other); });
    if (same != known.end()) {
      same->kind |= site.kind;
      continue;
    }
    places_ += 1 + site.callers.size();
    known.push_back(std::move(site));
  }
}

std::span<const Site> SiteTable::find(std::uint32_t id) const {
  const auto found = sites_.find(id);
  return found == sites_.end() ? std::span<const Site>()
                               : std::span<const Site>(found->second);
}

std::string demangled(std::string_view function) {
  const std::string name(function);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      ::abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
      std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string place_text(const Site &site) {
  if (site.is_return())
    return fmt::format("a call of libc at {}+{:#x}", site.place.file,
                       site.place.line);
  return text_of(site.place);
}

std::string site_text(const SiteTable &table, std::uint32_t id) {
  std::string text;
  for (const Site &site : table.find(id)) {
    if (!text.empty())
      text += " or ";
    text += place_text(site);
    for (const SourcePlace &caller : site.callers)
      text += fmt::format(", inlined in {}", text_of(caller));
  }
  if (!text.empty())
    return text;
  return id < abi::kFirstCallSite ? fmt::format("unknown site {:#x}", id)
                                  : "a call of libc at an unknown place";
}

} // namespace pagetide::tools
