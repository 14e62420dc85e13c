//===- report_options.h - What all kinds of reports are told --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Validator;
} // namespace CLI

namespace pagetide::tools {

struct Selection;
struct SourceRequest;

struct ReportOptions {
  std::vector<std::string> files;
  bool json = false;
  bool only = false;
  std::size_t top = 10;
};

/// Declares FILE and --only.
void declare_traces(CLI::App &app,
                    const std::shared_ptr<ReportOptions> &options);

/// Declares FILE, --json, --only and --top.
void declare_report_options(CLI::App &app,
                            const std::shared_ptr<ReportOptions> &options);

/// The same without FILE.
void declare_report_flags(CLI::App &app,
                          const std::shared_ptr<ReportOptions> &options);

/// Declares what chooses a part of the traces. The owner of `selection` must
/// outlive the parsing.
void declare_selection(CLI::App &app,
                       const std::shared_ptr<Selection> &selection);

/// Declares --source-path: where sources have moved to.
void declare_source_path(CLI::App &app,
                         const std::shared_ptr<SourceRequest> &source);

/// Throws Failure if nothing can be selected.
void check_selection(const Selection &selection);

/// Accepts what parse_range() reads.
CLI::Validator range_check();

/// The files that the user names, each followed by the other traces of its run.
/// Throws Failure if the first one is not there and its name is nearly that of
/// a kind of report.
std::vector<std::string> traces_of(const ReportOptions &options);

/// When the first of the processes began to record.
std::uint64_t start_of_run(const std::vector<std::string> &traces);

} // namespace pagetide::tools
