//===- run_document_test.cpp - The HTML document about a run --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/run_document.h"

#include "html/html_document.h"
#include "report/run_report_testing.h"
#include "string_sink.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

CodePlace no_code(const std::string &, std::uint64_t) { return {}; }

struct Document {
  std::size_t bytes = 0;
  OrderedJson data;
};

Document document_of(const std::vector<std::string> &files,
                     const DocumentOptions &options = {}) {
  RunDocument run(options, kSampleStartNs, no_code);
  for (const std::string &file : files)
    run.add(file);
  HtmlAssets assets;
  assets.page = "@data@";
  StringSink out;
  run.write(assets, "1", out);
  const std::string begin = "id=\"data\">";
  const std::size_t from = out.text.find(begin) + begin.size();
  return {out.text.size(), OrderedJson::parse(out.text.substr(
                               from, out.text.find("</script>", from) - from))};
}

/// A process with random accesses, which no compression makes small, and with
/// long names that are longer still in HTML.
Bytes large_process(std::uint32_t pid, std::uint64_t periods,
                    std::uint64_t pages, std::size_t name_bytes) {
  trace::FileHeader header = sample_header();
  header.pid = pid;
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(finished_header(header));
  writer.write(Process{"/bin/" + std::string(name_bytes, '<'),
                       {"large", std::string(100 * name_bytes, '<')},
                       "",
                       "marks",
                       "0"});
  Mappings mappings{kSampleStartNs, {}};
  for (std::uint64_t i = 0; i < 64; ++i)
    mappings.mappings.push_back(
        {(kSampleHeap + i * pages / 64) << 12, (pages / 64) << 12, 3, 0,
         fmt::format("{}{}-{}", std::string(name_bytes, '<'), pid, i)});
  writer.write(mappings);
  std::uint64_t state = pid;
  for (std::uint64_t i = 0; i < periods; ++i) {
    std::vector<GranuleRun> runs;
    for (std::uint64_t page = 0; page < pages; ++page) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      if (state >> 63)
        runs.push_back({kSampleHeap + page, 1, state >> 62 & 1 ? kR : kW});
    }
    PeriodPart period = period_with(i, runs);
    if (i < 4)
      add_stable_checksums(period, 12, runs);
    for (std::uint64_t &hash : period.hashes)
      hash = state += hash;
    writer.write(period);
  }
  writer.write(End{});
  return sink.bytes();
}

TEST(RunDocument, ManyLargeProcessesStayBelowTheBound) {
  ScratchDirectory directory;
  std::vector<std::string> files;
  for (std::uint32_t pid = 1; pid <= 24; ++pid)
    files.push_back(directory.write(fmt::format("run.{}", pid),
                                    large_process(pid, 160, 512, 1000)));
  DocumentOptions options;
  options.max_bytes = 1'000'000;
  const Document document = document_of(files, options);
  EXPECT_LE(document.bytes, options.max_bytes);
  EXPECT_GT(document.bytes, options.max_bytes / 3);
  EXPECT_EQ(document.data["process_count"], 24);
  // The others are in the table, or the table says how many are not.
  const OrderedJson &table = document.data["processes"];
  EXPECT_EQ(table["processes"].size() + table["left_out"].get<std::size_t>(),
            24u);
  EXPECT_GT(document.data["mappings"]["left_out"], 0);
  const OrderedJson &views = document.data["views"];
  ASSERT_GT(views.size(), 3u);
  EXPECT_LT(views.size(), 24u);
  for (const OrderedJson &view : views) {
    // Coarser than every page in every period, which is what the page says.
    const OrderedJson &layer = view["view"]["layers"][0];
    EXPECT_GT(layer["periods_per_bin"].get<int>() *
                  layer["granules_per_row"].get<int>(),
              1);
    EXPECT_EQ(view["view"]["pages"]["count"], 512);
  }
}

TEST(RunDocument, AHundredAndFiftyShortProcessesHaveAViewEach) {
  ScratchDirectory directory;
  std::vector<std::string> files;
  for (std::uint32_t pid = 1; pid <= 150; ++pid)
    files.push_back(directory.write(fmt::format("run.{}", pid),
                                    large_process(pid, 3, 128, 20)));
  const Document document = document_of(files);
  EXPECT_LE(document.bytes, DocumentOptions().max_bytes);
  EXPECT_EQ(document.data["views"].size(), 150u);
  EXPECT_EQ(document.data["processes"]["left_out"], 0);
  std::size_t blobs = 0;
  for (const OrderedJson &view : document.data["views"]) {
    EXPECT_EQ(view["first_blob"], blobs);
    blobs += 3; // a grid, the pages, the checksums
    EXPECT_EQ(view["view"]["layers"][0]["granules_per_row"], 1);
  }
}

