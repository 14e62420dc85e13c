//===- diff_text.h - Where two runs differ, for people and programs -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "compare/run_comparison.h"
#include "report/bar_table.h"
#include "support/json.h"

#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

std::string diff_text(const RunComparison &comparison,
                      const ReportStyle &style);

/// One JSON document, as docs/reference/cli-output.md describes it.
std::string diff_json(const RunComparison &comparison);

/// What the reader should know about the comparison, in sentences.
std::vector<std::string> diff_remarks(const RunComparison &comparison);

/// "equal", "different" or "undecided".
NLOHMANN_JSON_SERIALIZE_ENUM(Verdict, {{Verdict::kEqual, "equal"},
                                       {Verdict::kDifferent, "different"},
                                       {Verdict::kUndecided, "undecided"}})

/// The two runs, in the head of a text.
void write_runs(ReportLines &out, std::span<const RunReport::Trace> a,
                std::span<const RunReport::Trace> b, const std::string &words);

/// Their traces, and what these lack.
Json traces_json(std::span<const RunReport::Trace> traces);

} // namespace pagetide::tools
