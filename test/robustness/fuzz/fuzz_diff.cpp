//===- fuzz_diff.cpp - Comparing two traces -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   u8 for the options, u16 for the size of the first trace,
//   two traces, as fuzz_traces.h takes them
//
// A trace never differs from itself. Whatever holds of A and B holds of B and A
// the other way round. Texts have room, and the JSON is JSON.
//
//===----------------------------------------------------------------------===//

#include "compare/diff_text.h"
#include "compare/run_comparison.h"
#include "compare/wss_diff.h"
#include "fuzz_traces.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "support/unique_fd.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

using namespace pagetide::tools;

namespace {

/// A file without a name, because runs are read by path and more than once.
class TraceFile {
public:
  explicit TraceFile(const Bytes &bytes)
      : fd_(::memfd_create("fuzz_diff", MFD_CLOEXEC)) {
    require(::write(fd_.get(), bytes.data(), bytes.size()) ==
                static_cast<ssize_t>(bytes.size()),
            "there is memory for a trace");
  }
  std::string path() const {
    return fmt::format("/proc/self/fd/{}", fd_.get());
  }

private:
  UniqueFd fd_;
};

/// A run of 2^40 granules is lawful, and each differing one is counted for
/// itself: nobody wants to wait for that here.
bool is_small(const Bytes &bytes) try {
  constexpr std::uint64_t kMaxGranules = 1 << 14;
  std::uint64_t granules = 0;
  TraceReader reader = reader_of(bytes);
  Frame frame;
  while (reader.next(frame))
    if (frame.type == pagetide::trace::FrameType::kPeriod)
      for (const GranuleRun &run : frame.period.runs) {
        if (run.count > kMaxGranules - granules)
          return false;
        granules += run.count;
      }
  return true;
} catch (const Failure &) {
  return true; // no trace: the comparison says so
}

bool mirrors(const Tally &there, const Tally &back) {
  return there.equal == back.equal && there.different == back.different &&
         there.only_a == back.only_b && there.only_b == back.only_a &&
         there.open == back.open;
}

void check_texts(const RunComparison &both) {
  ReportStyle style;
  const std::string text = diff_text(both, style);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    require(end != std::string::npos, "lines end");
    require(columns_of(text.substr(at, end - at)) <= style.width,
            "lines have room");
    at = end + 1;
  }
  const nlohmann::json json =
      nlohmann::json::parse(diff_json(both), nullptr, false);
  require(!json.is_discarded(), "the comparison is JSON");
  require(json["verdict"] == nlohmann::json(both.verdict()),
          "with the same verdict");
}

void check_self(const std::string &path, const DiffOptions &options) {
  const RunComparison both({path}, {path}, options);
  require(both.verdict() != Verdict::kDifferent && both.differences().empty(),
          "a trace does not differ from itself");
  const ComparedFigures &sum = both.sum();
  require(sum.periods.differences() == 0 && sum.accesses.differences() == 0 &&
              sum.checksums.differences() == 0 &&
              sum.pages.differences() == 0 &&
              sum.final_checksums.differences() == 0 && sum.ignored == 0,
          "nor does any part of it");
  check_texts(both);
}

void check_both_ways(const std::string &a, const std::string &b,
                     const DiffOptions &options) {
  const RunComparison there({a}, {b}, options);
  check_texts(there);
  const RunComparison back({b}, {a}, options);
  require(there.verdict() == back.verdict(), "the verdict has no direction");
  const ComparedFigures &x = there.sum();
  const ComparedFigures &y = back.sum();
  require(mirrors(x.periods, y.periods), "nor have periods");
  require(mirrors(x.accesses, y.accesses), "nor have accesses");
  require(mirrors(x.checksums, y.checksums), "nor have checksums");
  require(mirrors(x.pages, y.pages), "nor have pages");
  require(mirrors(x.final_checksums, y.final_checksums),
          "nor have last checksums");
  require(x.gone == y.gone && x.final_gone == y.final_gone &&
              x.unplaced == y.unplaced && x.ignored == y.ignored,
          "nor has what is left out");
  const WssComparison sizes({a}, {b}, options);
  sizes.text(ReportStyle());
  require(!nlohmann::json::parse(sizes.json(), nullptr, false).is_discarded(),
          "the sizes are JSON");
}

} // namespace

PAGETIDE_FUZZER(fuzz_diff) {
  DiffOptions options;
  const std::uint8_t choice = input.byte();
  options.relative = choice & 1;
  options.whole = choice & 2;
  if (choice & 4)
    options.ignored = {"[heap]"};
  options.top = 1 + (choice >> 4);
  const Bytes first = input.bytes(input.number(2));
  Input of_first(first.data(), first.size());
  const Bytes bytes_a = trace_of(of_first);
  const Bytes bytes_b = trace_of(input);
  if (!is_small(bytes_a) || !is_small(bytes_b))
    return;
  const TraceFile a(bytes_a);
  const TraceFile b(bytes_b);
  for (const auto &check : {+[](const std::string &x, const std::string &,
                                const DiffOptions &o) { check_self(x, o); },
                            +[](const std::string &, const std::string &y,
                                const DiffOptions &o) { check_self(y, o); },
                            +check_both_ways})
    try {
      check(a.path(), b.path(), options);
    } catch (const Failure &failure) {
      // No trace, or two that cannot be compared.
      require(failure.what()[0] != '\0', "refusals are explained");
    }
}
