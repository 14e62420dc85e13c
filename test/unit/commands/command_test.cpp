//===- command_test.cpp - How command lines are understood ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"
#include "support/failure.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

using Words = std::vector<std::string>;

/// What record takes for the command to run.
Words command_in(const Words &words) {
  CLI::App app;
  kRecordCommand.set_up(app);
  const std::size_t rest = find_rest(app, words);
  return {words.begin() + static_cast<std::ptrdiff_t>(rest), words.end()};
}

TEST(FindRest, BeginsAfterTheDashes) {
  EXPECT_EQ(command_in({"--", "ls", "-l"}), (Words{"ls", "-l"}));
  EXPECT_EQ(command_in({"-o", "x", "--", "ls"}), (Words{"ls"}));
  EXPECT_EQ(command_in({"--", "make", "--", "test"}),
            (Words{"make", "--", "test"}));
  EXPECT_EQ(command_in({"--"}), Words{});
  EXPECT_EQ(command_in({"--", "--"}), Words{"--"});
}

TEST(FindRest, BeginsAtTheFirstWord) {
  EXPECT_EQ(command_in({"ls", "-l"}), (Words{"ls", "-l"}));
  EXPECT_EQ(command_in({"-o", "x", "ls", "--", "y"}), (Words{"ls", "--", "y"}));
  EXPECT_EQ(command_in({"--per-thread", "ls"}), Words{"ls"});
  EXPECT_EQ(command_in({"--period", "1s", "ls"}), Words{"ls"});
  EXPECT_EQ(command_in({"--period=1s", "ls"}), Words{"ls"});
  EXPECT_EQ(command_in({"-p1s", "ls"}), Words{"ls"});
  EXPECT_EQ(command_in({"-p", "1s", "--no-output", "ls"}), Words{"ls"});
  EXPECT_EQ(command_in({"--unknown", "ls"}), Words{"ls"});
  EXPECT_EQ(command_in({"", "ls"}), (Words{"", "ls"}));
  EXPECT_EQ(command_in({"-", "ls"}), (Words{"-", "ls"}));
}

TEST(FindRest, MayBeNowhere) {
  EXPECT_EQ(command_in({}), Words{});
  EXPECT_EQ(command_in({"-o"}), Words{});
  EXPECT_EQ(command_in({"-o", "x"}), Words{});
  EXPECT_EQ(command_in({"--per-thread"}), Words{});
}

/// The error that report ends with; empty if it does not.
std::string error_of(const Command &command, const Words &words) {
  try {
    parse_command(command, words);
    return {};
  } catch (const Failure &failure) {
    return failure.what();
  }
}

/// The name of the command that the words begin with, and how many words it is.
std::string named(const Words &words) {
  std::size_t used = 0;
  const Command *command = find_named(words, used);
  return command ? std::string(command->name) + " " + std::to_string(used) : "";
}

TEST(FindNamed, AKindOfReportWinsOverAFile) {
  EXPECT_EQ(named({"report", "wss", "wss"}), "report wss 2");
  EXPECT_EQ(named({"report", "./wss"}), "report 1");
  EXPECT_EQ(named({"report", "--json", "wss"}), "report 1");
  EXPECT_EQ(named({"report"}), "report 1");
  EXPECT_EQ(named({"info", "wss"}), "info 1");
  EXPECT_EQ(named({"wss"}), "");
}

TEST(ParseCommand, EachKindSaysWhichItIs) {
  for (const Command *kind : report_kinds()) {
    const std::string name = kind->name;
    EXPECT_TRUE(name.starts_with("report ")) << name;
    EXPECT_EQ(error_of(*kind, {"--from", "1", "f"}),
              name +
                  ": --from: 1: is not a time; write a number and ns, us, "
                  "ms, s, min or h, as in 1.5s\nSee: pagetide " +
                  name + " --help");
    EXPECT_EQ(error_of(*kind, {"--from=1.5s", "--to", "2min", "--reads",
                               "--writes", "--thread=7", "--mapping", "[heap]",
                               "--address-range", "0x1000:", "--json", "f"}),
              "");
  }
}

TEST(ParseCommand, NumbersAreNumbers) {
  EXPECT_EQ(error_of(kReportCommand, {"--top", "12", "f"}), "");
  EXPECT_EQ(error_of(kReportCommand, {"--top=0x10", "f"}), "");
  for (const std::string text : {"-1", " 1", "1k", "0x", "1.5", "+1"})
    EXPECT_EQ(
        error_of(kReportCommand, {"--top", text, "f"}),
        "report: --top: " + text +
            ": is not a number; write decimal digits, or 0x and hexadecimal "
            "digits\nSee: pagetide report --help");
  EXPECT_EQ(error_of(kReportCommand, {"--top", "18446744073709551616", "f"}),
            "report: --top: 18446744073709551616: is too large; the largest "
            "number is 18446744073709551615\nSee: pagetide report --help");
}

TEST(ParseCommand, ALeadingZeroIsNoOctalNumber) {
  CLI::App app;
  std::uint64_t number = 0;
  add_number(app, "--number", "N", "", [&](std::uint64_t n) { number = n; });
  app.parse("--number 010", false);
  EXPECT_EQ(number, 10u);
}

TEST(ParseCommand, AnEmptyValueDoesNotTakeTheNextWord) {
  EXPECT_EQ(error_of(kExportCommand, {"-f", "csv", "--output=", "a", "b"}),
            "export: --output=: its value is empty\n"
            "See: pagetide export --help");
  EXPECT_EQ(error_of(kExportCommand, {"-f", "csv", "-o", "", "a"}),
            "export: -o: its value is empty\nSee: pagetide export --help");
  EXPECT_EQ(error_of(kInfoCommand, {""}),
            "info: FILE must not be an empty word\nSee: pagetide info --help");
  EXPECT_EQ(
      error_of(kCtlCommand, {"1234", ""}),
      "ctl: OPERATION must not be an empty word\nSee: pagetide ctl --help");
  EXPECT_EQ(error_of(kReportCommand, {"--", "--top="}), "");
}

TEST(ParseCommand, AnErrorNamesTheWordThatFlagsShare) {
  EXPECT_EQ(error_of(kTopCommand, {"-b/"}),
            "top: -b/: there is no option -/\nSee: pagetide top --help");
  EXPECT_EQ(error_of(kTopCommand, {"-bd3s"}), "");
}

TEST(ParseCommand, AFileIsOneFileWhateverItsName) {
  const Words words = {"--json", "{}", "[a,b]", "--", "[]", "--json", "x"};
  const CommandLine line = parse_command(kReportCommand, words);
  const auto files = line.app->get_option("FILE")->as<Words>();
  EXPECT_EQ(files, (Words{"./{}", "./[a,b]", "./[]", "--json", "x"}));
}

} // namespace
} // namespace pagetide::tools
