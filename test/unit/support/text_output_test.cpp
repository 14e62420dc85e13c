//===- text_output_test.cpp - Files that appear when they are whole -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text_output.h"

#include "gtest/gtest.h"

#include <signal.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace pagetide::tools {
namespace {

class TextOutputFile : public testing::Test {
protected:
  TextOutputFile() {
    folder_ = std::filesystem::temp_directory_path() / "text_outputXXXXXX";
    if (!::mkdtemp(folder_.data()))
      std::abort();
    path_ = folder_ + "/rows";
  }
  ~TextOutputFile() override { std::filesystem::remove_all(folder_); }

  std::size_t files() const {
    const std::filesystem::directory_iterator all(folder_);
    return static_cast<std::size_t>(
        std::distance(begin(all), std::filesystem::directory_iterator()));
  }
  std::string content() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
  std::string path_;
};

TEST_F(TextOutputFile, appears_when_it_is_closed) {
  TextOutput out(path_);
  out.write("text");
  out.flush();
  EXPECT_FALSE(std::filesystem::exists(path_));
  out.close();
  EXPECT_EQ(content(), "text");
  EXPECT_EQ(files(), 1U);
}

TEST_F(TextOutputFile, that_is_given_up_leaves_the_earlier_one) {
  std::ofstream(path_) << "earlier";
  {
    TextOutput out(path_);
    out.write("text");
    out.flush();
  }
  EXPECT_EQ(content(), "earlier");
  EXPECT_EQ(files(), 1U);
}

using TextOutputFileDeathTest = TextOutputFile;

TEST_F(TextOutputFileDeathTest, is_gone_after_each_signal_that_interrupts) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    EXPECT_EXIT(
        {
          ::signal(signal, SIG_DFL); // whoever runs the test may ignore it
          TextOutput out(path_);
          out.write("text");
          out.flush();
          ::raise(signal);
        },
        testing::KilledBySignal(signal), "");
    EXPECT_EQ(files(), 0U) << signal;
  }
}

TEST_F(TextOutputFileDeathTest, lets_ignored_signals_be_ignored) {
  EXPECT_EXIT(
      {
        ::signal(SIGHUP, SIG_IGN);
        TextOutput out(path_);
        out.write("text");
        ::raise(SIGHUP);
        out.close();
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(content(), "text");
}

} // namespace
} // namespace pagetide::tools
