//===- json_test.cpp - JSON values, beside those of a library -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/json.h"

#include "gtest/gtest.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {
namespace {

using Other = nlohmann::ordered_json;

std::string dump(const Other &json) {
  return json.dump(-1, ' ', false, Other::error_handler_t::replace);
}

/// What the tools write, with either type.
template <typename Value> Value document() {
  Value out;
  out["none"] = Value();
  out["also none"] = nullptr;
  out["yes"] = true;
  out["no"] = 1 > 2;
  out["large"] = UINT64_MAX;
  out["small"] = INT64_MIN;
  out["int"] = -1;
  out["byte"] = std::uint8_t{200};
  out["text"] = "a \"b\" \\ / \n \x01 <\x7f>";
  out["unicode"] = std::string("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
  out["invalid"] = std::string("\xff"
                               "a\xc3");
  out["a \xc3\x28 name"] = 1;
  out["numbers"] = std::vector<std::uint64_t>{1, 2, 3};
  out["square"] = std::vector<std::vector<int>>{{1, 2}, {}};
  out["texts"] = std::vector<std::string>{"x", ""};
  out["nothing"] = Value::array();
  out["object"] = {{"one", 1}, {"inner", {{"deep", "x"}, {"b", false}}}};
  out["rows"] = Value::array();
  Value row = {{"a", 1}};
  row.update({{"b", 2}, {"a", 3}});
  out["rows"].push_back(row);
  out["rows"].push_back(std::move(row));
  out["rows"].push_back({{"single", "member"}});
  return out;
}

TEST(Json, IsWrittenAsTheLibraryWritesIt) {
  EXPECT_EQ(document<Json>().dump(), dump(document<Other>()));
}

TEST(Json, NullBecomesWhatIsPutIntoIt) {
  EXPECT_EQ(Json().dump(), "null");
  Json list;
  list.push_back(1u);
  EXPECT_EQ(list.dump(), "[1]");
  Json object;
  EXPECT_EQ(object["a"].dump(), "null");
  EXPECT_EQ(object.dump(), R"({"a":null})");
}

TEST(Json, CopiesAreApart) {
  Json first = {{"list", Json::array({1, "two"})}};
  Json second = first;
  second["list"].push_back(3);
  EXPECT_EQ(first.dump(), R"({"list":[1,"two"]})");
  EXPECT_EQ(second.dump(), R"({"list":[1,"two",3]})");
}

TEST(Json, APartReplacesTheWhole) {
  Json whole = {{"part", Json::array({1})}};
  whole = std::move(whole["part"]);
  EXPECT_EQ(whole.dump(), "[1]");
}

TEST(Json, LosesMembersAndItems) {
  Json object = {{"a", 1}, {"b", Json::array({1, 2, 3})}};
  object.erase("a");
  object.erase("z");
  object["b"].shorten(2);
  object["b"].shorten(5);
  EXPECT_EQ(object.dump(), R"({"b":[1,2]})");
  EXPECT_EQ(object.names(), std::vector<std::string>{"b"});
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
