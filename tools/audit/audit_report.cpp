//===- audit_report.cpp - What an audit says, for people ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "audit/audit_report.h"

#include "audit/elf_image.h"
#include "support/json.h"
#include "support/text_format.h"
#include "support/text_wrap.h"
#include "trace/completeness_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace pagetide::tools {

namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0)
    return "-";
  // "100.00 %" and "0.00 %" are shown only if they are exact.
  const double exact =
      100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part != whole && exact > 99.99)
    return "99.99 %";
  if (part != 0 && exact < 0.01)
    return "0.01 %";
  return fmt::format("{:.2f} %", exact);
}

class TextAudit : TextLines {
public:
  TextAudit(const Audit &audit, const AuditStyle &style)
      : audit_(audit), style_(style) {}

  std::string run(const std::string &title) {
    line("{}", printable(title));
    periods();
    figures();
    table();
    groups(Concern::kProgram, "Uncovered in the program's memory");
    groups(Concern::kStacks,
           "Uncovered in stacks and thread-local storage (register spills, "
           "call frames, the C library; outside by the contract)");
    groups(Concern::kSystem,
           "Uncovered in the C library's and the loader's own data");
    if (audit_.pages_left_out)
      paragraph(2, "There are more uncovered pages than can be listed.");
    libraries();
    functions_not_seen();
    unseen();
    verdict();
    return take();
  }

private:
  void periods() {
    std::string text = fmt::format("{} period{}", format_count(audit_.compared),
                                   plural(audit_.compared));
    if (audit_.header.period_ns != 0)
      text += fmt::format(" of {}", format_duration(audit_.header.period_ns));
    text += fmt::format(
        ", layout {}, granule {}", abi::kLayoutNames[audit_.header.layout],
        format_bytes(std::uint64_t{1} << audit_.header.granule_shift));
    line("  {}", text);
    if (const std::uint64_t others = audit_.periods - audit_.compared) {
      const char *it = others == 1 ? "it" : "them";
      std::string why = fmt::format("the trace does not say what the kernel "
                                    "saw in {}",
                                    it);
      if (audit_.completeness.missing_count() != 0)
        why += fmt::format(", or a period beside {} is missing", it);
      paragraph(2,
                fmt::format("{} further period{} {} not compared: {} (nobody "
                            "looks at the last period of a killed program)",
                            others, plural(others),
                            others == 1 ? "was" : "were", why));
    }
    if (!audit_.completeness.is_complete())
      paragraph(2, audit_.completeness.verdict());
    if (!audit_.tells_writes)
      paragraph(2, "layout `access` does not tell writes from reads, so a page "
                   "counts as covered if it was accessed at all");
    for (const Note &note : audit_.lost)
      paragraph(2, fmt::format("lost (period {}): {}", note.period,
                               printable(note.text)));
  }

  std::uint64_t uncovered(Concern concern) const {
    return audit_.uncovered_by[static_cast<std::size_t>(concern)];
  }

  void figures() {
    line("");
    line("  {:<38}{:>14}{:>14}{:>12}", "Pages x periods", "written",
         "not marked", "covered");
    const auto row = [&](const char *label, std::uint64_t written,
                         std::uint64_t missed) {
      line("  {:<38}{:>14}{:>14}{:>12}", label, format_count(written),
           format_count(missed), percent(written - missed, written));
    };
    const auto row_of = [&](const char *label, Concern concern) {
      row(label, audit_.written_by[static_cast<std::size_t>(concern)],
          uncovered(concern));
    };
    row_of("the program's memory", Concern::kProgram);
    row_of("stacks, thread-local storage", Concern::kStacks);
    row_of("the C library's and the loader's own", Concern::kSystem);
    row("all", audit_.written, audit_.uncovered());
    line("");
    if (audit_.touched != 0)
      line("  {:<38}{:>14}", "Shared, touched before it was watched",
           format_count(audit_.touched));
    if (audit_.tells_writes)
      line("  {:<38}{:>14}", "Marked as written, not seen written",
           format_count(audit_.marked_only));
  }

  static std::string name_of(const AuditGroup &group) {
    if (group.kind == PageKind::kLoader)
      return group.name + " (relocations)";
    if (group.kind == PageKind::kExiting)
      return group.name + " (at exit)";
    return group.name;
  }

