//===- sites_report.cpp - Which places in the source touched pages --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/sites_report.h"

#include "analysis/page_table.h"
#include "analysis/report_limits.h"
#include "analysis/sharing.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMaxListedSites = 10000;
/// The name of a function's copy with marks ends so.
constexpr std::string_view kMarkedCopy = ".pagetide";
/// Bars leave little room for places on narrower terminals.
constexpr std::size_t kWidthForBars = 120;

/// Who touched a page: numbers of ThreadSets.
struct Page {
  std::uint32_t threads = 0;
  std::uint32_t sites = 0;
  std::uint32_t writers = 0; ///< sites that wrote it
};

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// The function without its parameters, which most are known by.
std::string short_name(const std::string &function) {
  const std::size_t end = function.rfind(')');
  if (end == std::string::npos)
    return function;
  std::size_t depth = 0;
  for (std::size_t at = end + 1; at-- > 0;) {
    depth += function[at] == ')';
    depth -= function[at] == '(';
    if (depth == 0)
      return at == 0 ? function : function.substr(0, at);
  }
  return function;
}

/// "fill (sort.cpp:12:7)", as far as that is known.
std::string short_text(const NamedPlace &place) {
  std::string text = place.function.empty()
                         ? std::string("unknown function")
                         : short_name(demangled(place.function));
  if (place.file.empty())
    return text;
  text += fmt::format(" ({}", last_part(place.file));
  if (place.line != 0)
    text += fmt::format(":{}", place.line);
  // One line may have several places.
  if (place.column != 0)
    text += fmt::format(":{}", place.column);
  return text + ")";
}

std::string short_text(const SiteEntry::Place &place) {
  const bool is_call = place.kind & trace::kSiteReturn;
  std::string text = is_call ? "libc, called by " : "";
  if (is_call && place.at.function.empty())
    text += fmt::format("{}+{:#x}", last_part(place.at.file), place.at.line);
  else
    text += short_text(place.at);
  for (const NamedPlace &caller : place.callers)
    text += fmt::format(", in {}", short_text(caller));
  return text;
}

Json json_of(const NamedPlace &place) {
  return {{"function",
           place.function.empty() ? Json() : Json(demangled(place.function))},
          {"file", place.file.empty() ? Json() : Json(place.file)},
          {"line", place.line == 0 ? Json() : Json(place.line)},
          {"column", place.column == 0 ? Json() : Json(place.column)}};
}

Json json_of(const SiteEntry::Place &place) {
  Json out = json_of(place.at);
  const bool is_call = place.kind & trace::kSiteReturn;
  if (is_call && place.at.function.empty()) {
    out["line"] = nullptr;
    out["offset"] = place.at.line;
  }
  const auto does = [&](unsigned what) {
    return is_call ? Json() : Json((place.kind & what) != 0);
  };
  out["reads"] = does(trace::kSiteReads);
  out["writes"] = does(trace::kSiteWrites);
  out["libc"] = is_call;
  out["inlined_in"] = Json::array();
  for (const NamedPlace &caller : place.callers)
    out["inlined_in"].push_back(json_of(caller));
  return out;
}

NamedPlace named(const SourcePlace &place) {
  return {std::string(place.function), std::string(place.file), place.line,
          place.column};
}

SiteEntry entry_of(const SiteTable &table, std::uint32_t id) {
  SiteEntry entry;
  entry.id = id;
  for (const Site &site : table.find(id)) {
    SiteEntry::Place place;
    place.kind = site.kind;
    place.at = named(site.place);
    for (const SourcePlace &caller : site.callers)
      place.callers.push_back(named(caller));
    entry.places.push_back(std::move(place));
  }
  return entry;
}

} // namespace

std::string short_site_text(const SiteTable &table, std::uint32_t id) {
  return short_text(entry_of(table, id));
}

std::string short_text(const SiteEntry &site) {
  std::string text;
  for (const SiteEntry::Place &place : site.places)
    text += (text.empty() ? "" : " or ") + short_text(place);
  if (text.empty())
    text = site.id >= abi::kFirstCallSite
               ? std::string("libc, called by unknown code")
               : fmt::format("unknown {:#x}", site.id);
  return text;
}

bool has_line(const SiteEntry::Place &place) {
  const bool is_offset =
      (place.kind & trace::kSiteReturn) && place.at.function.empty();
  return !is_offset && !place.at.file.empty() && place.at.line != 0;
}

void SiteFigures::add(const SiteFigures &other) {
  pages += other.pages;
  written += other.written;
  shared += other.shared;
  most_threads = std::max(most_threads, other.most_threads);
  periods += other.periods;
  sum += other.sum;
}

