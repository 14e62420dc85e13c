//===- text_format.cpp - Numbers and names as people write them -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text_format.h"

#include "support/find_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>
#include <iterator>

namespace pagetide::tools {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t ns;
};

constexpr Unit kUnits[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000 * 1000},
    {"s", 1000 * 1000 * 1000},
    {"min", 60ull * 1000 * 1000 * 1000},
    {"h", 3600ull * 1000 * 1000 * 1000},
};

/// Three significant digits at most, without trailing zeros.
std::string short_number(double value) {
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
      text.pop_back();
  }
  return text;
}

/// Length of the well-formed UTF-8 sequence at the start of text, or 0.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length;
  std::uint32_t code;
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
    code = lead & 0x1f;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    code = lead & 0x0f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    code = lead & 0x07;
  } else {
    return 0;
  }
  if (text.size() < length)
    return 0;
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (byte & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) ||
                        (length == 4 && (code < 0x10000 || code > 0x10ffff));
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  // C1 controls, and characters that change the order of others on the screen.
  const bool unsafe =
      (code >= 0x80 && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
      (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return overlong || surrogate || unsafe ? 0 : length;
}

} // namespace

std::string format_bytes(double bytes) {
  static constexpr const char *kNames[] = {"B",   "KiB", "MiB", "GiB",
                                           "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  // 1023.5 and more would be printed as 1024.
  while (bytes >= 1023.5 && unit + 1 < std::size(kNames)) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", short_number(bytes), kNames[unit]);
}

std::string format_duration(std::uint64_t ns) {
  if (ns < 1000)
    return fmt::format("{} ns", ns);
  if (ns < 999500)
    return short_number(static_cast<double>(ns) / 1e3) + " us";
  if (ns < 999500000)
    return short_number(static_cast<double>(ns) / 1e6) + " ms";
  if (ns < 99500000000)
    return fmt::format("{:.{}f} s", static_cast<double>(ns) / 1e9,
                       ns < 9995000000 ? 3 : 2);
  const std::uint64_t seconds =
      ns / 1000000000 + (ns % 1000000000 >= 500000000 ? 1 : 0);
  if (seconds < 3600)
    return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds % 3600 / 60);
}