  void table() {
    line("");
    line("  {:<38}{:>14}{:>14}{:>12}", "Mapping", "written", "not marked",
         "covered");
    std::size_t shown = 0;
    for (const AuditGroup &group : audit_.groups) {
      if (group.uncovered() == 0 && shown >= style_.top)
        continue;
      std::string name = printable(name_of(group));
      constexpr std::size_t kNameWidth = 37;
      if (name.size() > kNameWidth)
        name = "..." + name.substr(name.size() - kNameWidth + 3);
      line("  {:<38}{:>14}{:>14}{:>12}", name, format_count(group.written),
           format_count(group.uncovered()),
           percent(group.covered, group.written));
      ++shown;
    }
  }

  /// Neighbouring pages with the same history are one line.
  void pages(const AuditGroup &group) {
    std::size_t lines = 0;
    const std::uint64_t page_bytes = audit_.header.page_bytes;
    for (std::size_t i = 0; i < group.pages.size();) {
      const UncoveredPage &first = group.pages[i];
      std::size_t end = i + 1;
      while (end < group.pages.size() &&
             group.pages[end].address ==
                 group.pages[end - 1].address + page_bytes &&
             group.pages[end].periods == first.periods &&
             group.pages[end].variables == first.variables)
        ++end;
      if (lines++ == style_.pages) {
        line("    and {} more page{} (--pages N lists N ranges)",
             format_count(group.distinct - i), plural(group.distinct - i));
        return;
      }
      std::string text = fmt::format("{:#x}", first.address);
      if (end - i > 1)
        text += fmt::format(" and the {} behind", end - i - 1);
      if (first.linked)
        text += fmt::format(" ({:#x} in the file)", *first.linked);
      text += fmt::format(", in {} period{} from {} to {}", first.periods,
                          plural(first.periods), first.first_period,
                          first.last_period);
      if (!first.variables.empty()) {
        text += "; holds ";
        for (std::size_t v = 0; v < first.variables.size(); ++v)
          text += (v == 0 ? "" : ", ") + printable(first.variables[v]);
      }
      paragraph(4, text);
      i = end;
    }
  }

  void groups(Concern concern, const char *heading) {
    if (uncovered(concern) == 0)
      return;
    line("");
    paragraph(0, heading);
    std::string before;
    for (const AuditGroup &group : audit_.groups) {
      if (concern_of(group.kind) != concern || group.uncovered() == 0)
        continue;
      paragraph(2, fmt::format("{}: {} ({} page{}; times periods: {})",
                               printable(name_of(group)), kind_text(group.kind),
                               format_count(group.distinct),
                               plural(group.distinct),
                               format_count(group.uncovered())));
      const std::string advice = advice_for(group.kind);
      if (!advice.empty() && advice != before)
        paragraph(4, advice);
      before = advice;
      pages(group);
    }
  }

  void libraries() {
    std::string plain;
    for (const LoadedModule &module : audit_.modules)
      if (!module.instrumented && !module.is_system && !module.is_runtime)
        plain += (plain.empty() ? "" : ", ") + printable(module.path) +
                 (module.is_executable ? " (the program itself)" : "");
    line("");
    paragraph(0,
              plain.empty()
                  ? std::string("Loaded files that are not instrumented: none "
                                "but the C library")
                  : "Loaded files that are not instrumented, besides the C "
                    "library: " +
                        plain);
    if (!plain.empty())
      paragraph(
          2, "Whatever these write into the program's memory has no mark. "
             "Build them with CC=pagetide-clang CXX=pagetide-clang++, and load "
             "those (LD_LIBRARY_PATH).");
  }

  /// Functions of libc that instrumented files import, and whose writes no
  /// mark tells of.
  void functions_not_seen() {
    std::map<std::string, std::set<std::string>> by_reason;
    for (const LoadedModule &module : audit_.modules)
      if (module.instrumented)
        for (const std::string &name : module.not_seen)
          by_reason[why_not_seen(name)].insert(name);
    if (by_reason.empty())
      return;
    line("");
    paragraph(0, "Functions of libc that instrumented files import, and whose "
                 "writes have no marks (interceptors.md lists all)");
    for (const auto &[why, names] : by_reason)
      paragraph(2, fmt::format("{}: {}", fmt::join(names, ", "), why));
  }

