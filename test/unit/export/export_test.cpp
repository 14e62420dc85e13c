//===- export_test.cpp - Exports of every kind of trace -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/export.h"

#include "export/table.h"
#include "export_testing.h"
#include "sample_traces.h"
#include "string_sink.h"
#include "support/failure.h"
#include "trace/hash.h"
#include "trace_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>

namespace pagetide::tools {
namespace {

std::string exported(const Bytes &bytes, const ExportRequest &request = {}) {
  StringSink sink;
  export_bytes(bytes, request, sink);
  return sink.text;
}

/// Lines of CSV without the header.
std::string rows(const std::string &name, const Selection &selection = {},
                 const std::string &columns = {}) {
  ExportRequest request;
  request.selection = selection;
  request.columns = columns;
  std::string text = exported(sample_trace(name), request);
  const std::string header = "period,start_ns,end_ns,pid,tid,address,read,"
                             "written,checksum,state,may\n";
  if (columns.empty())
    EXPECT_EQ(text.substr(0, header.size()), header);
  return text.substr(text.find('\n') + 1);
}

std::string checksum(std::uint64_t granule) {
  return fmt::format("{:#018x}", hash_bytes(&granule, sizeof(granule)));
}

TEST(Export, EveryStateOfAChecksum) {
  Selection second;
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

TEST(Export, LayoutsLeaveEmptyWhatTheyCannotKnow) {
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

TEST(Export, CarriedAndMay) {
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

TEST(Export, AChecksumServesEveryThread) {
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

TEST(Export, GranulesOtherThanPages) {
  EXPECT_EQ(rows("fine"),
            "0,1000000000,1500000000,4242,0,0x0,1,0,,none,\n"
            "0,1000000000,1500000000,4242,0,0x155540,0,1,,none,\n"
            "0,1000000000,1500000000,4242,0,0x155580,0,1,,none,\n");
}

TEST(Export, PartsGiveEachGranuleOnce) {
  const std::string text = rows("parts");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 129);
  EXPECT_EQ(text.find(",none"), text.rfind(",none"))
      << "only period 1 has no checksums";
}

TEST(Export, FiltersRows) {
  Selection filter;
  filter.addresses = {0x555555601fff, 0x555555603000};
  EXPECT_EQ(rows("carried", filter).find("0x555555600000"), std::string::npos);
  const std::string text = rows("carried", filter);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  Selection one_thread;
  one_thread.tid = 4243;
  const std::string thread = rows("threads", one_thread);
  EXPECT_EQ(std::count(thread.begin(), thread.end(), '\n'), 8);
  EXPECT_EQ(thread.find(",4242,0x"), std::string::npos)
      << "pid is 4242, tid is not";
  Selection none;
  none.periods.first = 7;
  EXPECT_EQ(rows("basic", none), "");
}

TEST(Export, AFilteredHugeRunCostsNothing) {
  Selection filter;
  filter.addresses = {0x1000, 0x2fff};
  EXPECT_EQ(rows("hostile", filter),
            "0,0,18446744073709551615,4242,0,0x1000,1,0,,none,\n"
            "0,0,18446744073709551615,4242,0,0x2000,1,0,,none,\n");
}

TEST(Export, JsonHoldsTheSameRows) {
  for (const char *name : {"basic", "threads", "access", "write", "carried",
                           "fine", "empty", "unfinished", "cut", "damaged"}) {
    SCOPED_TRACE(name);
    const Bytes bytes = sample_trace(name);
    const auto json =
        nlohmann::json::parse(exported(bytes, {.format = "json"}));
    EXPECT_EQ(json.at("pagetide_export"), 1);
    EXPECT_EQ(json.at("header").at("pid"), 4242);
    std::istringstream csv(exported(bytes));
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

TEST(Export, JsonHasOneRowALine) {
  const std::string text = exported(sample_trace("access"), {.format = "json"});
  std::istringstream lines(text);
  std::string line;
  int rows_seen = 0;
  while (std::getline(lines, line))
    rows_seen += line.starts_with("{\"period\":");
  EXPECT_EQ(rows_seen, 4);
}

TEST(Export, ChosenColumns) {
  Selection second;
  second.periods = {1, 1};
  second.addresses = {0x555555555000, 0x555555600fff};
  EXPECT_EQ(rows("basic", second, "address,mapping,file_offset,time_ns,trace"),
            "0x555555555000,/home/user/bin/sorter,4096,500000000,1\n"
            "0x555555556000,/home/user/bin/sorter,8192,500000000,1\n"
            "0x555555600000,[heap],,500000000,1\n");
  second.addresses = {};
  EXPECT_EQ(rows("threads", second, "thread,tid,address"),
            "worker,4243,0x555555606000\nworker,4243,0x555555607000\n");
}

TEST(Export, ColumnsAreAddedToTheStandardOnes) {
  const std::string text =
      exported(sample_trace("tiny"), {.columns = "+trace,mapping"});
  EXPECT_TRUE(text.starts_with("period,start_ns,end_ns,pid,tid,address,read,"
                               "written,checksum,state,may,trace,mapping\n"))
      << text.substr(0, 200);
}

TEST(Export, WrongColumnsAreNamed) {
  const auto problem = [](const char *columns) -> std::string {
    try {
      chosen_columns(*find_table("pages"), columns);
    } catch (const Failure &failure) {
      return failure.what();
    }
    return "none";
  };
  EXPECT_NE(problem("period,adress")
                .find("adress: there is no such column in "
                      "the table of pages; did you mean "
                      "address?\nColumns: period, "),
            std::string::npos)
      << problem("period,adress");
  EXPECT_EQ(problem("pid,tid,pid"),
            "--columns: pid is there twice; name it once");
  EXPECT_EQ(problem("+pid"), "--columns: pid is there twice; name it once");
  EXPECT_NE(problem("pid,,tid").find("there is no such column"),
            std::string::npos);
}

/// A mapping comes first in the list after the period that used it. The row is
/// where it belongs all the same, with the mapping's name.
Bytes mapping_listed_late() {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  const Mapping heap = {0x1000000, 0x100000, 3, 0, "[heap]"};
  const Mapping late = {0x2000000, 0x100000, 5, 0x3000, "/lib/late.so"};
  writer.write(Mappings{kSampleStartNs, {heap}});
  for (std::uint64_t i = 0; i < 3; ++i) {
    PeriodPart period = sample_period(i);
    period.add_section(0,
                       std::vector<GranuleRun>{{0x1000, 1, trace::kRunRead},
                                               {0x2001, 1, trace::kRunRead},
                                               {0x9000, 1, trace::kRunRead}});
    writer.write(period);
    if (i == 1)
      writer.write(Mappings{period.end_ns, {heap, late}});
  }
  writer.write(End{kSampleStartNs + 1'500'000'000, trace::EndReason::kExit, 0});
  return sink.bytes();
}

TEST(Export, AMappingIsNamedBeforeItIsListed) {
  ExportRequest request;
  request.columns = "period,address,mapping,file_offset";
  EXPECT_EQ(exported(mapping_listed_late(), request),
            "period,address,mapping,file_offset\n"
            "0,0x1000000,[heap],\n0,0x2001000,/lib/late.so,16384\n"
            "0,0x9000000,[unknown],\n"
            "1,0x1000000,[heap],\n1,0x2001000,/lib/late.so,16384\n"
            "1,0x9000000,[unknown],\n"
            "2,0x1000000,[heap],\n2,0x2001000,/lib/late.so,16384\n"
            "2,0x9000000,[unknown],\n");
  request.columns = "period,address";
  request.selection.mapping = "late.so";
  EXPECT_EQ(exported(mapping_listed_late(), request),
            "period,address\n0,0x2001000\n1,0x2001000\n2,0x2001000\n");
}

TEST(Export, SelectedRowsSayAllThatIsKnownOfThem) {
  Selection writes;
  writes.writes = true;
  const std::string text = rows("carried", writes);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_NE(text.find("0x555555602000,1,1,"), std::string::npos)
      << "it was also read";
  EXPECT_EQ(text.find("0x555555603000"), std::string::npos);
}

TEST(Export, AThreadOfATraceThatHasNoneIsRefused) {
  Selection thread;
  thread.tid = 4242;
  EXPECT_THROW(rows("basic", thread), Failure);
}

TEST(Export, TextsAreQuotedWhereTheFormatNeedsIt) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  const std::string name = std::string("/a,\"b\"\n\xff") + '\0' + "c";
  writer.write(Mappings{kSampleStartNs, {{0x1000000, 0x1000, 3, 0, name}}});
  PeriodPart period = sample_period(0);
  period.add_section(0, std::vector<GranuleRun>{{0x1000, 1, trace::kRunRead}});
  writer.write(period);
  ExportRequest request;
  request.columns = "mapping,pid";
  const std::string replaced = "\xef\xbf\xbd\xef\xbf\xbd"
                               "c";
  EXPECT_EQ(exported(sink.bytes(), request),
            "mapping,pid\n\"/a,\"\"b\"\"\n" + replaced + "\",4242\n");
  request.format = "jsonl";
  EXPECT_EQ(exported(sink.bytes(), request),
            "{\"mapping\":\"/a,\\\"b\\\"\\n" + replaced + "\",\"pid\":4242}\n");
}

TEST(Export, AMappingHasARowForAsLongAsItIsListed) {
  EXPECT_EQ(exported(mapping_listed_late(), {.what = "mappings"}),
            "trace,pid,start,end,file_offset,protection,name,from_ns,to_ns\n"
            "1,4242,0x1000000,0x1100000,,rw-p,[heap],1000000000,\n"
            "1,4242,0x2000000,0x2100000,12288,r-xp,/lib/late.so,2000000000,\n");
  const std::string text =
      exported(sample_trace("changing"), {.what = "mappings"});
  EXPECT_NE(text.find("rw-p,[heap],1000000000,1000000000\n"), std::string::npos)
      << text;
}

TEST(Export, SitesNameThePlacesThatTouchedAPage) {
  ExportRequest request;
  request.columns = "tid,address,read_site,write_site";
  request.selection.periods = {0, 0};
  request.selection.tid = 4243;
  EXPECT_EQ(exported(sample_trace("sites"), request),
            "tid,address,read_site,write_site\n"
            "4243,0x555555602000,,512\n4243,0x555555603000,,512\n"
            "4243,0x555555609000,,1280\n");
  request.columns = "site,function,line,places,written";
  request.what = "sites";
  EXPECT_EQ(exported(sample_trace("sites"), request),
            "site,function,line,places,written\n512,plain,,1,2\n"
            "1280,,,0,1\n");
}

TEST(Export, PageRunsAreOfWholePages) {
  const std::string text =
      exported(sample_trace("fine"), {.format = "page-runs"});
  EXPECT_EQ(text, "{\"magic\":\"PAGEMAP\",\"pid\":4242,\"period\":0,"
                  "\"start_ns\":1000000000,\"end_ns\":1500000000,"
                  "\"page_bytes\":4096,\"entries\":[{\"pages_id\":1},"
                  "{\"vaddr\":\"0x155000\",\"nr_pages\":1,\"flags\":"
                  "\"PE_PRESENT\"}]}\n");
}

TEST(Export, APeriodWithoutItsLastPartSaysSo) {
  EXPECT_NE(exported(sample_trace("cut-parts"), {.format = "page-runs"})
                .find("],\"is_whole\":false}\n"),
            std::string::npos);
  const std::string periods =
      exported(sample_trace("cut-parts"),
               {.what = "periods", .columns = "period,is_whole"});
  EXPECT_TRUE(periods.ends_with(",0\n")) << periods;
}

TEST(Export, PeriodsSayWhichEndedInACut) {
  const std::string periods = exported(
      sample_trace("cuts"), {.what = "periods",
                             .columns = "period,cut_ns,cut_pause_ns,cut_marked,"
                                        "cut_unsettled,no_cut"});
  EXPECT_EQ(periods,
            "period,cut_ns,cut_pause_ns,cut_marked,cut_unsettled,no_cut\n"
            "0,1503000000,250000,0,2,\n"
            "1,,,,,threads share a shadow\n"
            "2,2503000000,250000,20,2,\n"
            "3,,,,,reading took longer than option cut_stop allows\n"
            "4,3503000000,900000,40,2,\n"
            "5,,,,,threads share a shadow\n"
            "6,,,,,\n"); // harvested: it has no checksums
  const std::string others = exported(
      sample_trace("fine"), {.what = "periods", .columns = "cut_ns,no_cut"});
  EXPECT_EQ(others, "cut_ns,no_cut\n,\n");
}

TEST(Export, NamesOfFormatsTablesAndColumnsAreDistinct) {
  std::set<std::string> names;
  for (const ExportFormat *format : export_formats())
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
  for (const Table *table : export_tables()) {
    std::set<std::string> columns;
    for (const Column &column : table->columns)
      EXPECT_TRUE(columns.insert(column.name).second)
          << table->name << " " << column.name;
  }
}

/// The document is an interface: it has what the tables say, word for word.
TEST(Export, TheDocumentListsAllColumns) {
  std::ifstream file(PAGETIDE_SOURCE_ROOT "/docs/reference/cli-output.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const ExportFormat *format : export_formats())
    EXPECT_NE(text.str().find(fmt::format("`{}`", format->name)),
              std::string::npos)
        << format->name;
  for (const Table *table : export_tables())
    for (const Column &column : table->columns)
      EXPECT_NE(
          text.str().find(fmt::format("| {} | {} |", column.name, column.help)),
          std::string::npos)
          << table->name << ": | " << column.name << " | " << column.help
          << " |";
}

} // namespace
} // namespace pagetide::tools
