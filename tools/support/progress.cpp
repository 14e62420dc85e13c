//===- progress.cpp - How far a long command is ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/progress.h"

#include "support/text_format.h"
#include "support/text_wrap.h"

#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kFirstAfterNs = 2'000'000'000;
constexpr std::uint64_t kNextAfterNs = 500'000'000;
constexpr std::size_t kMaxProgressName = 40;
/// Carriage return, and "erase to the end of the line".
constexpr const char kClearLine[] = "\r\x1b[K";

std::uint64_t monotonic_ns() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void show_on_stderr(std::string_view text) {
  // A terminal that takes no text is no reason to end the command.
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, text.data(), text.size());
}

} // namespace

Progress::Progress()
    : Progress(monotonic_ns,
               ::isatty(STDERR_FILENO) ? Show(show_on_stderr) : Show()) {}

Progress::Progress(Clock clock, Show show)
    : clock_(std::move(clock)), show_(std::move(show)) {
  if (show_)
    start_ns_ = clock_();
  next_ns_ = start_ns_ + kFirstAfterNs;
}

void Progress::at(const std::string &name, std::uint64_t done,
                  std::uint64_t total) {
  if (!show_)
    return;
  const std::uint64_t now_ns = clock_();
  if (now_ns < next_ns_)
    return;
  next_ns_ = now_ns + kNextAfterNs;
  const std::uint64_t passed_ns = now_ns - start_ns_;
  std::string part;
  if (total == 0)
    part =
        fmt::format("{}, {}", format_bytes(done), format_duration(passed_ns));
  else
    part =
        fmt::format("{} %", std::min<std::uint64_t>(done, total) * 100 / total);
  if (done != 0 && done < total)
    part += fmt::format(", {} left", format_duration(static_cast<std::uint64_t>(
                                         double(passed_ns) *
                                         double(total - done) / double(done))));
  const std::string shown = printable(name);
  show_(fmt::format(
      "{}pagetide: {}: {}", kClearLine,
      fitted(shown, std::min(columns_of(shown), kMaxProgressName)), part));
  is_shown_ = true;
}

void Progress::clear() {
  if (is_shown_)
    show_(kClearLine);
  is_shown_ = false;
}

} // namespace pagetide::tools
