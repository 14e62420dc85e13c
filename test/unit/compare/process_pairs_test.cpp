//===- process_pairs_test.cpp - Processes of two runs are paired ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/process_pairs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

RunProcess process(std::uint32_t pid, std::uint32_t parent, std::uint64_t start,
                   const char *program,
                   std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), program);
  return {"", pid, parent, start, program, std::move(arguments)};
}

/// "10=20 11=- -=21", by pids.
std::string pids_of(const std::vector<RunProcess> &a,
                    const std::vector<RunProcess> &b) {
  std::string text;
  const auto pid = [](const auto &run, std::optional<std::size_t> at) {
    return at ? std::to_string(run[*at].pid) : std::string("-");
  };
  for (const ProcessPair &pair : pair_processes(a, b))
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", pid(a, pair.a),
                        pid(b, pair.b));
  return text;
}

TEST(ProcessPairs, LoneProcessesAreAPairWhateverTheirNames) {
  EXPECT_EQ(pids_of({process(10, 1, 5, "/old/bzip2")},
                    {process(20, 1, 7, "/new/lbzip2", {"-k"})}),
            "10=20");
}

TEST(ProcessPairs, CommandsGoBeforeTheOrderOfStarts) {
  EXPECT_EQ(pids_of({process(10, 1, 1, "make"), process(11, 10, 2, "cc", {"a"}),
                     process(12, 10, 3, "cc", {"b"})},
                    {process(20, 1, 1, "make"), process(21, 20, 2, "cc", {"b"}),
                     process(22, 20, 3, "cc", {"a"})}),
            "10=20 11=22 12=21");
}

TEST(ProcessPairs, EqualCommandsArePairedInTheOrderOfTheirStarts) {
  EXPECT_EQ(pids_of({process(12, 1, 3, "/a/cc"), process(11, 1, 2, "/a/cc")},
                    {process(21, 1, 2, "/b/cc"), process(22, 1, 3, "/b/cc")}),
            "11=21 12=22");
}

TEST(ProcessPairs, ParentsGoBeforeCommands) {
  // Two shells, each with a cc.
  EXPECT_EQ(
      pids_of({process(10, 1, 1, "sh", {"x"}), process(11, 1, 2, "sh", {"y"}),
               process(12, 10, 3, "cc"), process(13, 11, 4, "cc")},
              {process(20, 1, 1, "sh", {"y"}), process(21, 1, 2, "sh", {"x"}),
               process(22, 20, 3, "cc"), process(23, 21, 4, "cc")}),
      "10=21 11=20 12=23 13=22");
}

TEST(ProcessPairs, ProcessesOfOneRunHaveNoPair) {
  EXPECT_EQ(pids_of({process(10, 1, 1, "make"), process(11, 10, 2, "cc"),
                     process(12, 10, 3, "ld")},
                    {process(20, 1, 1, "make"), process(21, 20, 2, "ld"),
                     process(22, 20, 3, "ar"), process(23, 20, 4, "nm")}),
            "10=20 11=- 12=21 -=22 -=23");
}

TEST(ProcessPairs, AChildOfAnUnrecordedShellFindsItsLike) {
  EXPECT_EQ(pids_of({process(10, 1, 1, "make"), process(11, 10, 2, "cc")},
                    {process(20, 1, 1, "make"), process(21, 99, 2, "cc")}),
            "10=20 11=21");
}

TEST(ProcessPairs, APidThatIsUsedAgainHasTheLastProcessesChildren) {
  EXPECT_EQ(pids_of({process(10, 1, 1, "a"), process(10, 1, 5, "b"),
                     process(11, 10, 6, "c")},
                    {process(20, 1, 1, "a"), process(21, 1, 5, "b"),
                     process(22, 21, 6, "c")}),
            "10=20 10=21 11=22");
}

} // namespace
} // namespace pagetide::tools