std::string SitesReport::title() const {
  return annotates()
             ? fmt::format("Lines of {} that touched {}",
                           printable(source_.file), units())
             : fmt::format("Sites: the places in the source that touched {}",
                           units());
}

void SitesReport::check(const SelectedTrace &trace) const {
  if (!(trace.header().flags & trace::kHeaderSites))
    throw Failure(
        "{}: does not say which source lines touched pages; build the program "
        "with -g -fpagetide-layout=rw-site (or site, which is cheaper and does "
        "not tell reads from writes) and record it again",
        printable(trace.path()));
}

std::string SitesReport::key_of(const SiteTable &table, std::uint32_t id) {
  return id < abi::kFirstCallSite ? fmt::format("{:#x}", id)
                                  : site_text(table, id);
}

/// Finds the source of a call of libc.
SiteEntry SitesReport::describe(const SiteTable &table,
                                std::uint32_t id) const {
  SiteEntry entry = entry_of(table, id);
  for (SiteEntry::Place &place : entry.places) {
    if (!(place.kind & trace::kSiteReturn))
      continue;
    CodePlace code = lookup_(place.at.file, place.at.line);
    if (code.function.ends_with(kMarkedCopy))
      code.function.resize(code.function.size() - kMarkedCopy.size());
    if (!code.function.empty())
      place.at = {std::move(code.function),
                  code.file.empty() ? place.at.file : std::move(code.file),
                  code.line, 0};
  }
  return entry;
}

class SitesReport::Taker : public TraceTaker {
public:
  Taker(SitesReport &report, SelectedTrace &trace)
      : report_(report), trace_(trace) {
    trace.take_sites([this](std::uint32_t tid, std::span<const SiteRun> rows,
                            const PeriodTime &period) {
      pages_.fetch_ahead(
          rows, [&](const SiteRun &run) { add(tid, run, period.index); });
    });
  }

  void finish() override {
    const std::vector<std::uint32_t> &ids = site_numbers_.keys();
    std::vector<SiteEntry> entries;
    std::vector<std::set<std::uint64_t>> lines(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      entries.push_back(report_.describe(trace_.sites(), ids[i]));
      for (const SiteEntry::Place &place : entries[i].places)
        if (report_.source_.is_meant(place.at.file) && has_line(place)) {
          lines[i].insert(place.at.line);
          report_.annotated_.insert(place.at.file);
        }
    }
    std::vector<std::uint64_t> touched;
    std::vector<std::uint64_t> wrote;
    pages_.each([&](std::uint64_t, const Page &page) {
      if (page.sites == 0)
        return;
      const std::uint64_t sharers = threads_.size(page.threads);
      const auto add = [&](SiteFigures &figures) {
        ++figures.pages;
        figures.shared += sharers > 1;
        figures.most_threads = std::max(figures.most_threads, sharers);
      };
      touched.clear();
      wrote.clear();
      for (const std::uint32_t site : sites_.members(page.sites)) {
        add(counts_[site].figures);
        touched.insert(touched.end(), lines[site].begin(), lines[site].end());
      }
      for (const std::uint32_t site : sites_.members(page.writers)) {
        ++counts_[site].figures.written;
        wrote.insert(wrote.end(), lines[site].begin(), lines[site].end());
      }
      // Several sites of a line count once.
      for (std::vector<std::uint64_t> *list : {&touched, &wrote}) {
        std::ranges::sort(*list);
        list->erase(std::ranges::unique(*list).begin(), list->end());
      }
      for (const std::uint64_t line : touched)
        add(report_.lines_[line]);
      for (const std::uint64_t line : wrote)
        ++report_.lines_[line].written;
    });
    for (std::size_t i = 0; i < ids.size(); ++i) {
      SiteEntry &entry =
          report_.sites_.try_emplace(key_of(trace_.sites(), ids[i]), entries[i])
              .first->second;
      entry.figures.add(counts_[i].figures);
    }
    report_.is_lower_bound_ |= pages_.is_lower_bound() ||
                               threads_.is_lower_bound() ||
                               sites_.is_lower_bound();
    report_.left_out_sites_ |= trace_.sites().is_full();
  }

private:
  struct Count {
    SiteFigures figures;
    std::uint64_t last_period = UINT64_MAX;
  };

  /// Returns the site's number.
  std::uint32_t count(std::uint32_t id, std::uint64_t granules,
                      std::uint64_t period) {
    const std::uint32_t number = site_numbers_.of(id);
    if (number >= counts_.size())
      counts_.resize(number + 1);
    Count &of = counts_[number];
    of.figures.sum += granules;
    of.figures.periods += of.last_period != period;
    of.last_period = period;
    return number;
  }

