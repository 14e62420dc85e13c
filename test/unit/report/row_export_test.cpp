//===- row_export_test.cpp - Rows of every kind of trace ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/row_export.h"

#include "sample_traces.h"
#include "trace/hash.h"
#include "trace_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace pagetide::tools {
namespace {

class StringSink : public TextSink {
public:
  void write(std::string_view text) override { text_ += text; }
  const std::string &text() const { return text_; }

private:
  std::string text_;
};

std::string rows(const Bytes &bytes, RowFormat format = RowFormat::kCsv,
                 const RowFilter &filter = {}) {
  StringSink sink;
  TraceReader reader = reader_of(bytes);
  export_rows(reader, format, filter, sink);
  return sink.text();
}

std::string rows(const std::string &name, const RowFilter &filter = {}) {
  std::string text = rows(sample_trace(name), RowFormat::kCsv, filter);
  const std::string header = "period,start_ns,end_ns,pid,tid,address,read,"
                             "written,checksum,state,may\n";
  EXPECT_EQ(text.substr(0, header.size()), header);
  return text.substr(header.size());
}

std::string checksum(std::uint64_t granule) {
  return fmt::format("{:#018x}", hash_bytes(&granule, sizeof(granule)));
}

TEST(RowExport, EveryStateOfAChecksum) {
  RowFilter second;
  second.periods = {1, 1};
  const std::string at = "1,1500000000,2000000000,4242,0,";
  EXPECT_EQ(rows("basic", second),
            at + "0x555555554000,1,0,,none,\n" + at +
                "0x555555555000,1,0,,none,\n" + at +
                "0x555555556000,1,0,,none,\n" + at +
                "0x555555600000,1,1,0x1122334455667788,stable,\n" + at +
                "0x555555601000,1,1,0x00000000000000ff,stable,\n" + at +
                "0x555555602000,0,1,,unstable,\n" + at +
                "0x555555603000,0,1,,gone,\n" + at +
                "0x555555604000,0,1,,unreadable,\n" + at +
                "0x7fffffffc000,1,1,0xfedcba9876543210,stable,\n" + at +
                "0x7fffffffd000,1,1,0x0123456789abcdef,stable,\n");
}

TEST(RowExport, LayoutsLeaveEmptyWhatTheyCannotKnow) {
  const std::string at = "0,1000000000,1500000000,4242,0,";
  EXPECT_EQ(rows("access"), at + "0x555555600000,,,,none,\n" + at +
                                "0x555555601000,,,,none,\n" + at +
                                "0x555555602000,,,,none,\n" + at +
                                "0x555555609000,,,,none+may,accessed\n");
  EXPECT_EQ(rows("write"), at + "0x555555600000,,1,,none,\n" + at +
                               "0x555555601000,,1,,none,\n" + at +
                               "0x555555602000,,1,,none,\n" + at +
                               "0x555555609000,,1,,none+may,written\n");
}

TEST(RowExport, CarriedAndMay) {
  const std::string at = "0,1000000000,1500000000,4242,0,";
  constexpr std::uint64_t kHeap = 0x555555600;
  EXPECT_EQ(rows("carried"), at + "0x555555600000,0,1," + checksum(kHeap) +
                                 ",stable,\n" + at + "0x555555601000,0,1," +
                                 checksum(kHeap + 1) + ",stable+carried,\n" +
                                 at + "0x555555602000,1,1," +
                                 checksum(kHeap + 2) + ",stable+carried,\n" +
                                 at + "0x555555603000,1,0,,none+may,read\n" +
                                 at + "0x555555604000,1,1,,none+may,written\n" +
                                 at + "0x555555605000,0,1,,none+may,written\n");
}

TEST(RowExport, AChecksumServesEveryThread) {
  const std::string text = rows("threads");
  constexpr std::uint64_t kHeap = 0x555555600;
  const std::string at = "0,1000000000,1500000000,4242,";
  for (const std::string tid : {"4242", "4243"})
    for (const std::uint64_t granule : {kHeap + 2, kHeap + 3})
      EXPECT_NE(text.find(fmt::format("{}{},{:#x},1,{},{},stable,\n", at, tid,
                                      granule << 12, tid == "4242" ? 1 : 0,
                                      checksum(granule))),
                std::string::npos)
          << text;
  EXPECT_NE(text.find(at + "0,0x555555664000,0,1,"), std::string::npos);
}

TEST(RowExport, GranulesOtherThanPages) {
  EXPECT_EQ(rows("fine"),
            "0,1000000000,1500000000,4242,0,0x0,1,0,,none,\n"
            "0,1000000000,1500000000,4242,0,0x155540,0,1,,none,\n"
            "0,1000000000,1500000000,4242,0,0x155580,0,1,,none,\n");
}

TEST(RowExport, PartsGiveEachGranuleOnce) {
  const std::string text = rows("parts");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 129);
  EXPECT_EQ(text.find(",none"), text.rfind(",none"))
      << "only period 1 has no checksums";
}

