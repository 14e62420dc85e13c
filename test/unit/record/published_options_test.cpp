//===- published_options_test.cpp - The options of a run, for all of it ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/published_options.h"
#include "trace_testing.h"

#include "pagetide/shadow_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

std::vector<std::string> names_in(const std::string &directory) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  return names;
}

unsigned mode_of(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(PublishedOptions, AreThereWhileTheObjectLives) {
  const ScratchDirectory scratch;
  const std::string directory = scratch.file("options");
  {
    const PublishedOptions published("period=1s:control=x", directory);
    EXPECT_EQ(published.problem(), "");
    EXPECT_EQ(mode_of(directory), 0700u);
    const std::vector<std::string> names = names_in(directory);
    ASSERT_EQ(names.size(), 1u);
    EXPECT_TRUE(names[0].starts_with(std::to_string(::getpid()) + "."));
    const std::string file = directory + "/" + names[0];
    EXPECT_EQ(mode_of(file), 0600u);
    const Bytes bytes = bytes_of_file(file);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "period=1s:control=x");
  }
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(PublishedOptions, RemoveWhatDeadRecordsLeft) {
  ScratchDirectory scratch;
  const std::string directory = scratch.file("options");
  ASSERT_EQ(::mkdir(directory.c_str(), 0700), 0);
  scratch.write("options/1.1", {});
  const UniqueFd live(
      ::open(scratch.write("options/2.2", {}).c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(live.get(), LOCK_EX), 0);
  {
    const PublishedOptions published("", directory);
    EXPECT_FALSE(std::filesystem::exists(directory + "/1.1"));
    EXPECT_TRUE(std::filesystem::exists(directory + "/2.2"));
  }
  EXPECT_EQ(names_in(directory), std::vector<std::string>{"2.2"});
}

TEST(PublishedOptions, GoIntoNoDirectoryThatOthersMayChange) {
  const ScratchDirectory scratch;
  const std::string open = scratch.file("open");
  ASSERT_EQ(::mkdir(open.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(open.c_str(), 0770), 0);
  const PublishedOptions in_open("", open);
  EXPECT_EQ(in_open.problem(),
            open + ": is not a directory that you alone may use; remove it, or "
                   "have its owner remove it");
  EXPECT_TRUE(names_in(open).empty());

  const std::string link = scratch.file("link");
  ASSERT_EQ(::symlink(scratch.file("target").c_str(), link.c_str()), 0);
  ASSERT_EQ(::mkdir(scratch.file("target").c_str(), 0700), 0);
  const PublishedOptions behind_link("", link);
  EXPECT_EQ(behind_link.problem(),
            link + ": cannot be opened as a directory: Not a directory");
  EXPECT_TRUE(names_in(scratch.file("target")).empty());
}

TEST(PublishedOptions, MustFitIntoTheRuntimesBuffer) {
  const ScratchDirectory scratch;
  const std::string directory = scratch.file("options");
  const std::string longest(shadow_file::kMaxRunOptionsBytes - 1, 'x');
  EXPECT_EQ(PublishedOptions(longest, directory).problem(), "");
  EXPECT_EQ(PublishedOptions(longest + "x", directory).problem(),
            "the options have 16384 bytes, which is too many");
}

} // namespace
} // namespace pagetide::tools
