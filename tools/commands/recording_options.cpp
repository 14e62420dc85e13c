//===- recording_options.cpp - Words that record, ctl and target share ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/recording_options.h"

#include "record/recording_run.h"
#include "record/runtime_options.h"
#include "support/text_format.h"

#include <CLI/CLI.hpp>

namespace pagetide::tools {

void add_recording_options(CLI::App &app, RecordingOptions &options,
                           const char *output_help) {
  app.add_option("-o,--output", options.output, output_help)
      ->type_name("FILE")
      ->check(CLI::Validator(
          [](std::string &text) { return check_output(text); }, ""));
  add_recording_choices(app, options);
}

void add_recording_choices(CLI::App &app, RecordingOptions &options) {
  app.add_option("-p,--period", options.period,
                 "Length of a period: 1ms to 1000h, or 0 if the program ends "
                 "its periods itself. [500ms]")
      ->type_name("DURATION")
      ->check(CLI::Validator(
          [](std::string &text) { return check_period(text); }, ""));
  app.add_flag("--per-thread", options.per_thread,
               "Keep one page set for each thread.");
  app.add_option("--checksum", options.checksum,
                 "Of which pages to take checksums in each period: none, those "
                 "written, or those read or written. [none]")
      ->type_name("none|written|accessed")
      ->check(CLI::IsMember({"none", "written", "accessed"}).description(""));
  app.add_option(
         "--unstable", options.unstable,
         "What to do if a page is written while its checksum is taken. "
         "flag: report it as unstable, without a checksum; rehash: first try "
         "again, up to three times; stop: stop the program's threads and take "
         "the checksum once more; cut: end each period at one instant, of "
         "which all its checksums are. [flag]")
      ->type_name("flag|rehash|stop|cut")
      ->check(CLI::IsMember({"flag", "rehash", "stop", "cut"}).description(""));
}

void add_recording_text(RuntimeOptions &text, const RecordingOptions &options) {
  if (!options.period.empty())
    text.add("period", duration_option(*parse_duration(options.period)));
  if (options.per_thread)
    text.add("per_thread", "1");
  if (!options.checksum.empty())
    text.add("checksum", options.checksum);
  if (options.checksum_relative)
    text.add("checksum_relative", "1");
  if (!options.unstable.empty())
    text.add("unstable", options.unstable);
}

} // namespace pagetide::tools
