//===- completeness_json.cpp - What a trace lacks, for programs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/completeness_json.h"

namespace pagetide::tools {

Json completeness_json(const Completeness &completeness) {
  Json missing = Json::array();
  for (const PeriodRange &range : completeness.missing())
    missing.push_back({{"first", range.first}, {"last", range.last}});
  if (const auto rest = completeness.missing_rest())
    missing.push_back({{"first", *rest}, {"last", nullptr}});
  Json damage = Json::array();
  for (const Damage &place : completeness.damage())
    damage.push_back({{"offset", place.offset},
                      {"bytes", place.bytes},
                      {"reason", place.reason}});
  const std::string problem = completeness.sentence();
  Json out;
  out["complete"] = completeness.is_complete();
  out["problem"] = problem.empty() ? Json() : Json(problem);
  out["missing"] = std::move(missing);
  out["partial"] = completeness.partial();
  out["without_mappings"] = completeness.without_mappings();
  out["damaged_bytes"] = completeness.damaged_bytes();
  out["damage"] = std::move(damage);
  return out;
}

} // namespace pagetide::tools