  void add(std::uint32_t tid, const SiteRun &run, std::uint64_t period) {
    const std::uint32_t read = certain_site(run.read);
    const std::uint32_t write = certain_site(run.write);
    std::uint32_t of_read = 0;
    std::uint32_t of_write = 0;
    if (read != 0)
      of_read = count(read, run.count, period);
    if (write != 0)
      of_write = count(write, read == write ? 0 : run.count, period);
    if (read == 0 && write == 0)
      return;
    const std::uint32_t thread = thread_numbers_.of(tid);
    pages_.visit(run.first, run.end(), [&](Page &page) {
      threads_.add(page.threads, thread);
      if (read != 0)
        sites_.add(page.sites, of_read);
      if (write != 0) {
        if (write != read)
          sites_.add(page.sites, of_write);
        sites_.add(page.writers, of_write);
      }
    });
  }

  SitesReport &report_;
  SelectedTrace &trace_;
  PageTable<Page> pages_{kTableBytes};
  ThreadSets threads_;
  ThreadSets sites_;
  KeyNumbers thread_numbers_;
  KeyNumbers site_numbers_;
  std::vector<Count> counts_; ///< by the number of the site
};

std::unique_ptr<TraceTaker> SitesReport::start(SelectedTrace &trace) {
  return std::make_unique<Taker>(*this, trace);
}

std::vector<const SiteEntry *>
SitesReport::largest(std::uint64_t SiteFigures::*by) const {
  std::vector<const SiteEntry *> entries;
  for (const auto &[key, entry] : sites_)
    if (entry.figures.*by != 0)
      entries.push_back(&entry);
  std::ranges::sort(entries, [by](const SiteEntry *a, const SiteEntry *b) {
    return std::tuple(b->figures.*by, b->figures.sum, a->id) <
           std::tuple(a->figures.*by, a->figures.sum, b->id);
  });
  return entries;
}

std::span<const ReportColumn> SitesReport::columns() const {
  static constexpr ReportColumn kColumns[] = {
      {"id"},     {"place"},        {"ambiguous"}, {"pages"},   {"written"},
      {"shared"}, {"most_threads"}, {"periods"},   {"accessed"}};
  return kColumns;
}

std::vector<ReportRow> SitesReport::rows() const {
  std::vector<ReportRow> rows;
  for (const SiteEntry *entry : largest(&SiteFigures::pages)) {
    const SiteFigures &figures = entry->figures;
    rows.push_back({fmt::format("{:#x}", entry->id), short_text(*entry),
                    entry->places.size() > 1, figures.pages,
                    if_told(figures.written), figures.shared,
                    figures.most_threads, figures.periods, figures.sum});
  }
  return rows;
}

void SitesReport::write_table(ReportLines &out, const std::string &heading,
                              const std::string &meaning,
                              std::uint64_t SiteFigures::*by) const {
  const std::vector<const SiteEntry *> entries =
      is_sorted() ? arranged(largest(&SiteFigures::pages)) : largest(by);
  if (entries.empty())
    return;
  BarTable table = bar_table("place", {std::string(unit()) + "s", "written",
                                       "shared", "threads", "periods"});
  table.has_bars = out.style().width >= kWidthForBars;
  table.keeps_beginnings = true;
  // Places often differ in what is cut off: the line or the column.
  table.long_labels_above = true;
  table.dark_meaning = fmt::format("{}s {}", unit(), meaning);
  table.light_meaning.clear();
  table.noun = "place";
  table.all_rows = entries.size();
  for (const SiteEntry *entry :
       std::span(entries).first(std::min(out.style().top, entries.size()))) {
    const SiteFigures &figures = entry->figures;
    table.rows.push_back(
        {printable(short_text(*entry)),
         {figures.pages, if_told(figures.written), figures.shared,
          figures.most_threads, figures.periods},
         {figures.*by, figures.*by}});
  }
  out.table(heading, std::move(table));
}

void SitesReport::write_notes(ReportLines &out) const {
  std::size_t ambiguous = 0;
  std::size_t unknown = 0;
  for (const auto &[key, entry] : sites_) {
    ambiguous += entry.places.size() > 1;
    unknown += entry.places.empty();
  }
  out.line("");
  out.statement(
      "A mark names one place and stands for all accesses that share it, so a "
      "line without counts may have touched pages too.");
  if (ambiguous != 0)
    out.statement(
        fmt::format("{} id{} ambiguous: two places have it, and \"or\" parts "
                    "them.",
                    format_count(ambiguous), ambiguous == 1 ? " is" : "s are"));
  if (unknown != 0)
    out.statement(fmt::format("{} id{} in no table that the trace has.",
                              format_count(unknown),
                              unknown == 1 ? " is" : "s are"));
  if (left_out_sites_)
    out.statement(
        "The trace has more sites than this report keeps, so some are "
        "unknown.");
  if (is_lower_bound_)
    out.statement(
        "The counts are lower bounds: there are more pages than this report "
        "keeps.");
}

