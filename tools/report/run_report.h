//===- run_report.h - What the reports on the traces of a run share -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/selection.h"
#include "report/bar_table.h"
#include "report/report_table.h"
#include "report/units.h"
#include "support/json.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// Takes what a report needs of a trace while that is read.
class TraceTaker {
public:
  virtual ~TraceTaker() = default;
  virtual void take(const PeriodPart &) {}
  /// The trace has been read to its end.
  virtual void finish() = 0;
};

/// One kind of report, over one trace or the traces of several processes. Pages
/// of different processes are different pages.
class RunReport {
public:
  virtual ~RunReport() = default;

  /// Reads the trace to its end. Throws Failure if it cannot be reported
  /// together with those before it.
  void add(SelectedTrace &trace);
  /// The same for several reports, which the trace is read once for.
  static void add_to(std::span<RunReport *const> reports, SelectedTrace &trace);
  /// The report for people. `words` says what is selected.
  std::string text(const std::string &words, const ReportStyle &style) const;
  /// The same for programs, as docs/reference/cli-output.md describes it.
  Json json(const std::string &words) const;

  /// The rows of the kind's table as CSV.
  std::string csv() const;
  virtual std::span<const ReportColumn> columns() const = 0;
  /// The kind's table, in its own order.
  virtual std::vector<ReportRow> rows() const = 0;
  /// Makes the rows follow each other as this column says, not in the kind's
  /// own order. Throws Failure if there is no such column.
  void sort_by(std::string_view column);

  /// What is known of a trace that was added.
  struct Trace {
    std::string path;
    std::uint32_t pid = 0;
    std::uint64_t period_ns = 0;
    std::uint64_t periods = 0;
    std::uint64_t off_ns = 0;  ///< with marks off, between windows
    std::string program;       ///< empty if the trace lacks it
    std::string command;       ///< with every word
    std::string short_command; ///< for people
    bool marks_late = false;   ///< switched on while the program ran
    Completeness completeness;
  };
  const std::vector<Trace> &traces() const { return traces_; }

protected:
  RunReport() = default;

  /// The kind's name, as in "report wss".
  virtual const char *kind() const = 0;
  /// What the report shows.
  virtual std::string title() const = 0;
  /// Refuses a trace by an exception before anything of it is read.
  virtual void check(const SelectedTrace &) const {}
  /// The trace and the report outlive what it returns.
  virtual std::unique_ptr<TraceTaker> start(SelectedTrace &trace) = 0;
  virtual void write_text(ReportLines &out) const = 0;
  virtual void write_json(Json &out) const = 0;

  bool is_sorted() const { return sort_column_.has_value(); }
  /// What the rows stand for, from the kind's own order to that of sort_by().
  template <typename Item>
  std::vector<Item> arranged(std::vector<Item> items) const {
    if (!is_sorted())
      return items;
    std::vector<Item> arranged;
    for (const std::size_t row : order(rows()))
      arranged.push_back(items[row]);
    return arranged;
  }
  /// The first rows, each an object.
  Json list(std::size_t max_rows) const;

  /// What the report is about: the files, programs and periods, then what is
  /// selected and what is missing. Call it after all traces were added.
  std::vector<std::string> facts(const std::string &words) const;
  /// "page" or "granule".
  const char *unit() const { return units_.unit(); }
  std::string bytes(std::uint64_t granules) const {
    return units_.bytes(granules);
  }
  /// "pages of 4 KiB".
  std::string units() const { return units_.units(); }
  unsigned granule_shift() const { return units_.granule_shift; }
  /// Whether reads and writes are told apart: the layout does, and not only the
  /// ones or the others are selected.
  bool tells_reads() const {
    return units_.tells_reads() && !only_reads_ && !only_writes_;
  }
  /// Whether it is known which granules were written.
  bool tells_writes() const { return units_.tells_writes && !only_reads_; }
  /// A cell for what only a layout with reads and writes can tell.
  Json if_told(std::uint64_t number) const;
  /// A table whose bars are of granules, with what was written dark if that is
  /// told.
  BarTable bar_table(std::string label,
                     std::vector<std::string> headings) const;
  Bar bar(std::uint64_t accessed, std::uint64_t written) const {
    return {accessed, tells_reads() ? written : accessed};
  }
  /// "accessed", or "read" or "written" if there is nothing else.
  const char *access_word() const;
  /// The same for a period that did it: "accessed", "read" or "wrote".
  const char *access_verb() const;

private:
  std::vector<std::size_t> order(const std::vector<ReportRow> &rows) const;
  void check_and_note(const SelectedTrace &trace);
  std::string subject() const;
  void head(ReportLines &out, const std::string &words) const;

  std::optional<std::size_t> sort_column_;
  std::vector<Trace> traces_;
  Units units_;
  bool only_reads_ = false;
  bool only_writes_ = false;
};

/// What is known of a trace after it was read.
RunReport::Trace facts_of(const SelectedTrace &trace);

/// "run.ptrace and 2 more (complete): 3 processes, 278 periods of 50 ms".
std::string describe_run(std::span<const RunReport::Trace> traces);
/// What the first incomplete ones lack, each in a sentence.
std::vector<std::string>
describe_losses(std::span<const RunReport::Trace> traces);

/// The number, or null if it cannot be known.
Json json_if(bool known, std::uint64_t number);

/// The command as the user wrote it. Before it the program, if the command has
/// another name for it. Both come from a trace; the text is printable.
std::string process_label(const std::string &program,
                          const std::string &command);
/// The same without the directories of a path from the root: a table has no
/// room for them.
std::string process_label(const RunReport::Trace &trace);

/// A time since the run's start: "0 s", "1.5 s".
std::string format_since_start(std::uint64_t ns);

} // namespace pagetide::tools