  void unseen() {
    if (audit_.unseen.empty())
      return;
    line("");
    line("Not watched by the kernel, so not audited");
    const std::size_t shown =
        std::min(audit_.unseen.size(), std::max<std::size_t>(style_.top, 1));
    for (std::size_t i = 0; i < shown; ++i)
      paragraph(2, fmt::format("{:#x}, {}: {}", audit_.unseen[i].start,
                               format_bytes(audit_.unseen[i].bytes),
                               printable(audit_.unseen[i].text)));
    if (audit_.unseen.size() > shown)
      line("  and {} more", audit_.unseen.size() - shown);
  }

  void verdict() {
    line("");
    if (audit_.program_is_covered())
      paragraph(0,
                "Verdict: every page of the program's memory that was written "
                "in these periods is in its page sets.");
    else
      paragraph(0, fmt::format(
                       "Verdict: the page sets lack {} of the pages of the "
                       "program's memory that were written (pages x periods).",
                       percent(uncovered(Concern::kProgram),
                               audit_.written_by[static_cast<std::size_t>(
                                   Concern::kProgram)])));
  }

  const Audit &audit_;
  const AuditStyle &style_;
};

} // namespace

std::string audit_text(const Audit &audit, const std::string &title,
                       const AuditStyle &style) {
  return TextAudit(audit, style).run(title);
}

std::string audit_json(const Audit &audit) {
  Json out;
  out["file"] = audit.path;
  out.update(completeness_json(audit.completeness));
  out["pid"] = audit.header.pid;
  if (audit.process) {
    out["executable"] = audit.process->executable;
    out["arguments"] = audit.process->arguments;
  }
  out["layout"] = abi::kLayoutNames[audit.header.layout];
  out["granule_bytes"] = std::uint64_t{1} << audit.header.granule_shift;
  out["page_bytes"] = audit.header.page_bytes;
  out["period_ns"] = audit.header.period_ns;
  out["periods"] = audit.periods;
  out["compared"] = audit.compared;
  out["written"] = audit.written;
  out["covered"] = audit.covered;
  for (const Concern concern :
       {Concern::kProgram, Concern::kStacks, Concern::kSystem}) {
    const auto at = static_cast<std::size_t>(concern);
    out[concern_key(concern)] = {{"written", audit.written_by[at]},
                                 {"uncovered", audit.uncovered_by[at]}};
  }
  out["touched"] = audit.touched;
  out["marked_only"] = audit.tells_writes ? Json(audit.marked_only) : Json();
  out["pages_left_out"] = audit.pages_left_out;
  out["groups"] = Json::array();
  for (const AuditGroup &group : audit.groups) {
    Json pages = Json::array();
    for (const UncoveredPage &page : group.pages)
      pages.push_back(
          {{"address", fmt::format("{:#x}", page.address)},
           {"linked",
            page.linked ? Json(fmt::format("{:#x}", *page.linked)) : Json()},
           {"periods", page.periods},
           {"first_period", page.first_period},
           {"last_period", page.last_period},
           {"variables", page.variables}});
    out["groups"].push_back({{"kind", kind_key(group.kind)},
                             {"concern", concern_key(concern_of(group.kind))},
                             {"name", group.name},
                             {"written", group.written},
                             {"covered", group.covered},
                             {"uncovered", group.uncovered()},
                             {"uncovered_pages", group.distinct},
                             {"advice", advice_for(group.kind)},
                             {"pages", std::move(pages)}});
  }
  out["modules"] = Json::array();
  for (const LoadedModule &module : audit.modules) {
    Json functions = Json::array();
    for (const std::string &name : module.not_seen)
      functions.push_back({{"function", name}, {"why", why_not_seen(name)}});
    out["modules"].push_back({{"path", module.path},
                              {"instrumented", module.instrumented},
                              {"system", module.is_system},
                              {"runtime", module.is_runtime},
                              {"executable", module.is_executable},
                              {"not_seen", std::move(functions)}});
  }
  out["unseen"] = Json::array();
  for (const Region &region : audit.unseen)
    out["unseen"].push_back({{"address", fmt::format("{:#x}", region.start)},
                             {"bytes", region.bytes},
                             {"why", region.text}});
  out["lost"] = Json::array();
  for (const Note &note : audit.lost)
    out["lost"].push_back({{"period", note.period}, {"text", note.text}});
  return dumped(out);
}

} // namespace pagetide::tools