TEST(RowExport, FiltersRows) {
  RowFilter filter;
  filter.addresses = {0x555555601fff, 0x555555603000};
  EXPECT_EQ(rows("carried", filter).find("0x555555600000"), std::string::npos);
  const std::string text = rows("carried", filter);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  RowFilter one_thread;
  one_thread.tid = 4243;
  const std::string thread = rows("threads", one_thread);
  EXPECT_EQ(std::count(thread.begin(), thread.end(), '\n'), 8);
  EXPECT_EQ(thread.find(",4242,0x"), std::string::npos)
      << "pid is 4242, tid is not";
  RowFilter none;
  none.periods.first = 7;
  EXPECT_EQ(rows("basic", none), "");
}

TEST(RowExport, AFilteredHugeRunCostsNothing) {
  RowFilter filter;
  filter.addresses = {0x1000, 0x2fff};
  EXPECT_EQ(rows("hostile", filter),
            "0,0,18446744073709551615,4242,0,0x1000,1,0,,none,\n"
            "0,0,18446744073709551615,4242,0,0x2000,1,0,,none,\n");
}

TEST(RowExport, JsonHoldsTheSameRows) {
  for (const char *name : {"basic", "threads", "access", "write", "carried",
                           "fine", "empty", "unfinished", "cut", "damaged"}) {
    SCOPED_TRACE(name);
    const Bytes bytes = sample_trace(name);
    const auto json = nlohmann::json::parse(rows(bytes, RowFormat::kJson));
    EXPECT_EQ(json.at("pagetide_export"), 1);
    EXPECT_EQ(json.at("header").at("pid"), 4242);
    std::istringstream csv(rows(bytes, RowFormat::kCsv));
    std::string line;
    std::getline(csv, line);
    for (const auto &row : json.at("rows")) {
      ASSERT_TRUE(std::getline(csv, line));
      const auto number = [&](const char *field) {
        return row.at(field).is_null() ? std::string() : row.at(field).dump();
      };
      EXPECT_EQ(
          line,
          fmt::format(
              "{},{},{},{},{},{},{},{},{},{},{}", number("period"),
              number("start_ns"), number("end_ns"), number("pid"),
              number("tid"), row.at("address").get<std::string>(),
              number("read"), number("written"),
              row.at("checksum").is_null()
                  ? ""
                  : row.at("checksum").get<std::string>(),
              row.at("state").get<std::string>(),
              row.at("may").is_null() ? "" : row.at("may").get<std::string>()));
    }
    EXPECT_FALSE(std::getline(csv, line));
    const bool complete = std::string(name) != "unfinished" &&
                          std::string(name) != "cut" &&
                          std::string(name) != "damaged";
    EXPECT_EQ(json.at("complete"), complete);
    EXPECT_EQ(json.at("problem").is_null(), complete);
  }
}

TEST(RowExport, JsonHasOneRowALine) {
  const std::string text = rows(sample_trace("access"), RowFormat::kJson);
  std::istringstream lines(text);
  std::string line;
  int rows_seen = 0;
  while (std::getline(lines, line))
    rows_seen += line.starts_with("{\"period\":");
  EXPECT_EQ(rows_seen, 4);
}

} // namespace
} // namespace pagetide::tools