std::string format_count(std::uint64_t count) {
  std::string text = fmt::format("{}", count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string format_realtime(std::uint64_t ns) {
  const auto seconds = static_cast<std::time_t>(ns / 1000000000);
  std::tm broken = {};
  if (!gmtime_r(&seconds, &broken))
    return fmt::format("{} s after 1970", ns / 1000000000);
  char text[64];
  if (!std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &broken))
    return fmt::format("{} s after 1970", ns / 1000000000);
  return text;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const std::size_t length =
        byte < 0x20 || byte == 0x7f ? 0 : utf8_length(text);
    if (length == 0)
      out += fmt::format("\\x{:02x}", byte);
    else
      out.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string_view first_bytes(std::string_view text, std::size_t max) {
  if (text.size() <= max)
    return text;
  // The last character may begin up to three bytes before the cut.
  for (std::size_t begin = max; begin > 0 && max - begin < 3; --begin)
    if (const std::size_t length = utf8_length(text.substr(begin - 1));
        begin - 1 + length > max)
      return text.substr(0, begin - 1);
  return text.substr(0, max);
}

std::string cut_text(std::string_view text, std::size_t max) {
  std::string out(first_bytes(text, max));
  return text.size() <= max ? out : out + "...";
}

std::string format_command(const std::vector<std::string> &words) {
  constexpr std::string_view kSpecial = " \t\n\r\"'\\$`|&;<>()*?[]{}~#!";
  std::string out;
  for (const std::string &word : words) {
    if (!out.empty())
      out += ' ';
    const std::string shown = printable(word);
    // A shell replaces escapes only in $'...'.
    const bool has_escapes = shown != word;
    if (!has_escapes && !word.empty() &&
        word.find_first_of(kSpecial) == std::string::npos) {
      out += word;
      continue;
    }
    if (has_escapes) {
      // A backslash of the word itself must not begin an escape.
      std::string doubled;
      for (const char c : word)
        doubled += c == '\\' ? std::string("\\\\") : std::string(1, c);
      out += "$'";
      for (const char c : printable(doubled))
        out += c == '\'' ? std::string("\\'") : std::string(1, c);
    } else {
      out += '\'';
      for (const char c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    out += '\'';
  }
  return out;
}

bool is_title(const std::vector<std::string> &words) {
  return words.size() > 1 && words[0].find(' ') != std::string::npos &&
         std::all_of(words.begin() + 1, words.end(),
                     [](const std::string &word) { return word.empty(); });
}

std::string format_command_briefly(std::vector<std::string> words) {
  if (is_title(words)) {
    words[0].erase(words[0].find_last_not_of(' ') + 1);
    return printable(words[0]);
  }
  const std::size_t all = words.size();
  while (words.size() > 1 && words.back().empty())
    words.pop_back();
  const std::size_t left_out = all - words.size();
  std::string text = format_command(words);
  if (left_out != 0)
    text += fmt::format(" (and {} empty word{})", left_out, plural(left_out));
  return text;
}

std::string report_command(const std::string &path) {
  // Behind "./" a name that begins with "-" is no option.
  return format_command(
      {"pagetide", "report", path.starts_with('-') ? "./" + path : path});
}

std::string signal_name(int signal) {
  if (const char *name = sigabbrev_np(signal))
    return fmt::format("SIG{}", name);
  return fmt::format("signal {}", signal);
}

std::optional<std::uint64_t> parse_duration(std::string_view text) {
  if (text == "0")
    return 0;
  std::uint64_t whole = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    if (__builtin_mul_overflow(whole, 10u, &whole) ||
        __builtin_add_overflow(whole, static_cast<unsigned>(text[at] - '0'),
                               &whole))
      return std::nullopt;
  const std::size_t whole_digits = at;
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  std::size_t fraction_digits = 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      ++fraction_digits;
      if (fraction_digits > 9)
        return std::nullopt;
      fraction = fraction * 10 + static_cast<unsigned>(text[at] - '0');
      scale *= 10;
    }
    if (fraction_digits == 0)
      return std::nullopt;
  }
  if (whole_digits == 0)
    return std::nullopt;
  const std::string_view name = text.substr(at);
  for (const Unit &unit : kUnits) {
    if (unit.name != name)
      continue;
    std::uint64_t ns;
    // A unit has at most 3.6e12 ns, and a fraction is below 1e9. The product
    // fits into 128 bits.
    const unsigned __int128 part =
        static_cast<unsigned __int128>(fraction) * unit.ns;
    if (part % scale != 0 || __builtin_mul_overflow(whole, unit.ns, &ns) ||
        __builtin_add_overflow(ns, static_cast<std::uint64_t>(part / scale),
                               &ns))
      return std::nullopt;
    return ns;
  }
  return std::nullopt;
}

std::string engine_text(std::string_view name) {
  if (name.empty())
    return {};
  const engines::Capabilities *engine = find_engine(name);
  if (!engine)
    return printable(name);
  if (engine->by_marks)
    return {};
  return fmt::format("{}: {}{}", name,
                     engine->reads ? "reads and writes" : "writes only",
                     engine->per_thread ? "" : ", of the whole process");
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<NumberRange> parse_range(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view from = text.substr(0, colon);
  const std::string_view to =
      colon == std::string_view::npos ? from : text.substr(colon + 1);
  if (from.empty() && to.empty())
    return std::nullopt;
  NumberRange range;
  const auto read_end = [](std::string_view digits, std::uint64_t &end) {
    const std::optional<std::uint64_t> value = parse_number(digits);
    end = value.value_or(end);
    return digits.empty() || value;
  };
  if (!read_end(from, range.first) || !read_end(to, range.last) ||
      range.first > range.last)
    return std::nullopt;
  return range;
}

std::string duration_option(std::uint64_t ns) {
  if (ns == 0)
    return "0";
  static constexpr Unit kOptionUnits[] = {
      {"s", 1000 * 1000 * 1000}, {"ms", 1000 * 1000}, {"us", 1000}, {"ns", 1}};
  for (const Unit &unit : kOptionUnits)
    if (ns % unit.ns == 0)
      return fmt::format("{}{}", ns / unit.ns, unit.name);
  return {};
}

} // namespace pagetide::tools
