//===- target.cpp - pagetide target ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/trace_files.h"
#include "commands/command.h"
#include "commands/recording_options.h"
#include "record/runtime_options.h"
#include "support/failure.h"
#include "support/json.h"
#include "support/option_text.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "targets/target_list.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kMaxKeep = 10000;
constexpr std::uint64_t kMaxLimitMib = 1 << 20;

struct TargetOptions {
  std::string operation;
  std::string name;
  std::string folder;
  RecordingOptions recording;
  std::uint64_t keep = 0;      ///< 0: not given
  std::uint64_t limit_mib = 0; ///< 0: not given
  bool json = false;
};

//===- What a folder holds ------------------------------------------------===//

struct FolderUse {
  std::uint64_t traces = 0;
  std::uint64_t bytes = 0;
  std::string newest; ///< path; empty: none
};

FolderUse use_of(const std::string &folder) {
  FolderUse use;
  std::error_code error;
  std::filesystem::file_time_type newest;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator();
       entries.increment(error)) {
    const std::string path = entries->path().string();
    if (kind_of_file(path) != FileKind::kTrace)
      continue;
    std::error_code gone; // another process may remove it meanwhile
    const auto bytes = entries->file_size(gone);
    const auto time = entries->last_write_time(gone);
    if (gone)
      continue;
    ++use.traces;
    use.bytes += bytes;
    if (use.newest.empty() || time > newest) {
      newest = time;
      use.newest = path;
    }
  }
  return use;
}

//===- list ---------------------------------------------------------------===//

std::string limit_of(const Target &target) {
  const auto mib = parse_number(option_in(target.options, "trace_limit_mib"));
  return mib && *mib != 0 ? fmt::format("{} MiB", *mib) : "any size";
}

std::string target_text(const Target &target) {
  const FolderUse use = use_of(target.folder);
  std::string out = fmt::format(
      "{}\n  folder   {}\n  traces   {} of at most {} ({}), each up to about "
      "{}\n",
      printable(target.program), printable(target.folder), use.traces,
      option_in(target.options, "keep_traces"), format_bytes(use.bytes),
      limit_of(target));
  if (!use.newest.empty())
    out += fmt::format("  newest   {}\n", printable(use.newest));
  return out + fmt::format("  options  {}\n", printable(target.options));
}

void list_targets(const TargetList &list, const std::string &path, bool json) {
  TextOutput out;
  if (json) {
    auto targets = Json::array();
    for (const Target &target : list.targets()) {
      const FolderUse use = use_of(target.folder);
      targets.push_back({{"program", target.program},
                         {"folder", target.folder},
                         {"options", target.options},
                         {"traces", use.traces},
                         {"bytes", use.bytes},
                         {"newest", use.newest}});
    }
    const Json all = {
        {"pagetide_targets", 1}, {"list", path}, {"targets", targets}};
    out.write(dumped(all) + "\n");
  } else if (list.targets().empty()) {
    out.write("No program records by itself. Add one with: pagetide target add "
              "NAME\n");
  } else {
    for (const Target &target : list.targets())
      out.write(target_text(target));
  }
  out.close();
}

//===- add, remove, reset -------------------------------------------------===//

std::string options_text(const TargetOptions &options) {
  constexpr std::uint64_t kDefaultKeep = 16;
  constexpr std::uint64_t kDefaultLimitMib = 64;
  RuntimeOptions text("");
  options.recording.check_windows();
  add_recording_text(text, options.recording);
  // No failure of a recording may stop the program.
  text.add("on_failure", "continue");
  text.add("keep_traces",
           std::to_string(options.keep ? options.keep : kDefaultKeep));
  text.add(
      "trace_limit_mib",
      std::to_string(options.limit_mib ? options.limit_mib : kDefaultLimitMib));
  return text.text();
}

void make_folder(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    throw Failure(
        "target: {}: cannot be made: {}; name another folder with --folder",
        printable(folder), error.message());
}

/// A path must lead to a file. A name alone need not be anywhere yet.
void check_named_file(const std::string &name) {
  if (name.find('/') == std::string::npos && name != "." && name != "..")
    return;
  std::error_code error;
  const auto status = std::filesystem::status(name, error);
  const std::string problem = std::filesystem::is_regular_file(status) ? ""
                              : std::filesystem::exists(status)
                                  ? "is no file"
                                  : error.message();
  if (!problem.empty())
    throw Failure("target: {}: {}; give the path of a program's file, or its "
                  "name alone, as in: pagetide target add sqlite3",
                  printable(name), problem);
}

