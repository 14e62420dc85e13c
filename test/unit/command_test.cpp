//===- command_test.cpp - Where a command's own options end ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"

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

} // namespace
} // namespace pagetide::tools
