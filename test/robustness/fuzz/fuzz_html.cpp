//===- fuzz_html.cpp - Fuzzes what `pagetide html` makes of a trace -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever a trace has: the document is no larger than it may be, its data are
// JSON, and nothing of the trace becomes markup. What the page unpacks has the
// sizes that the data tell. The input is a byte for the bound, one for the
// selection, then a trace as fuzz_traces.h takes it.

#include "fuzz_input.h"
#include "fuzz_traces.h"
#include "html/html_document.h"
#include "html/run_document.h"
#include "string_sink.h"
#include "support/failure.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace pagetide::tools;

namespace {

using Json = nlohmann::ordered_json;

/// A file in memory, which can be opened again and again by its name.
class MemoryFile {
public:
  explicit MemoryFile(const Bytes &bytes) : fd_(::memfd_create("trace", 0)) {
    require(fd_ >= 0 && ::write(fd_, bytes.data(), bytes.size()) ==
                            static_cast<ssize_t>(bytes.size()),
            "there is memory");
  }
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() { ::close(fd_); }
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

private:
  int fd_;
};

/// Whether the trace has few granules. A run of 2^40 is lawful, and reports
/// then fill their tables to the limit, which takes seconds.
bool is_short(const Bytes &bytes) {
  constexpr std::uint64_t kMax = 20'000;
  std::uint64_t count = 0;
  const auto add = [&](const auto &runs) {
    for (const auto &run : runs)
      count += std::min<std::uint64_t>(run.count, kMax);
  };
  TraceReader reader = reader_of(bytes);
  Frame frame;
  while (count < kMax && reader.next(frame)) {
    if (frame.type == pagetide::trace::FrameType::kPeriod) {
      add(frame.period.runs);
      add(frame.period.checksum_runs);
    }
    if (frame.type == pagetide::trace::FrameType::kPeriodSites)
      add(frame.period_sites.runs);
  }
  return count < kMax;
}

Bytes from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm"
                                       "nopqrstuvwxyz0123456789+/";
  Bytes bytes;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    if (c == '=')
      break;
    const std::size_t digit = kDigits.find(c);
    require(digit != std::string_view::npos, "blobs are base64");
    group = group << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<std::uint8_t>(group >> bits));
    }
  }
  return bytes;
}

/// As the browser's DecompressionStream does it.
Bytes inflated(const Bytes &packed) {
  Bytes out;
  std::uint8_t buffer[65536];
  z_stream stream = {};
  require(inflateInit2(&stream, -15) == Z_OK, "zlib works");
  stream.next_in = const_cast<std::uint8_t *>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = buffer;
    stream.avail_out = sizeof(buffer);
    result = inflate(&stream, Z_NO_FLUSH);
    out.insert(out.end(), buffer, buffer + sizeof(buffer) - stream.avail_out);
  }
  inflateEnd(&stream);
  require(result == Z_STREAM_END, "a blob can be unpacked");
  return out;
}

/// The text between two marks, from `at` on. Moves `at` behind it.
std::string_view between(std::string_view text, std::size_t &at,
                         std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin, at);
  if (from == std::string_view::npos)
    return {};
  const std::size_t to = text.find(end, from + begin.size());
  require(to != std::string_view::npos, "elements end");
  at = to + end.size();
  return text.substr(from + begin.size(), to - from - begin.size());
}

void check_columns(const Bytes &bytes, std::size_t numbers,
                   std::size_t fixed_bytes) {
  require(bytes.size() >= fixed_bytes, "the columns have their fixed numbers");
  std::size_t varints = 0;
  for (std::size_t i = 0; i < bytes.size() - fixed_bytes; ++i)
    varints += bytes[i] < 0x80;
  require(varints == numbers, "the columns have a number for each page");
}

void check_view(const Json &entry, const std::vector<Bytes> &blobs) {
  const std::size_t first = entry["first_blob"];
  const Json &view = entry["view"];
  const auto blob = [&](const Json &number) -> const Bytes & {
    const std::size_t at = first + number.get<std::size_t>();
    require(at < blobs.size(), "each blob is there");
    return blobs[at];
  };
  for (const Json &layer : view["layers"])
    require(blob(layer["blob"]).size() == layer["bins"].get<std::size_t>() *
                                              layer["rows"].get<std::size_t>(),
            "a grid has all of its cells");
  const std::size_t bins = view["layers"][0]["bins"];
  for (const char *name :
       {"start_us", "us", "accessed", "read", "written", "new"})
    require(view["bins"][name].size() == bins, "each bin has its figures");
  std::uint64_t last = 0;
  for (const Json &band : view["bands"]) {
    require(band["first"].get<std::uint64_t>() >= last &&
                band["end"] > band["first"],
            "bands are in order");
    last = band["end"];
  }
  const Json &pages = view["pages"];
  const std::size_t listed = pages["listed"];
  require(listed <= pages["count"].get<std::uint64_t>(), "pages are counted");
  check_columns(blob(pages["blob"]), 9 * listed, 0);
  const std::size_t events = pages["checksums"];
  const Bytes &checksums = blob(pages["checksums_blob"]);
  check_columns(checksums, 2 * events, 8 * events);
  if (!pages["sites_blob"].is_null())
    blob(pages["sites_blob"]);
}

void check_document(const std::string &text, std::size_t bound) {
  require(text.size() <= bound, "the document is not larger than it may be");
  std::vector<Bytes> blobs;
  std::size_t at = 0;
  while (true) {
    const std::string begin =
        fmt::format("<script type=\"application/octet-stream\" id=\"blob-{}\">",
                    blobs.size());
    if (text.find(begin, at) == std::string::npos)
      break;
    blobs.push_back(
        inflated(from_base64(between(text, at, begin, "</script>"))));
  }
  const std::string_view json = between(text, at, "id=\"data\">", "</script>");
  require(json.find('<') == std::string_view::npos, "data are no markup");
  const Json data = Json::parse(json, nullptr, false);
  require(!data.is_discarded(), "the data are JSON");
  for (const Json &entry : data["views"])
    check_view(entry, blobs);
}

} // namespace

PAGETIDE_FUZZER(fuzz_html) {
  DocumentOptions options;
  const std::uint8_t room = input.byte();
  options.max_bytes = 200'000u << room % 5;
  options.shows_source = false; // a fuzzed trace could name any file
  const std::uint8_t choice = input.byte();
  options.selection.reads = choice % 4 == 1;
  options.selection.writes = choice % 4 == 2;
  if (choice & 4)
    options.selection.from_ns = 1'000'000;
  if (choice & 8)
    options.selection.mapping = "[heap]";
  const Bytes trace = trace_of(input);
  const MemoryFile file(trace);
  try {
    if (!is_short(trace))
      return;
    RunDocument document(options, 0, [](const std::string &, std::uint64_t) {
      return CodePlace();
    });
    document.add(file.path());
    if (choice & 16)
      document.add(file.path()); // a run of two processes
    HtmlAssets assets;
    assets.page = "@data@";
    StringSink out;
    document.write(assets, "1", out);
    check_document(out.text, options.max_bytes);
  } catch (const Failure &failure) {
    // No trace, or one that cannot tell what is selected.
    require(failure.what()[0] != '\0', "refusals are explained");
  }
}