void add_target(TargetList &list, const TargetOptions &options) {
  check_named_file(options.name);
  Target target;
  target.program = std::filesystem::path(options.name).filename().string();
  target.folder = options.folder.empty()
                      ? default_target_folder(target.program)
                      : std::filesystem::absolute(options.folder)
                            .lexically_normal()
                            .string();
  target.options = options_text(options);
  if (const std::string why = why_no_target(target); !why.empty())
    throw Failure("target: " + why);
  make_folder(target.folder);
  const bool was_there = list.put(target);
  list.save();
  say("{}programs called {} record by themselves when they start, into {}",
      was_there ? "changed: " : "", printable(target.program),
      printable(target.folder));
  say("see what they did with: pagetide target list; end it with: pagetide "
      "target remove {}",
      format_command({target.program}));
}

void remove_target(TargetList &list, const std::string &name) {
  const std::string program = std::filesystem::path(name).filename().string();
  if (!list.remove(program))
    throw Failure("target: {}: is not in the list; see: pagetide target list",
                  printable(name));
  list.save();
  say("{} records no more by itself, from its next start on; its traces stay",
      printable(program));
}

void reset_targets(TargetList &list) {
  list.clear();
  list.save();
  say("no program records by itself any more; the traces stay");
}

//===- The command --------------------------------------------------------===//

void check_words(const CLI::App &app, const TargetOptions &options) {
  check_operation(app, "add remove list reset", options.operation,
                  {{"OPERATION", "*"},
                   {"NAME", "add remove"},
                   {"--json", "list"},
                   {"*", "add"}});
  if (options.name.empty() &&
      (options.operation == "add" || options.operation == "remove"))
    throw Failure("target: {0}: the name of a program is missing, as in: "
                  "pagetide target {0} sqlite3",
                  options.operation);
}

int run_target(const CLI::App &app, const TargetOptions &options) {
  check_words(app, options);
  const std::string path = target_list_path();
  if (options.operation == "reset") {
    TargetList list = TargetList::open_for_reset(path);
    reset_targets(list);
    return kStatusDone;
  }
  TargetList list = TargetList::open(path);
  if (options.operation == "list")
    list_targets(list, path, options.json);
  else if (options.operation == "add")
    add_target(list, options);
  else
    remove_target(list, options.name);
  return kStatusDone;
}

/// A bound from 1 on.
void add_bound(CLI::App &app, const char *name, const char *type,
               const char *help, std::uint64_t most, std::uint64_t &bound) {
  add_number(app, name, type, help, [=, &bound](std::uint64_t number) {
    if (number < 1 || number > most)
      throw Failure("{}: {}: is not 1 to {}", name, number, most);
    bound = number;
  });
}

CommandRun set_up_target(CLI::App &app) {
  const auto options = std::make_shared<TargetOptions>();
  app.add_option(
         "OPERATION", options->operation,
         "add: programs whose file is called NAME record by themselves when "
         "they start. remove: they do not. list: show these programs and what "
         "they have recorded. reset: remove all. Traces stay.")
      ->type_name("add|remove|list|reset")
      ->required();
  app.add_option("NAME", options->name, "The name of a program's file.");
  add_recording_choices(app, options->recording);
  app.add_option("--folder", options->folder,
                 "Folder for the traces. [~/.local/state/pagetide/NAME]")
      ->type_name("DIR");
  add_bound(app, "--keep", "N",
            "How many traces the folder may hold, 1 to 10000. Before a new one "
            "is made, the oldest are removed. [16]",
            kMaxKeep, options->keep);
  add_bound(app, "--limit", "MIB",
            "The recording of a process ends when its trace has this many MiB. "
            "[64]",
            kMaxLimitMib, options->limit_mib);
  app.add_flag("--json", options->json,
               "With list: one JSON object, described in "
               "docs/reference/cli-output.md.");
  return [options, &app](const std::vector<std::string> &) {
    return run_target(app, *options);
  };
}

} // namespace

extern const Command kTargetCommand = {
    "target",
    "Register programs that record by themselves when they start",
    "[OPTIONS] add NAME|remove NAME|list|reset",
    "pagetide target add sqlite3 -p 100ms",
    "Exit status 0: done; 2: the list could not be read or changed.",
    set_up_target,
    "A program is left out of this if it is started with PAGETIDE_OPTIONS, or "
    "by `pagetide record`. To leave one start out:",
    "PAGETIDE_OPTIONS= sqlite3",
};

} // namespace pagetide::tools
