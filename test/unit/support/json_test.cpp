//===- json_test.cpp - JSON values and their text -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/json.h"

#include "gtest/gtest.h"

#include <cstdint>

namespace pagetide::tools {
namespace {

TEST(Json, WhatIsNotUtf8IsReplaced) {
  const Json json = {{"a \xc3\x28 name", "\xff"
                                         "a\xc3"}};
  EXPECT_EQ(dumped(json), "{\"a \xef\xbf\xbd( name\":"
                          "\"\xef\xbf\xbd"
                          "a\xef\xbf\xbd\"}");
  EXPECT_EQ(json_text("\xff\n"), "\"\xef\xbf\xbd\\n\"");
}

TEST(Json, MembersKeepTheirOrder) {
  Json json = {{"z", 1}, {"a", nullptr}};
  json.update({{"m", Json::array({true})}, {"z", 2}});
  EXPECT_EQ(dumped(json), R"({"z":2,"a":null,"m":[true]})");
}

TEST(Json, AFlagIsANumberToo) {
  EXPECT_EQ(number_of(true), 1u);
  EXPECT_EQ(number_of(UINT64_MAX), UINT64_MAX);
}

TEST(Json, ValidTextLosesNothing) {
  EXPECT_EQ(valid_utf8("plain"), "plain");
  EXPECT_EQ(valid_utf8("gr\xc3\xbcn\n"), "gr\xc3\xbcn\n");
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\xef\xbf\xbd"
            "b");
}

} // namespace
} // namespace pagetide::tools
