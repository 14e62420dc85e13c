//===- recording_options.cpp - Words that record, ctl and target share ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/recording_options.h"

#include "record/recording_run.h"
#include "record/runtime_options.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "trace/trace_records.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>

namespace pagetide::tools {

namespace {

/// Adds an option whose value is the name of one of the values.
template <typename Values, typename Name>
void add_choice(CLI::App &app, const char *option, std::string &chosen,
                const char *help, const Values &values, Name name_of) {
  std::vector<std::string> names;
  for (const auto value : values)
    names.emplace_back(name_of(value));
  app.add_option(option, chosen, help)
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->check(CLI::IsMember(names).description(""));
}

struct ByteFactor {
  std::string_view name;
  unsigned shift;
};
constexpr ByteFactor kFactors[] = {
    {"", 0}, {"K", 10}, {"KiB", 10}, {"M", 20}, {"MiB", 20}};

std::string check_granularity(const std::string &text) {
  return granularity_shift(text)
             ? ""
             : text + " is not a granularity: give auto, page, or bytes, a "
                      "power of two from 64 to 2M such as 512 or 64K";
}

} // namespace

std::optional<unsigned> granularity_shift(std::string_view text) {
  if (text == "auto")
    return 0;
  if (text == "page")
    return abi::kDefaultGranuleShift;
  std::uint64_t number = 0;
  const char *const begin = text.data();
  const char *const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const auto *const factor =
      std::ranges::find(kFactors, unit, &ByteFactor::name);
  if (error != std::errc() || factor == std::end(kFactors) ||
      !std::has_single_bit(number))
    return std::nullopt;
  const unsigned shift =
      static_cast<unsigned>(std::countr_zero(number)) + factor->shift;
  if (shift < abi::kMinGranuleShift || shift > abi::kMaxGranuleShift)
    return std::nullopt;
  return shift;
}

void add_recording_options(CLI::App &app, RecordingOptions &options,
                           const char *output_help) {
  app.add_option("-o,--output", options.output, output_help)
      ->type_name("FILE")
      ->check(CLI::Validator(check_output, ""));
  add_recording_choices(app, options);
}

void RecordingOptions::check_windows() const {
  if (window.empty() != every.empty())
    throw Failure("--{0} requires --{1}", every.empty() ? "window" : "every",
                  every.empty() ? "every" : "window");
  if (!window.empty() && parse_duration(window) >= parse_duration(every))
    throw Failure("--window {} --every {}: windows must be shorter than the "
                  "time from one to the next",
                  window, every);
  if (!window.empty() && asks_checksums())
    throw Failure("--checksum does not work with --window: code that still "
                  "runs without marks could write a page whose checksum is "
                  "called stable; leave out one of the two");
}

void add_recording_choices(CLI::App &app, RecordingOptions &options) {
  app.add_option("-p,--period", options.period,
                 "Length of a period: 1ms to 1000h, or 0 if the program ends "
                 "its periods itself. [500ms]")
      ->type_name("DURATION")
      ->check(CLI::Validator(check_period, ""));
  app.add_flag("--per-thread", options.per_thread,
               "Keep one page set for each thread.");
  add_choice(app, "--checksum", options.checksum,
             "Of which pages to take checksums in each period: none, those "
             "written, or those read or written. [none]",
             kChecksumModes, checksum_mode_name);
  app.add_flag("--checksum-relative", options.checksum_relative,
               "Beside each checksum, record one that does not depend on where "
               "the kernel mapped memory. By it pagetide diff --relative "
               "compares contents.")
      ->needs(app.get_option("--checksum"));
  add_choice(app, "--unstable", options.unstable,
             "What to do if a page is written while its checksum is taken. "
             "flag: report it as unstable, without a checksum; rehash: first "
             "try again, up to three times; stop: stop the program's threads "
             "and take the checksum once more; cut: end each period at one "
             "instant, of which all its checksums are. [cut with periods of "
             "100ms and more, otherwise flag]",
             kUnstablePolicies, unstable_policy_name);
  app.add_option("--granularity", options.granularity,
                 "The unit of page sets and checksums: bytes, a power of two "
                 "from 64 to 2M, or page (4K). Not below the granule of the "
                 "program's build (-fpagetide-granule). auto: that granule. "
                 "[auto]")
      ->type_name("BYTES|page|auto")
      ->check(CLI::Validator(check_granularity, ""));
  const auto duration = CLI::Validator(check_period, "");
  app.add_option("--window", options.window,
                 "Have marks on for this long only, in windows that begin "
                 "every so often (--every). Between windows the program runs "
                 "as if nobody recorded it. Its files must be built with "
                 "-fpagetide-mode=windows.")
      ->type_name("DURATION")
      ->check(duration);
  app.add_option("--every", options.every,
                 "From the beginning of one window to that of the next, as 1s "
                 "with --window 10ms.")
      ->type_name("DURATION")
      ->check(duration);
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
  if (!options.granularity.empty())
    text.add("granularity", options.granularity);
  if (!options.window.empty()) {
    text.add("window", options.window);
    text.add("every", options.every);
  }
}

} // namespace pagetide::tools
