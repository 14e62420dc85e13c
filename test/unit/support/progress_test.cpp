//===- progress_test.cpp - When progress is shown -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/progress.h"

#include "short_names.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace pagetide::tools {
namespace {

constexpr const char kClear[] = "\r\x1b[K";

class ProgressTest : public testing::Test {
protected:
  void begin() {
    progress_.emplace(
        [this] { return now_ns_; },
        [this](std::string_view text) { shown_.emplace_back(text); });
  }

  std::uint64_t now_ns_ = 7'000 * kMs;
  std::vector<std::string> shown_;
  std::optional<Progress> progress_;
};

TEST_F(ProgressTest, IsShownAfterTwoSecondsAndThenTwiceASecond) {
  begin();
  now_ns_ += 1'999 * kMs;
  progress_->at("run", 10, 100);
  EXPECT_TRUE(shown_.empty());
  now_ns_ += kMs;
  progress_->at("run", 25, 100);
  now_ns_ += 499 * kMs;
  progress_->at("run", 30, 100);
  ASSERT_EQ(shown_.size(), 1u);
  EXPECT_EQ(shown_[0],
            std::string(kClear) + "pagetide: run: 25 %, 6.000 s left");
  now_ns_ += kMs;
  progress_->at("run", 200, 100); // the file is still growing
  ASSERT_EQ(shown_.size(), 2u);
  EXPECT_EQ(shown_[1], std::string(kClear) + "pagetide: run: 100 %");
}

TEST_F(ProgressTest, TheLineIsGoneAtTheEnd) {
  begin();
  now_ns_ += 3'000 * kMs;
  progress_->at("run", 4096, 0); // of a pipe
  progress_->clear();
  progress_->clear();
  ASSERT_EQ(shown_.size(), 2u);
  EXPECT_EQ(shown_[0], std::string(kClear) + "pagetide: run: 4 KiB, 3.000 s");
  EXPECT_EQ(shown_[1], kClear);
  now_ns_ += 500 * kMs;
  progress_->at("run", 1, 2);
  progress_.reset();
  EXPECT_EQ(shown_.back(), kClear);
}

TEST_F(ProgressTest, AShortCommandShowsNothing) {
  begin();
  progress_->at("run", 50, 100);
  progress_.reset();
  EXPECT_TRUE(shown_.empty());
}

TEST_F(ProgressTest, NamesAreShortenedAndHaveNoTerminalControls) {
  begin();
  now_ns_ += 2'000 * kMs;
  progress_->at(std::string(60, 'a') + "\x1b.ptrace", 1, 2);
  ASSERT_EQ(shown_.size(), 1u);
  EXPECT_EQ(shown_[0].find('\x1b', 3), std::string::npos) << shown_[0];
  EXPECT_NE(shown_[0].find("x1b.ptrace: 50 %"), std::string::npos);
  EXPECT_LT(shown_[0].size(), 80u);
}

} // namespace
} // namespace pagetide::tools
