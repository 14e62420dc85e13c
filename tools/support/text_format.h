//===- text_format.h - Numbers and names as people write them -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// "512 B", "4 KiB", "1.2 MiB".
std::string format_bytes(double bytes);
template <std::integral Count> std::string format_bytes(Count bytes) {
  return format_bytes(static_cast<double>(bytes));
}

/// "250 us", "1.5 ms", "4.213 s", "2 min 05 s", "3 h 20 min".
std::string format_duration(std::uint64_t ns);

/// "1,234,567".
std::string format_count(std::uint64_t count);

/// The ending of the noun that is counted.
constexpr const char *plural(std::uint64_t count) {
  return count == 1 ? "" : "s";
}

/// "2025-11-20 15:32:01 UTC" from CLOCK_REALTIME nanoseconds.
std::string format_realtime(std::uint64_t ns);

/// The text with terminal controls, and bytes that are no UTF-8, written as
/// \xNN. The names in a trace come from the recorded program, and can have any
/// bytes.
std::string printable(std::string_view text);

/// The first bytes of the text, at most so many, without a part of a character
/// of UTF-8.
std::string_view first_bytes(std::string_view text, std::size_t max);

/// The same, and "..." if the text is longer.
std::string cut_text(std::string_view text, std::size_t max);

/// The words for a shell (bash, zsh, ksh), quoted if necessary. Terminal
/// controls are written as escapes, within $'...'.
std::string format_command(const std::vector<std::string> &words);

/// True if a program has written a title over its words, such as "nginx: worker
/// process". It leaves the other words empty.
bool is_title(const std::vector<std::string> &words);

/// The same for people: a title as it is, or the words without empty ones at
/// the end, and how many there are.
std::string format_command_briefly(std::vector<std::string> words);

/// The command that shows a trace, in the same form.
std::string report_command(const std::string &path);

/// "SIGSEGV" or "signal 77".
std::string signal_name(int signal);

/// What the trace of an engine tells. `name` is that of the Process frame.
/// Empty for engine marks.
std::string engine_text(std::string_view name);

/// Nanoseconds of "500ms", "1.5s", "250us", "3min", "1h" or "0". A number
/// without a unit is no duration. No value if the text is malformed or too
/// large.
std::optional<std::uint64_t> parse_duration(std::string_view text);

/// A number in decimal digits, or in hexadecimal ones after 0x. No value if the
/// text is anything else, or too large.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// Numbers from the first to the last.
struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t last = UINT64_MAX;
};

/// Reads "A", "A:B", "A:" or ":B". Both ends belong to the range. No value if
/// the text is anything else, or A is above B.
std::optional<NumberRange> parse_range(std::string_view text);

/// The exact duration, as parse_duration and the runtime's options read it.
std::string duration_option(std::uint64_t ns);

} // namespace pagetide::tools