void SitesReport::write_annotated(ReportLines &out) const {
  if (annotated_.empty())
    throw Failure(
        "{}: no line of it touched a {} here; give a path as the compiler had "
        "it, or its last parts. The program needs debug information (-g)",
        printable(source_.file), unit());
  if (annotated_.size() > 1) {
    std::string files;
    for (const std::string &file : annotated_)
      files += (files.empty() ? "" : ", ") + printable(file);
    throw Failure("--annotate {}: several files have that name: {}; give more "
                  "of the path",
                  printable(source_.file), files);
  }
  const std::vector<std::string> text =
      read_source(source_, *annotated_.begin());
  const std::string blank;
  out.line("{:>9} {:>9} {:>9}  {:>6}", std::string(unit()) + "s",
           tells_reads() ? "written" : "", "shared", "line");
  const auto number = [](std::uint64_t count) {
    return count == 0 ? std::string() : format_count(count);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto found = lines_.find(i + 1);
    const SiteFigures figures =
        found == lines_.end() ? SiteFigures() : found->second;
    std::string line;
    for (const char c : text[i])
      if (c == '\t')
        line.append(8 - line.size() % 8, ' ');
      else
        line += c;
    out.line("{:>9} {:>9} {:>9}  {:>6} {}", number(figures.pages),
             tells_reads() ? number(figures.written) : blank,
             number(figures.shared), i + 1, printable(line));
  }
  const auto beyond = lines_.upper_bound(text.size());
  if (beyond != lines_.end())
    out.line("The source has changed: line {} touched pages, and there are {} "
             "lines.",
             lines_.rbegin()->first, text.size());
}

void SitesReport::write_text(ReportLines &out) const {
  if (annotates()) {
    write_annotated(out);
    return;
  }
  if (sites_.empty()) {
    out.line("No {} was {}.", unit(), access_word());
    return;
  }
  write_table(out,
              fmt::format("By {0}s: distinct {0}s that each place {1}; those "
                          "that several threads touched, and the most threads "
                          "that touched one",
                          unit(), access_word()),
              access_word(), &SiteFigures::pages);
  if (tells_reads() && !is_sorted()) {
    out.line("");
    write_table(out, fmt::format("By {}s written", unit()), "written",
                &SiteFigures::written);
  }
  if (!is_sorted() && !largest(&SiteFigures::shared).empty()) {
    out.line("");
    write_table(
        out,
        fmt::format("By sharing: {}s that several threads touched", unit()),
        "that several threads touched", &SiteFigures::shared);
  }
  write_notes(out);
}

void SitesReport::write_json(Json &out) const {
  const auto figures_of = [this](const SiteFigures &figures) {
    return Json{{"pages", figures.pages},
                {"written", if_told(figures.written)},
                {"shared", figures.shared},
                {"most_threads", figures.most_threads}};
  };
  const std::vector<const SiteEntry *> entries =
      arranged(largest(&SiteFigures::pages));
  out["is_lower_bound"] = is_lower_bound_;
  out["site_count"] = entries.size();
  out["sites"] = Json::array();
  for (std::size_t i = 0; i < entries.size() && i < kMaxListedSites; ++i) {
    const SiteEntry &entry = *entries[i];
    Json site = {{"id", fmt::format("{:#x}", entry.id)},
                 {"ambiguous", entry.places.size() > 1}};
    site["places"] = Json::array();
    for (const SiteEntry::Place &place : entry.places)
      site["places"].push_back(json_of(place));
    site.update(figures_of(entry.figures));
    site["periods"] = entry.figures.periods;
    site["accessed"] = entry.figures.sum;
    out["sites"].push_back(std::move(site));
  }
  if (!annotates())
    return;
  out["annotated"] = Json::array();
  for (const std::string &file : annotated_)
    out["annotated"].push_back(file);
  out["lines"] = Json::array();
  for (const auto &[line, figures] : lines_) {
    Json entry = {{"line", line}};
    entry.update(figures_of(figures));
    out["lines"].push_back(std::move(entry));
  }
}

} // namespace pagetide::tools
