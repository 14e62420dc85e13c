//===- text_format_test.cpp - Durations, sizes and untrusted text ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/edit_distance.h"
#include "support/text_format.h"
#include "support/text_wrap.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

TEST(ParseDuration, ReadsNumbersWithUnits) {
  EXPECT_EQ(parse_duration("500ms"), 500'000'000u);
  EXPECT_EQ(parse_duration("1s"), 1'000'000'000u);
  EXPECT_EQ(parse_duration("250us"), 250'000u);
  EXPECT_EQ(parse_duration("17ns"), 17u);
  EXPECT_EQ(parse_duration("2min"), 120'000'000'000u);
  EXPECT_EQ(parse_duration("3h"), 10'800'000'000'000u);
  EXPECT_EQ(parse_duration("1.5s"), 1'500'000'000u);
  EXPECT_EQ(parse_duration("0.000001ms"), 1u);
  EXPECT_EQ(parse_duration("0"), 0u);
  EXPECT_EQ(parse_duration("0s"), 0u);
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const char *text : {"",
                           "5",
                           "500",
                           "ms",
                           "1 s",
                           " 1s",
                           "1s ",
                           "-1s",
                           "+1s",
                           "1.s",
                           ".5s",
                           "1.5",
                           "1e3s",
                           "0x1s",
                           "1S",
                           "1m",
                           "1sec",
                           "1.5ns",
                           "1.0000000001s",
                           "99999999999999999999s",
                           "18446744073709551615us",
                           "18446744073709551616ns"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  EXPECT_EQ(parse_duration("18446744073709551615ns"), UINT64_MAX);
}

TEST(DurationOption, IsExactAndReadBack) {
  for (const std::uint64_t ns :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999},
        std::uint64_t{250'000}, std::uint64_t{1'500'000'000},
        std::uint64_t{3'600'000'000'000}, std::uint64_t{1'000'001}})
    EXPECT_EQ(parse_duration(duration_option(ns)), ns);
  EXPECT_EQ(duration_option(500'000'000), "500ms");
  EXPECT_EQ(duration_option(3'600'000'000'000), "3600s");
  EXPECT_EQ(duration_option(0), "0");
}

TEST(FormatDuration, ChoosesTheUnit) {
  EXPECT_EQ(format_duration(0), "0 ns");
  EXPECT_EQ(format_duration(999), "999 ns");
  EXPECT_EQ(format_duration(250'000), "250 us");
  EXPECT_EQ(format_duration(1'500'000), "1.5 ms");
  EXPECT_EQ(format_duration(999'600'000), "1.000 s");
  EXPECT_EQ(format_duration(4'213'000'000), "4.213 s");
  EXPECT_EQ(format_duration(42'130'000'000), "42.13 s");
  EXPECT_EQ(format_duration(125'000'000'000), "2 min 05 s");
  EXPECT_EQ(format_duration(12'000'000'000'000), "3 h 20 min");
  EXPECT_EQ(format_duration(UINT64_MAX), "5124095 h 34 min");
}

TEST(FormatBytes, ChoosesTheUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(4096), "4 KiB");
  EXPECT_EQ(format_bytes(1.25 * 1024 * 1024), "1.25 MiB");
  EXPECT_EQ(format_bytes(1024.0 * 1024 - 1), "1 MiB");
  EXPECT_EQ(format_bytes(140737488355328.0), "128 TiB");
  EXPECT_EQ(format_bytes(1e22), "8674 EiB");
}

TEST(FormatCount, GroupsDigits) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(FormatRealtime, IsInUtc) {
  EXPECT_EQ(format_realtime(0), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(format_realtime(1'763'652'721'999'999'999),
            "2025-11-20 15:32:01 UTC");
}

TEST(Printable, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(printable("plain text"), "plain text");
  EXPECT_EQ(printable("Grüße 日本 😀"), "Grüße 日本 😀");
  EXPECT_EQ(printable("a\x1b[31m\r\n\t\x7f"), "a\\x1b[31m\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("\x9b"), "\\x9b");
  // C1 controls in UTF-8, and marks that turn the text's direction.
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  const std::string right_to_left = {'\xe2', '\x80', '\xae'};
  EXPECT_EQ(printable(right_to_left), "\\xe2\\x80\\xae");
  // Cut off, overlong, a surrogate, beyond Unicode.
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");
  EXPECT_EQ(printable("\xe0\x80\x80"), "\\xe0\\x80\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(CutText, EndsAtACharacter) {
  EXPECT_EQ(cut_text("plain", 5), "plain");
  EXPECT_EQ(cut_text("plain", 4), "plai...");
  EXPECT_EQ(first_bytes("plain", 4), "plai");
  const std::string text = "aü日😀"; // of 1, 2, 3 and 4 bytes
  const char *const expected[] = {"",     "a",    "a",    "aü",   "aü",    "aü",
                                  "aü日", "aü日", "aü日", "aü日", "aü日😀"};
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    EXPECT_EQ(first_bytes(text, bytes), expected[bytes]) << bytes;
    EXPECT_EQ(cut_text(text, bytes),
              expected[bytes] + std::string(bytes < text.size() ? "..." : ""))
        << bytes;
  }
  // Bytes that are no characters have no place where they must not be cut.
  EXPECT_EQ(first_bytes("\x80\x80\x80\x80\x80\x80", 5), "\x80\x80\x80\x80\x80");
  EXPECT_EQ(first_bytes("abc\xe2", 3), "abc");
  EXPECT_EQ(first_bytes("ab\xe2\x80", 3), "ab\xe2");
}

TEST(ParseNumber, ReadsDecimalAndHexadecimal) {
  EXPECT_EQ(parse_number("0"), 0u);
  EXPECT_EQ(parse_number("010"), 10u);
  EXPECT_EQ(parse_number("0X7fF"), 0x7ffu);
  EXPECT_EQ(parse_number("18446744073709551615"), UINT64_MAX);
  for (const char *text : {"", "x", "0x", "-1", "+1", " 1", "1 ", "0x-1", "1.0",
                           "18446744073709551616", "0x10000000000000000"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(ParseRange, HasOneEndOrTwo) {
  const auto expect = [](const char *text, std::uint64_t first,
                         std::uint64_t last) {
    const auto range = parse_range(text);
    ASSERT_TRUE(range) << text;
    EXPECT_EQ(range->first, first) << text;
    EXPECT_EQ(range->last, last) << text;
  };
  expect("7", 7, 7);
  expect("7:0x10", 7, 16);
  expect("7:", 7, UINT64_MAX);
  expect(":7", 0, 7);
  for (const char *text :
       {"", ":", "2:1", "1:2:3", "x:1", "1:x", "1:-1", "0x:"})
    EXPECT_FALSE(parse_range(text)) << text;
}

TEST(FormatCommand, QuotesWhereAShellWouldNeedIt) {
  EXPECT_EQ(format_command({"ls", "-l", "a b", "", "it's", "$x"}),
            "ls -l 'a b' '' 'it'\\''s' '$x'");
  // Escaped text is in quotes in which escapes have their meaning.
  EXPECT_EQ(format_command({"a\nb'\\", "\x1b[31m"}),
            "$'a\\x0ab\\'\\\\' $'\\x1b[31m'");
}

/// The words that bash reads in a line.
std::vector<std::string> words_for_bash(const std::string &line) {
  // Not through system(): /bin/sh may be another shell, without $'...'.
  const std::string script = "printf '%s\\0' " + line;
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execlp("bash", "bash", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::vector<std::string> words(1);
  for (char c; ::read(ends[0], &c, 1) == 1;)
    if (c == 0)
      words.emplace_back();
    else
      words.back() += c;
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  words.pop_back(); // behind the last zero
  return words;
}

TEST(FormatCommand, IsReadBackByAShell) {
  std::vector<std::string> words = {"plain",
                                    "",
                                    "a b",
                                    "it's",
                                    "'",
                                    "\\",
                                    "a\\'b",
                                    "~",
                                    "#x",
                                    "a=b",
                                    "{a,b}",
                                    "*",
                                    "$HOME",
                                    "`id`",
                                    "\xc3\xa4",
                                    "\xff\xfe",
                                    "\xe2\x80\xa8",
                                    "-x",
                                    "!!",
                                    "a\nb'\\x41"};
  for (int c = 1; c < 256; ++c) {
    words.emplace_back(1, static_cast<char>(c));
    words.push_back("a" + std::string(1, static_cast<char>(c)) + "1'\\");
  }
  EXPECT_EQ(words_for_bash(format_command(words)), words);
}

TEST(SignalName, KnowsTheCommonOnes) {
  EXPECT_EQ(signal_name(11), "SIGSEGV");
  EXPECT_EQ(signal_name(9), "SIGKILL");
  EXPECT_EQ(signal_name(250), "signal 250");
}

TEST(TextWrap, LinesBeginAtTheColumnAndEndInTime) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "one two\n  three\n");
  EXPECT_EQ(wrapped("", 4, 9), "\n");
  // A word is never cut; what follows it begins a line.
  EXPECT_EQ(wrapped("a longer-than-that b", 0, 9), "a\nlonger-than-that\nb\n");
  // Columns, not bytes.
  EXPECT_EQ(wrapped("\u00e4\u00f6 \u00fc", 0, 4), "\u00e4\u00f6 \u00fc\n");
  EXPECT_EQ(wrapped("for 50 ms; then", 0, 6), "for\n50 ms;\nthen\n");
  EXPECT_EQ(wrapped("of 5 sets", 0, 5), "of 5\nsets\n");
  EXPECT_EQ(wrapped("at 7 %", 0, 4), "at\n7 %\n");
}

TEST(TextWrap, LongTextsAreCut) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcdef", 3), "abc... and 3 more characters");
  EXPECT_EQ(shortened("\u00e4\u00f6\u00fc", 2),
            "\u00e4\u00f6... and 1 more characters");
}

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("report", "report"), 0u);
  EXPECT_EQ(edit_distance("rport", "report"), 1u);
  EXPECT_EQ(edit_distance("rport", "export"), 2u);
  EXPECT_EQ(edit_distance("reprot", "report"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("xyzzy", "record"), 6u);
}

} // namespace
} // namespace pagetide::tools
