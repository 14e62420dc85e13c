//===- messages.h - What the runtime tells the user -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages go to standard error, or to the file that option log_path names.
// They may come from the raw threads, whose descriptors are not the program's:
// these borrow the program's standard error to print a message.

#pragma once

#include "platform/syscalls.h"

#include <stdarg.h>

namespace pagetide {

/// Exit status of a program that Pagetide had to refuse; `pagetide record`
/// uses it for failures of its own too.
constexpr int kExitRefused = 125;

/// A message says what happened, to what, and what to do. Formats as
/// sanitizer_common's Printf does (no floating point).
[[noreturn]] void Fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void Warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// For failures of recording that do not affect the program: a Warning. With
/// on_failure=stop, an error that ends the program.
void WarnOrStop(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Printed only with verbosity=1.
void Info(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Prints without a prefix, for help=1.
void Say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Formats into `text`, of `bytes`, and cuts what does not fit.
void FormatText(char *text, uptr bytes, const char *format, va_list args);

/// First phase: learns whether there is a standard error.
void InitMessages();

/// What the options say of messages.
struct MessageOptions {
  bool verbose;         ///< print Info too
  bool stop_on_failure; ///< WarnOrStop ends the program
  const char *log_path; ///< messages go to log_path.<pid>, unless it is ""
};
/// `options.log_path` must stay valid.
void SetMessageOptions(const MessageOptions &options);

} // namespace pagetide
