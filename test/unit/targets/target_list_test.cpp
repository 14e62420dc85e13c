//===- target_list_test.cpp - The list of programs to record --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "targets/target_list.h"

#include "support/failure.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pagetide::tools {
namespace {

class TargetLists : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/pagetide-targets-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    path_ = directory_ + "/pagetide/targets";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void write(const std::string &text) {
    std::filesystem::create_directories(directory_ + "/pagetide");
    std::ofstream(path_) << text;
  }
  std::string content() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string failure_of_open() const {
    try {
      TargetList::open(path_);
    } catch (const Failure &failure) {
      return failure.what();
    }
    return {};
  }

  std::string directory_;
  std::string path_;
};

TEST_F(TargetLists, AreWrittenAndReadBack) {
  {
    TargetList list = TargetList::open(path_);
    EXPECT_TRUE(list.targets().empty());
    EXPECT_FALSE(list.put({"redis", "/traces/r", "period=1s"}));
    EXPECT_FALSE(list.put({"bzip2", "/traces/b c", ""}));
    EXPECT_TRUE(list.put({"redis", "/other", "period=2s"}));
    list.save();
  }
  EXPECT_EQ(content(), "pagetide targets 1\n"
                       "bzip2\t/traces/b c\t\n"
                       "redis\t/other\tperiod=2s\n");
  struct stat status;
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  TargetList list = TargetList::open(path_);
  ASSERT_EQ(list.targets().size(), 2u);
  EXPECT_EQ(list.targets()[1].folder, "/other");
  EXPECT_FALSE(list.remove("redi"));
  EXPECT_TRUE(list.remove("redis"));
  EXPECT_EQ(list.targets().size(), 1u);
}

TEST_F(TargetLists, LeaveNoFileWhenEmpty) {
  write("pagetide targets 1\nredis\t/traces\t\n");
  TargetList list = TargetList::open(path_);
  list.clear();
  list.save();
  EXPECT_FALSE(std::filesystem::exists(path_));
  list.save();
}

TEST_F(TargetLists, RefuseAnotherVersion) {
  write("pagetide targets 2\nredis\t/traces\t\n");
  EXPECT_EQ(failure_of_open(),
            path_ + ": is not a list of targets of this version of pagetide; "
                    "empty it with: pagetide target reset");
  TargetList::open_for_reset(path_).save();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(TargetLists, RefuseAFileThatOthersMayWrite) {
  write("pagetide targets 1\n");
  ::chmod(path_.c_str(), 0622);
  EXPECT_EQ(failure_of_open(),
            path_ + ": is no file that you alone may write to, so programs do "
                    "not read it; remove it, or run: chmod go-w");
}

TEST_F(TargetLists, TellWhichEntryIsDamaged) {
  for (const std::string last : {"b\n", "b\t/x\n", "b\t/x\ty"}) {
    write("pagetide targets 1\na\t/x\t\n" + last);
    EXPECT_EQ(failure_of_open(),
              path_ + ": entry 2 is damaged; empty the list with: pagetide "
                      "target reset");
  }
}

TEST_F(TargetLists, KeepTheFileIfTheyBecomeTooLarge) {
  write("pagetide targets 1\na\t/x\t\n");
  TargetList list = TargetList::open(path_);
  list.put({"b", "/" + std::string(70000, 'x'), ""});
  EXPECT_THROW(list.save(), Failure);
  EXPECT_EQ(content(), "pagetide targets 1\na\t/x\t\n");
}

TEST(WhyNoTarget, RefusesWhatALineCannotHold) {
  EXPECT_EQ(why_no_target({"a b", "/x'y", "period=1s"}), "");
  for (const Target &target :
       {Target{"", "/x", ""}, Target{std::string(256, 'n'), "/x", ""},
        Target{"a/b", "/x", ""}, Target{"a\tb", "/x", ""},
        Target{"a", "/x\n", ""}, Target{"a", "x", ""}, Target{"a", "", ""},
        Target{"a'b", "/x\"y", ""}})
    EXPECT_NE(why_no_target(target), "") << target.program << target.folder;
}

TEST(TargetPaths, FollowTheVariables) {
  ::setenv("HOME", "/home/me", 1);
  ::unsetenv("XDG_STATE_HOME");
  for (const char *relative : {"", "config"}) {
    ::setenv("XDG_CONFIG_HOME", relative, 1);
    EXPECT_EQ(target_list_path(), "/home/me/.config/pagetide/targets");
  }
  EXPECT_EQ(default_target_folder("redis"),
            "/home/me/.local/state/pagetide/redis");
  ::setenv("XDG_CONFIG_HOME", "/config", 1);
  ::setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(target_list_path(), "/config/pagetide/targets");
  EXPECT_EQ(default_target_folder("redis"), "/state/pagetide/redis");
  ::setenv("HOME", "me", 1);
  ::unsetenv("XDG_CONFIG_HOME");
  EXPECT_THROW(target_list_path(), Failure);
}

} // namespace
} // namespace pagetide::tools
