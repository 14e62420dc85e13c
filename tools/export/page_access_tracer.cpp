//===- page_access_tracer.cpp - The text of the Page Access Tracer --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "export/page_access_tracer.h"

#include "export/period_site_runs.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cctype>
#include <iterator>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMaxTaskName = 15; // the kernel's TASK_COMM_LEN

/// As the kernel has it, without characters that would divide a line.
std::string task_name(std::string_view name) {
  std::string task(name.substr(0, kMaxTaskName));
  for (char &c : task)
    if (!std::isgraph(static_cast<unsigned char>(c)))
      c = '_';
  return task.empty() ? "unknown" : task;
}

/// Lines as the kernel's trace_pipe has them. The names of the events are those
/// of the patch.
class PageAccessTracerExport : public Export {
public:
  explicit PageAccessTracerExport(const ExportPlan &plan) : text_(*plan.text) {}

  void begin_trace(SelectedTrace &trace, std::uint64_t) override {
    trace_ = &trace;
    sites_.begin_trace(trace.header().flags & trace::kHeaderPerThread);
    program_.clear();
    has_begun_ = false;
    end_ns_ = {};
  }

  void see(const Frame &frame) override {
    sites_.see(frame);
    if (frame.type == trace::FrameType::kEnd)
      end_ns_ = frame.end.time_ns;
  }

  void add(const PeriodPart &part) override {
    begin();
    end_ns_.reset(); // an end that was none
    for (const PeriodPart::Section &section : part.sections)
      add_section(part, section);
  }

  void end_trace() override {
    begin();
    if (end_ns_)
      text_.write(head(trace_->header().pid, program_, *end_ns_,
                       "__reset_page_access_trace") +
                  fmt::format("END {}\n", program_));
  }

  void finish() override {}

private:
  /// The program's name is known when the first period comes.
  void begin() {
    if (has_begun_)
      return;
    has_begun_ = true;
    const std::optional<Process> &process = trace_->process();
    const std::string path = process ? process->executable : std::string();
    program_ = task_name(std::string_view(path).substr(path.rfind('/') + 1));
    text_.write(head(trace_->header().pid, program_,
                     trace_->header().monotonic_ns, "init_page_access_trace") +
                fmt::format("START {}\n", program_));
  }

  void add_section(const PeriodPart &part, const PeriodPart::Section &section) {
    const unsigned shift = trace_->geometry().granule_shift;
    const std::uint32_t task =
        section.tid != 0 ? section.tid : trace_->header().pid;
    const auto thread = trace_->threads().find(section.tid);
    const std::string name = thread == trace_->threads().end()
                                 ? program_
                                 : task_name(thread->second);
    const std::string read =
        head(task, name, part.start_ns) + fmt::format("{} R ", task);
    const std::string write =
        head(task, name, part.start_ns) + fmt::format("{} W ", task);
    sites_.begin_section(part.index, section.tid);
    for (const GranuleRun &run : part.runs_of(section)) {
      const AccessKinds kinds(run.flags);
      PeriodSiteRuns::Sites sites;
      std::uint64_t until = run.first;
      for (std::uint64_t granule = run.first;
           kinds.accessed && granule < run.end(); ++granule) {
        if (granule == until) {
          until = run.end();
          sites = sites_.at(granule, until);
        }
        if (kinds.read)
          access(read, sites.read, granule << shift);
        if (kinds.written)
          access(write, sites.write, granule << shift);
      }
    }
  }

  /// The patch writes the instruction's address. The trace has the id of the
  /// place in the source instead, or nothing: then the line has a 0.
  void access(const std::string &words, std::uint32_t site,
              std::uint64_t address) {
    line_.clear();
    line_.append(words.data(), words.data() + words.size());
    fmt::format_to(std::back_inserter(line_), FMT_COMPILE("{:x} {:x}\n"),
                   site & ~trace::kSiteMay, address);
    text_.write({line_.data(), line_.size()});
  }

  /// What an event's line begins with.
  static std::string head(std::uint32_t task, const std::string &name,
                          std::uint64_t time_ns,
                          const char *event = "handle_mm_fault") {
    return fmt::format("{:>16}-{:<5} [000] .... {:>5}.{:06}: {}: ", name, task,
                       time_ns / 1'000'000'000, time_ns / 1000 % 1'000'000,
                       event);
  }

  TextSink &text_;
  SelectedTrace *trace_ = nullptr;
  PeriodSiteRuns sites_;
  std::string program_;
  bool has_begun_ = false;
  std::optional<std::uint64_t> end_ns_; ///< if the trace says so
  fmt::memory_buffer line_;
};

} // namespace

const ExportFormat kPageAccessTracerFormat = {
    "page-access-tracer",
    "the text of the Page Access Tracer, a patch of Linux: START, END, and a "
    "line for each access of a period",
    false,
    false,
    [](const ExportPlan &plan) -> std::unique_ptr<Export> {
      return std::make_unique<PageAccessTracerExport>(plan);
    },
    [](const SelectedTrace &trace) {
      if (!abi::tells_writes(trace.geometry().layout))
        throw Failure(fmt::format(
            "{}: layout `access` does not tell reads from writes, and this "
            "format must; build the program with -fpagetide-layout=rw",
            printable(trace.path())));
    },
};

} // namespace pagetide::tools
