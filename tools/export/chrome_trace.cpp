//===- chrome_trace.cpp - Counters for Perfetto and Chrome ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/export.h"

#include "analysis/access_counts.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace pagetide::tools {

namespace {

/// What tracks count.
struct CountedKind {
  const char *name;
  std::uint64_t AccessCounts::*count;
};
constexpr CountedKind kCountedKinds[] = {{"accessed", &AccessCounts::accessed},
                                         {"read", &AccessCounts::read},
                                         {"written", &AccessCounts::written}};

/// A thread, a mapping or the process, with a counter for each kind.
struct Counters {
  std::string name;
  AccessCounts now;   ///< in the current period
  AccessCounts shown; ///< the last values that were written
  bool was_shown = false;
};

/// The Trace Event Format. A counter keeps its value until the next event of
/// its name, so only changes are written.
class ChromeTraceExport : public Export {
public:
  explicit ChromeTraceExport(const ExportPlan &plan) : text_(*plan.text) {
    text_.write("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"made_by\":"
                "\"pagetide export\",\"clock\":\"CLOCK_MONOTONIC\"},\n"
                "\"traceEvents\":[");
  }

  void begin_trace(SelectedTrace &trace, std::uint64_t) override {
    trace_ = &trace;
    layout_ = trace.geometry().layout;
    pid_ = trace.header().pid;
    is_per_thread_ = trace.header().flags & trace::kHeaderPerThread;
    unit_ = std::uint64_t{1} << trace.header().granule_shift ==
                    trace.header().page_bytes
                ? "pages"
                : "granules";
    whole_ = Counters();
    whole_.name = unit_;
    threads_.clear();
    mappings_.clear();
    is_open_ = false;
    end_ns_ = trace.header().monotonic_ns;
    trace.name_mappings(
        [this](std::size_t name, const GranuleRun &piece, const PeriodTime &) {
          while (mappings_.size() <= name) {
            mappings_.emplace_back();
            mappings_.back().name =
                valid_text(trace_->mapping(mappings_.size() - 1));
          }
          mappings_[name].now.add(piece);
        });
    trace.divide_by_mapping();
  }

  void see(const Frame &frame) override {
    if (frame.type == trace::FrameType::kProcess &&
        !frame.process.executable.empty()) {
      const std::string &path = frame.process.executable;
      name_event("process_name", pid_, path.substr(path.rfind('/') + 1));
    }
    if (frame.type == trace::FrameType::kThreads)
      for (const ThreadRecord &record : frame.threads.records)
        if (!record.name.empty())
          name_event("thread_name", record.tid, record.name);
  }

  void add(const PeriodPart &part) override {
    if (is_open_ && (part.first || part.index != index_))
      end_period();
    index_ = part.index;
    start_ns_ = part.start_ns;
    end_ns_ = part.end_ns;
    is_open_ = true;
    whole_.now.add(union_of_sections(part, scratch_));
    if (is_per_thread_)
      for (const PeriodPart::Section &section : part.sections)
        if (Counters *thread = find_thread(section.tid))
          thread->now.add(part.runs_of(section));
  }

  void end_trace() override {
    if (is_open_)
      end_period();
    // Behind the last period, all counters are 0.
    start_ns_ = end_ns_;
    end_period();
  }

  void finish() override { text_.write("\n]}\n"); }

private:
  /// Null if there are too many threads.
  Counters *find_thread(std::uint32_t tid) {
    if (threads_.size() >= kMaxCounters && !threads_.contains(tid))
      return nullptr;
    Counters &counters = threads_[tid];
    if (counters.name.empty()) {
      const auto found = trace_->threads().find(tid);
      counters.name = fmt::format(
          "thread {}{}{}", tid, found == trace_->threads().end() ? "" : " ",
          found == trace_->threads().end() ? std::string()
                                           : valid_text(found->second));
    }
    return &counters;
  }

  bool is_told(const CountedKind &kind) const {
    return kind.count == &AccessCounts::accessed ||
           (abi::tells_writes(layout_) &&
            (kind.count == &AccessCounts::written ||
             abi::records_reads(layout_)));
  }

  void end_period() {
    write(whole_, pid_);
    for (auto &[tid, counters] : threads_)
      write(counters, tid);
    for (Counters &counters : mappings_)
      write(counters, pid_);
    is_open_ = false;
  }

  /// Writes what has changed, and begins to count anew.
  void write(Counters &counters, std::uint64_t tid) {
    if (!counters.was_shown && counters.now.accessed == 0)
      return;
    for (const CountedKind &kind : kCountedKinds) {
      const std::uint64_t now = counters.now.*kind.count;
      if (!is_told(kind) ||
          (counters.was_shown && now == counters.shown.*kind.count))
        continue;
      begin_event();
      append_json_text(event_, fmt::format("{} {}", counters.name, kind.name));
      // Microseconds: all digits of a nanosecond are kept.
      fmt::format_to(std::back_inserter(event_),
                     FMT_COMPILE(",\"ph\":\"C\",\"ts\":{}.{:03},\"pid\":{},"
                                 "\"tid\":{},\"args\":{{\"{}\":{}}}}}"),
                     start_ns_ / 1000, start_ns_ % 1000, pid_, tid, unit_, now);
      text_.write({event_.data(), event_.size()});
      counters.shown.*kind.count = now;
    }
    counters.now = {};
    counters.was_shown = true;
  }

  /// Metadata: the name of a process or a thread.
  void name_event(const char *what, std::uint64_t tid, std::string_view name) {
    begin_event();
    fmt::format_to(std::back_inserter(event_),
                   FMT_COMPILE("\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},"
                               "\"args\":{{\"name\":"),
                   what, pid_, tid);
    append_json_text(event_, valid_text(name));
    fmt::format_to(std::back_inserter(event_), "}}}}");
    text_.write({event_.data(), event_.size()});
  }

  void begin_event() {
    event_.clear();
    fmt::format_to(std::back_inserter(event_),
                   "{}\n{{\"name\":", has_events_ ? "," : "");
    has_events_ = true;
  }

  static constexpr std::size_t kMaxCounters = 65536;

  TextSink &text_;
  bool has_events_ = false;
  fmt::memory_buffer event_;
  SelectedTrace *trace_ = nullptr;
  abi::Layout layout_ = abi::Layout::kRw;
  std::uint32_t pid_ = 0;
  bool is_per_thread_ = false;
  const char *unit_ = "pages";
  Counters whole_;
  std::map<std::uint32_t, Counters> threads_;
  std::vector<Counters> mappings_; ///< by the numbers of their names
  bool is_open_ = false;           ///< a period has begun
  std::uint64_t index_ = 0;
  std::uint64_t start_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::vector<GranuleRun> scratch_;
};

} // namespace

extern const ExportFormat kChromeTraceFormat = {
    "chrome-trace",
    "counters of each process, thread and mapping over time, for Perfetto "
    "(ui.perfetto.dev) and Chrome (Trace Event Format)",
    false,
    false,
    make_export<ChromeTraceExport>,
};

} // namespace pagetide::tools