TEST(RunDocument, NamesAreCutBetweenCharacters) {
  std::string name = "a";
  for (int i = 0; i < 400; ++i)
    name += "ü";
  const std::string path = "/bin/" + name;
  ScratchDirectory directory;
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(finished_header(sample_header()));
  writer.write(Process{path, {path, name}, "", "marks", "0"});
  writer.write(one_mapping(path.c_str(), kSampleHeap, 4));
  writer.write(period_with(0, {{kSampleHeap, 4, kR}}));
  writer.write(End{});
  const OrderedJson data =
      document_of({directory.write("run", sink.bytes())}).data;
  const OrderedJson &view = data["views"][0]["view"];
  const auto is_cut = [&](const OrderedJson &json, std::string_view whole) {
    std::string text = json.get<std::string>();
    ASSERT_TRUE(text.ends_with("...")) << text;
    text.resize(text.size() - 3);
    // No replacement character, and nothing but the name's own characters.
    EXPECT_NE(whole.find(text), std::string_view::npos) << text;
    EXPECT_GT(text.size(), 200u);
  };
  is_cut(view["program"], path);
  is_cut(view["command"], path + " " + name);
  is_cut(view["mappings"][0], path);
  is_cut(data["processes"]["processes"][0]["executable"], path);
  is_cut(data["mappings"]["mappings"][0]["name"], path);
  const std::string title = data["title"];
  const std::size_t end = title.find("...");
  ASSERT_NE(end, std::string::npos) << title;
  EXPECT_EQ(name.find(title.substr(0, end)), 0u) << title;
}

//===- Sites --------------------------------------------------------------===//

TEST(RunDocument, SitesHaveTheLinesAroundThem) {
  ScratchDirectory directory;
  const std::string trace = directory.write("run", sample_trace("sites"));
  std::ofstream source(directory.file("sort.cpp"));
  for (int line = 1; line <= 30; ++line)
    source << "line " << line << " <b>\n";
  source.close();
  DocumentOptions options;
  options.source.moved = {{"/src", directory.path()}};
  const OrderedJson sites = document_of({trace}, options).data["sites"];
  EXPECT_EQ(sites["count"], 5);
  ASSERT_EQ(sites["list"].size(), 5u);
  EXPECT_EQ(sites["list"][0]["text"], "plain");
  EXPECT_TRUE(sites["list"][0]["places"].empty());
  const OrderedJson &fill = sites["list"][1];
  EXPECT_EQ(fill["text"],
            "sort::fill (sort.cpp:12:7), in main (main.cpp:40:3)");
  EXPECT_EQ(fill["pages"], 6);
  ASSERT_EQ(fill["places"].size(), 2u);
  const OrderedJson &file =
      sites["files"][fill["places"][0][0].get<std::size_t>()];
  EXPECT_EQ(file["path"], "/src/sort.cpp");
  EXPECT_EQ(file["lines"].size(), 9u);
  EXPECT_EQ(file["lines"][4], (OrderedJson{12, "line 12 <b>"}));
  const OrderedJson &caller =
      sites["files"][fill["places"][1][0].get<std::size_t>()];
  EXPECT_EQ(caller["path"], "/src/main.cpp");
  EXPECT_EQ(caller["lines"].size(), 0u);
  EXPECT_NE(caller["problem"].get<std::string>().find("cannot be read"),
            std::string::npos);

  options.shows_source = false;
  const OrderedJson without = document_of({trace}, options).data["sites"];
  for (const OrderedJson &each : without["files"])
    EXPECT_EQ(each["lines"].size(), 0u);
}

TEST(RunDocument, OnlySourcesAreShown) {
  for (const char *name :
       {"/src/a.c", "a.cpp", "x/y.hpp", "/usr/include/c++/12/vector"})
    EXPECT_TRUE(is_source_name(name)) << name;
  for (const char *name :
       {"/etc/shadow", "/home/user/.ssh/id_rsa", "/proc/self/environ", "",
        "/usr/include/c++/12/../../../../etc/shadow", "a.c/../id_rsa"})
    EXPECT_FALSE(is_source_name(name)) << name;
}

} // namespace
} // namespace pagetide::tools
