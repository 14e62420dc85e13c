//===- recording_options.h - Words that record, ctl and target share ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace pagetide::tools {

/// How to record. What is empty was not given.
struct RecordingOptions {
  std::string output;
  std::string period;
  bool per_thread = false;
  std::string checksum;
  bool checksum_relative = false;
  std::string unstable;
  std::string granularity;
  std::string window;
  std::string every;

  bool asks_checksums() const {
    return !checksum.empty() && checksum != "none";
  }
  /// Throws Failure if windows are not shorter than the time from one to the
  /// next, if one of the two is missing, or if checksums are asked for too.
  void check_windows() const;
};

/// Declares the options, which must outlive the app. `output_help` says what
/// becomes of a file that exists.
void add_recording_options(CLI::App &app, RecordingOptions &options,
                           const char *output_help);
/// The same without --output.
void add_recording_choices(CLI::App &app, RecordingOptions &options);

/// log2 of the bytes that a value of --granularity means, 0 for auto; nothing
/// if it is none.
std::optional<unsigned> granularity_shift(std::string_view text);

class RuntimeOptions;
/// Adds what was given, apart from the output, as options of the runtime.
void add_recording_text(RuntimeOptions &text, const RecordingOptions &options);

} // namespace pagetide::tools
