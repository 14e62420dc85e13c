//===- control_text.h - What pagetide ctl says of a process ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/control.h"

#include <sys/types.h>

#include <optional>
#include <string>

namespace pagetide::tools {

/// The outcome of a request.
struct ControlAnswer {
  control::Operation operation;
  pid_t pid;
  std::string program;
  bool is_reachable = false;
  bool has_marks = false; ///< after the request
  /// Why nothing was done; empty if it was done.
  std::string refusal;
  /// Nothing if the process was not asked, because its marks are off.
  std::optional<control::Reply> reply;

  /// Throughout or in windows.
  bool marks_are_on() const {
    return has_marks && (!reply || reply->marks_on ||
                         (reply->recording && reply->window_ns));
  }
};

/// "status", as on the command line.
const char *operation_name(control::Operation operation);

/// Lines for people. The answer must not be a refusal.
std::string control_text(const ControlAnswer &answer);

/// The object that docs/reference/cli-output.md describes, without a newline.
std::string control_json(const ControlAnswer &answer);

} // namespace pagetide::tools
