//===- page_runs.cpp - Runs of pages as CRIU's images have them -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/export.h"

#include "trace/runs.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace pagetide::tools {

namespace {

/// A line for each period: a pagemap image as crit shows it, and what period it
/// is of.
class PageRunsExport : public Export {
public:
  explicit PageRunsExport(const ExportPlan &plan) : text_(*plan.text) {
    if (plan.chose_reads && !plan.chose_writes)
      kinds_ = kReads;
    else if (!plan.chose_reads)
      kinds_ = kWrites;
    else
      kinds_ = ~0u;
  }

  void begin_trace(SelectedTrace &trace, std::uint64_t) override {
    trace_ = &trace;
    page_bytes_ = std::max(trace.header().page_bytes, 1u);
    is_open_ = false;
  }

  void add(const PeriodPart &part) override {
    if (is_open_ && (part.first || part.index != index_))
      end_period(false);
    if (!is_open_)
      begin_period(part);
    const unsigned kinds =
        abi::tells_writes(trace_->geometry().layout) ? kinds_ : ~0u;
    const unsigned shift = trace_->geometry().granule_shift;
    for (const GranuleRun &run : union_of_sections(part, scratch_))
      if (run.flags & kinds)
        add_bytes(std::uint64_t{run.first} << shift, run.end() << shift);
    if (part.last)
      end_period(true);
  }

  void end_trace() override {
    if (is_open_)
      end_period(false);
  }
  void finish() override {}

private:
  static constexpr unsigned kReads = trace::kRunRead | trace::kRunMayRead;
  /// What a checkpoint must take: whatever may have changed.
  static constexpr unsigned kWrites = trace::kRunWritten |
                                      trace::kRunMayWritten |
                                      trace::kRunCarried | trace::kRunAccessed;
  static constexpr std::uint64_t kMaxPages = UINT32_MAX; ///< of an entry

  void begin_period(const PeriodPart &part) {
    is_open_ = true;
    index_ = part.index;
    first_page_ = end_page_ = 0;
    text_.write(fmt::format(
        "{{\"magic\":\"PAGEMAP\",\"pid\":{},\"period\":{},\"start_ns\":{},"
        "\"end_ns\":{},\"page_bytes\":{},\"entries\":[{{\"pages_id\":{}}}",
        trace_->header().pid, part.index, part.start_ns, part.end_ns,
        page_bytes_, ++pages_id_));
  }

  /// Granules can be parts of a page. Neighbouring runs become one.
  void add_bytes(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t first = begin / page_bytes_;
    const std::uint64_t end_page = (end - 1) / page_bytes_ + 1;
    if (first > end_page_ || end_page_ == first_page_) {
      write_run();
      first_page_ = first;
    }
    end_page_ = std::max(end_page_, end_page);
  }

  void write_run() {
    while (first_page_ < end_page_) {
      const std::uint64_t pages = std::min(end_page_ - first_page_, kMaxPages);
      entry_.clear();
      fmt::format_to(std::back_inserter(entry_),
                     FMT_COMPILE(",{{\"vaddr\":\"{:#x}\",\"nr_pages\":{},"
                                 "\"flags\":\"PE_PRESENT\"}}"),
                     first_page_ * page_bytes_, pages);
      text_.write({entry_.data(), entry_.size()});
      first_page_ += pages;
    }
  }

  void end_period(bool is_whole) {
    write_run();
    text_.write(is_whole ? "]}\n" : "],\"is_whole\":false}\n");
    is_open_ = false;
  }

  TextSink &text_;
  unsigned kinds_ = kWrites;
  SelectedTrace *trace_ = nullptr;
  std::uint64_t page_bytes_ = 1;
  std::uint64_t pages_id_ = 0;
  bool is_open_ = false; ///< the line of a period has begun
  std::uint64_t index_ = 0;
  std::uint64_t first_page_ = 0; ///< of the run that is not yet written
  std::uint64_t end_page_ = 0;   ///< equal if there is none
  fmt::memory_buffer entry_;
  std::vector<GranuleRun> scratch_;
};

} // namespace

extern const ExportFormat kPageRunsFormat = {
    "page-runs",
    "a line for each period: its written pages as CRIU's pagemap images have "
    "them, in the JSON of crit",
    false,
    false,
    make_export<PageRunsExport>,
};

} // namespace pagetide::tools
