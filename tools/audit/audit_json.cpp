//===- audit_json.cpp - What an audit says, for programs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "audit/audit_json.h"

#include "audit/not_seen.h"
#include "support/json.h"
#include "trace/completeness_json.h"

#include <fmt/format.h>

#include <utility>

namespace pagetide::tools {

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
  return out.dump();
}

} // namespace pagetide::tools
