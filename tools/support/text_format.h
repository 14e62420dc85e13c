//===- text_format.h - Numbers and names as people write them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_SUPPORT_TEXT_FORMAT_H
#define PAGETIDE_TOOLS_SUPPORT_TEXT_FORMAT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// "512 B", "4 KiB", "1.2 MiB".
std::string format_bytes(double bytes);

/// "250 us", "1.5 ms", "4.213 s", "2 min 05 s", "3 h 20 min".
std::string format_duration(std::uint64_t ns);

/// "1,234,567".
std::string format_count(std::uint64_t count);

/// What follows the noun that is counted.
constexpr const char *plural(std::uint64_t count) {
  return count == 1 ? "" : "s";
}

/// "2025-11-20 15:32:01 UTC" from CLOCK_REALTIME nanoseconds.
std::string format_realtime(std::uint64_t ns);

/// The text with what a terminal might obey, or UTF-8 does not allow, written
/// as \xNN: names in a trace come from whatever program was recorded.
std::string printable(std::string_view text);

/// The words for a shell (bash, zsh, ksh), quoted where needed. Printable: what
/// a terminal might obey is written as an escape, within $'...'.
std::string format_command(const std::vector<std::string> &words);

/// "SIGSEGV" or "signal 77".
std::string signal_name(int signal);

/// What the trace of an engine tells, by its name in the Process frame; empty
/// for that of marks, of which there is nothing to say.
std::string engine_text(std::string_view name);

/// Nanoseconds of "500ms", "1.5s", "250us", "3min", "1h" or "0". A number
/// without a unit is no duration. Nothing where the text is malformed or does
/// not fit.
std::optional<std::uint64_t> parse_duration(std::string_view text);

/// A number in decimal digits, or in hexadecimal ones after 0x. Nothing where
/// the text is anything else or does not fit.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// Numbers from the first to the last.
struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t last = UINT64_MAX;
};

/// Reads "A", "A:B", "A:" or ":B". Both ends belong to the range. Nothing where
/// the text is anything else or A is above B.
std::optional<NumberRange> parse_range(std::string_view text);

/// A duration as parse_duration and the runtime's options read it, exactly.
std::string duration_option(std::uint64_t ns);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_SUPPORT_TEXT_FORMAT_H
