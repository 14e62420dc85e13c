//===- audit_exact.cpp - pagetide audit --exact ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/audit_exact.h"

#include "commands/command.h"
#include "engines/emulate/emulated_run.h"
#include "record/runtime_options.h"
#include "support/code_places.h"
#include "support/failure.h"
#include "support/json.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <utility>

namespace pagetide::tools {

namespace {

/// Code that the compiler's start-up files and the pass add. It has no marks.
constexpr const char *kStartUpCode[] = {"_start",
                                        "_init",
                                        "_fini",
                                        "_dl_relocate_static_pie",
                                        "frame_dummy",
                                        "register_tm_clones",
                                        "deregister_tm_clones",
                                        "__do_global_dtors_aux"};

bool is_start_up_code(const std::string &function) {
  return function.starts_with("pagetide.") ||
         std::ranges::find(kStartUpCode, function) != std::end(kStartUpCode);
}

/// What one place in the code did to pages.
struct Place {
  std::set<std::uint64_t> pages;
  std::uint64_t first_period = UINT64_MAX;
  std::uint64_t last_period = 0;
  std::uint64_t times = 0;
};

/// What the plugin wrote of one process (emulate/comparison.h).
struct ComparedProcess {
  std::uint64_t pid = 0, periods = 0, compared = 0, granule_shift = 0;
  /// By "lost" or "claimed", and then by "read" or "written", and which code.
  std::map<std::string, std::map<std::pair<std::string, std::string>, Place>>
      faults;

  std::size_t pages(const std::string &fault) const {
    std::set<std::uint64_t> all;
    if (const auto found = faults.find(fault); found != faults.end())
      for (const auto &[what, place] : found->second)
        all.insert(place.pages.begin(), place.pages.end());
    return all.size();
  }
};

std::string text_of(const CodePlace &place, const std::string &path,
                    std::uint64_t offset) {
  const std::string name = path.substr(path.rfind('/') + 1);
  std::string text =
      fmt::format("{} in {}",
                  place.function.empty() ? fmt::format("offset 0x{:x}", offset)
                                         : place.function,
                  name);
  if (place.line != 0)
    text += fmt::format(
        " ({}:{})", place.file.substr(place.file.rfind('/') + 1), place.line);
  return printable(text);
}

ComparedProcess read_process(const std::filesystem::path &path,
                             const CodeLookup &places) {
  ComparedProcess process;
  std::ifstream file(path);
  std::string fault;
  file >> fault >> process.pid >> process.periods >> process.compared >>
      process.granule_shift;
  std::string kind, module;
  std::uint64_t address, first, last, times, offset;
  while (file >> fault >> kind >> address >> first >> last >> times >> offset &&
         std::getline(file >> std::ws, module)) {
    const CodePlace code = places(module, offset + 1);
    if (fault == "lost" && is_start_up_code(code.function))
      continue;
    Place &place = process.faults[fault][{kind, text_of(code, module, offset)}];
    place.pages.insert(address);
    place.first_period = std::min(place.first_period, first);
    place.last_period = std::max(place.last_period, last);
    place.times += times;
  }
  return process;
}

std::string report_of(const ComparedProcess &process,
                      const std::string &command, std::size_t most) {
  std::string text =
      fmt::format("Exact audit of process {}: {}\n"
                  "  {} period{}, {} comparisons of a page of {}\n\n"
                  "  pages accessed without a mark (lost)     {:>9}\n"
                  "  pages marked and not accessed (claimed)  {:>9}\n",
                  process.pid, command, format_count(process.periods),
                  plural(process.periods), format_count(process.compared),
                  format_bytes(std::uint64_t{1} << process.granule_shift),
                  format_count(process.pages("lost")),
                  format_count(process.pages("claimed")));
  for (const auto &[fault, places] : process.faults) {
    text += fmt::format("\n{}\n", fault == "lost" ? "Lost" : "Claimed");
    std::size_t listed = 0;
    for (const auto &[what, place] : places) {
      if (listed++ == most) {
        text += fmt::format("  and {} more places (--pages N lists N)\n",
                            places.size() - most);
        break;
      }
      text += fmt::format("  {}{} by {}\n    0x{:x}",
                          fault == "lost" ? "" : "marked as ", what.first,
                          what.second, *place.pages.begin());
      if (place.pages.size() > 1)
        text += fmt::format(" and {} more page{}", place.pages.size() - 1,
                            plural(place.pages.size() - 1));
      text += fmt::format(", periods {} to {}, {} time{}\n", place.first_period,
                          place.last_period, format_count(place.times),
                          plural(place.times));
    }
  }
  return text + "\n";
}

Json json_of(const ComparedProcess &process) {
  Json out = {{"pid", process.pid},
              {"periods", process.periods},
              {"compared", process.compared},
              {"granule_bytes", std::uint64_t{1} << process.granule_shift}};
  for (const char *fault : {"lost", "claimed"}) {
    Json places = Json::array();
    if (const auto found = process.faults.find(fault);
        found != process.faults.end())
      for (const auto &[what, place] : found->second)
        places.push_back(
            {{"kind", what.first},
             {"code", what.second},
             {"address", fmt::format("{:#x}", *place.pages.begin())},
             {"pages", place.pages.size()},
             {"first_period", place.first_period},
             {"last_period", place.last_period},
             {"times", place.times}});
    out[fault] = {{"pages", process.pages(fault)},
                  {"places", std::move(places)}};
  }
  return out;
}

std::string directory_of_found(const ExactAuditOptions &options) {
  return options.directory + "/compared";
}

} // namespace

ExitStatus run_exactly(const ExactAuditOptions &options,
                       const std::string &file,
                       const std::vector<std::string> &command) {
  check_emulation(file);
  const std::string found = directory_of_found(options);
  std::filesystem::create_directory(found);
  EmulatedRunOptions run;
  run.compared = found;
  RuntimeOptions runtime(inherited_options());
  runtime.add("trace_path", options.directory + "/audit.ptrace");
  runtime.add("period", duration_option(options.period_ns));
  runtime.add("low_memory", "1");
  run.runtime_options = runtime.text();
  return run_emulated(run, file, command, QuietPipes());
}

int report_exactly(const ExactAuditOptions &options,
                   const std::vector<std::string> &command) {
  TextOutput out =
      options.report.empty() ? TextOutput() : TextOutput(options.report);
  const CodeLookup places = read_code_places();
  std::uint64_t compared = 0;
  std::size_t faults = 0;
  Json processes = Json::array();
  const std::filesystem::directory_iterator found(directory_of_found(options));
  std::set<std::filesystem::path> files;
  for (const auto &entry : found)
    files.insert(entry.path());
  for (const std::filesystem::path &file : files) {
    const ComparedProcess process = read_process(file, places);
    compared += process.compared;
    faults += process.faults.size();
    if (process.compared == 0)
      continue;
    if (options.json)
      processes.push_back(json_of(process));
    else
      out.write(report_of(process, printable(format_command(command)),
                          options.places));
  }
  if (options.json) {
    Json document;
    document["pagetide_audit_exact"] = 1;
    document["processes"] = std::move(processes);
    out.write(document.dump() + "\n");
  } else if (compared != 0)
    out.write(faults == 0 ? "Verdict: exact.\n" : "Verdict: not exact.\n");
  out.close();
  if (compared == 0) {
    say("nothing could be compared: no instrumented process recorded a period "
        "to its end; build the program with pagetide-clang");
    return kStatusFailed;
  }
  return faults == 0 ? kStatusDone : kStatusNegative;
}

} // namespace pagetide::tools
