//===- control_text_test.cpp - What pagetide ctl says of a process --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "control/control_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>

namespace pagetide::tools {
namespace {

ControlAnswer answer_of(control::Operation operation) {
  ControlAnswer answer = {.operation = operation,
                          .pid = 12,
                          .program = "prog",
                          .is_reachable = true,
                          .has_marks = true,
                          .refusal = {},
                          .reply = control::Reply()};
  answer.reply->recording = 1;
  answer.reply->marks_on = 1;
  answer.reply->period_ns = 10'000'000;
  answer.reply->periods = 1234;
  answer.reply->seconds = 125;
  std::strcpy(answer.reply->trace_path, "/t/a b");
  return answer;
}

TEST(ControlText, OfStatus) {
  ControlAnswer answer = answer_of(control::Operation::kStatus);
  EXPECT_EQ(control_text(answer), "process    12 (prog)\n"
                                  "marks      on\n"
                                  "recording  yes, begun 2 min 05 s ago\n"
                                  "trace      /t/a b\n"
                                  "sets       per process\n"
                                  "period     10 ms\n"
                                  "periods    1,234 so far\n");
  answer.reply->by_record = 1;
  answer.reply->marks_late = 1;
  answer.reply->per_thread = 1;
  answer.reply->period_ns = 0;
  answer.reply->trace_path[0] = 0;
  EXPECT_EQ(control_text(answer),
            "process    12 (prog)\n"
            "marks      on, switched on while it ran. Functions that were "
            "running then have none until they return.\n"
            "recording  yes, by pagetide record, begun 2 min 05 s ago\n"
            "trace      none\n"
            "sets       per thread\n"
            "period     ended by the program\n"
            "periods    1,234 so far\n");
}

TEST(ControlText, TellsAgesInWholeSeconds) {
  ControlAnswer answer = answer_of(control::Operation::kStatus);
  answer.reply->seconds = 0;
  EXPECT_NE(control_text(answer).find("yes, begun less than 1 s ago\n"),
            std::string::npos);
  answer.reply->seconds = 59;
  EXPECT_NE(control_text(answer).find("yes, begun 59 s ago\n"),
            std::string::npos);
}

TEST(ControlText, OfAProcessThatIsNotRecorded) {
  ControlAnswer answer = answer_of(control::Operation::kStatus);
  answer.reply->recording = 0;
  EXPECT_EQ(control_text(answer), "process    12 (prog)\n"
                                  "marks      on\n"
                                  "recording  no\n");
  answer.reply.reset();
  answer.has_marks = false;
  answer.is_reachable = false;
  EXPECT_EQ(control_text(answer),
            "process    12 (prog)\n"
            "marks      off\n"
            "recording  no\n"
            "start      impossible: the process cannot be reached\n");
}

TEST(ControlText, OfChanges) {
  ControlAnswer answer = answer_of(control::Operation::kStart);
  EXPECT_EQ(control_text(answer),
            "process 12 (prog) is being recorded; trace: /t/a b\n"
            "see it with: pagetide report '/t/a b'\n");
  answer.reply->marks_late = 1;
  EXPECT_TRUE(control_text(answer).ends_with(
      "\nIts marks were switched on while it ran. Functions that were running "
      "then have none until they return.\n"));
  answer.operation = control::Operation::kStop;
  EXPECT_EQ(control_text(answer),
            "process 12 (prog) is no longer recorded; trace: /t/a b (1,234 "
            "periods)\nsee it with: pagetide report '/t/a b'\n");
  answer.operation = control::Operation::kPeriod;
  EXPECT_EQ(control_text(answer),
            "process 12 (prog): the length of periods is now: 10 ms\n");
  answer.operation = control::Operation::kFlush;
  EXPECT_EQ(control_text(answer), "process 12 (prog): all complete periods "
                                  "(1,234) are in its trace: /t/a b\n");
}

TEST(ControlText, ShowsNoControlsOfATerminal) {
  ControlAnswer answer = answer_of(control::Operation::kStatus);
  answer.program = "a\x1b[2J";
  std::strcpy(answer.reply->trace_path, "/\x1b]0;x\a");
  EXPECT_EQ(control_text(answer).find_first_of("\x1b\a"), std::string::npos);
  answer.operation = control::Operation::kStop;
  EXPECT_EQ(control_text(answer).find_first_of("\x1b\a"), std::string::npos);
}

TEST(ControlJson, HasEveryField) {
  ControlAnswer answer = answer_of(control::Operation::kFlush);
  EXPECT_EQ(control_json(answer),
            R"({"pagetide_ctl":1,"pid":12,"program":"prog",)"
            R"("operation":"flush","done":true,"reason":null,)"
            R"("reachable":true,"marks":true,"marks_late":false,)"
            R"("recording":true,"by_record":false,"trace":"/t/a b",)"
            R"("per_thread":false,"period_ns":10000000,"window_ns":0,)"
            R"("every_ns":0,"periods":1234,)"
            R"("seconds":125})");
  answer.reply.reset();
  answer.has_marks = false;
  answer.refusal = "no";
  EXPECT_EQ(control_json(answer),
            R"({"pagetide_ctl":1,"pid":12,"program":"prog",)"
            R"("operation":"flush","done":false,"reason":"no",)"
            R"("reachable":true,"marks":false,"marks_late":false,)"
            R"("recording":false,"by_record":false,"trace":null,)"
            R"("per_thread":null,"period_ns":null,"window_ns":null,)"
            R"("every_ns":null,"periods":null,)"
            R"("seconds":null})");
}

TEST(ControlJson, IsUtf8WhateverTheNames) {
  ControlAnswer answer = answer_of(control::Operation::kStatus);
  answer.program = "\xff";
  const auto json = nlohmann::json::parse(control_json(answer));
  EXPECT_EQ(json["program"], "\xef\xbf\xbd");
}

} // namespace
} // namespace pagetide::tools
