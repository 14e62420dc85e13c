//===- threads_report.cpp - Private and shared pages of threads -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_kinds.h"

#include "analysis/access_counts.h"
#include "analysis/largest_first.h"
#include "analysis/sharing.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace pagetide::tools {

namespace {

/// Distinct granules of one thread.
struct ThreadFigures {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string name;
  std::uint64_t periods = 0; ///< in which it accessed anything
  std::uint64_t granules = 0;
  std::uint64_t written = 0; ///< by it
  std::uint64_t alone = 0;   ///< that no other thread accessed
  /// That another thread accessed too, and that at least one thread wrote.
  std::uint64_t contested = 0;

  std::uint64_t shared() const { return granules - alone; }
};

constexpr std::size_t kMaxListedThreads = 1000;
/// Of the matrix for programs.
constexpr std::size_t kMaxMatrix = 64;

std::string thread_label(const ThreadFigures &thread) {
  if (thread.tid == 0)
    return "0 without own sets";
  return fmt::format("{} {}", thread.tid, printable(thread.name));
}

/// Counts granules by pairs of a row and a column. There can be a set of
/// threads for each page, and thousands of pairs in each: a word of bits has 64
/// sets.
class PairCounts {
public:
  explicit PairCounts(std::size_t size)
      : cells_(size, std::vector<std::uint64_t>(size)) {}

  /// Adds the granules to each pair. Those of a thread and itself count only if
  /// `is_alone`.
  void add(const std::vector<std::size_t> &rows,
           const std::vector<std::size_t> &columns, std::uint64_t granules,
           bool is_alone) {
    if (is_alone) {
      for (const std::size_t row : rows)
        for (const std::size_t column : columns)
          cells_[row][column] += granules;
      return;
    }
    // The number of granules is a sum of powers of two.
    for (; granules != 0; granules &= granules - 1) {
      const auto power = static_cast<unsigned>(std::countr_zero(granules));
      Words &words = words_.try_emplace(power, cells_.size()).first->second;
      for (const std::size_t row : rows)
        words.rows[row] |= std::uint64_t{1} << words.sets;
      for (const std::size_t column : columns)
        words.columns[column] |= std::uint64_t{1} << words.sets;
      if (++words.sets == 64)
        empty(power, words);
    }
  }

  std::vector<std::vector<std::uint64_t>> take() {
    for (auto &[power, words] : words_)
      empty(power, words);
    return std::move(cells_);
  }

private:
  /// Sets that have equally many granules, a bit for each.
  struct Words {
    explicit Words(std::size_t size) : rows(size), columns(size) {}
    std::vector<std::uint64_t> rows;
    std::vector<std::uint64_t> columns;
    unsigned sets = 0;
  };

  void empty(unsigned power, Words &words) {
    for (std::size_t row = 0; row < cells_.size(); ++row)
      for (std::size_t column = 0; column < cells_.size(); ++column)
        if (row != column)
          cells_[row][column] += std::uint64_t(std::popcount(
                                     words.rows[row] & words.columns[column]))
                                 << power;
    words = Words(cells_.size());
  }

  std::vector<std::vector<std::uint64_t>> cells_;
  std::map<unsigned, Words> words_; ///< by the power of two
};

class ThreadsReport : public RunReport {
public:
  explicit ThreadsReport(std::size_t table_bytes) : table_bytes_(table_bytes) {}

  /// A square of granules: the thread of the row, by the thread of the column.
  struct Matrix {
    /// That both accessed; of a thread and itself: that it alone accessed.
    std::vector<std::vector<std::uint64_t>> accessed;
    /// That the row's thread wrote and the column's accessed; of a thread and
    /// itself: that it wrote and no other accessed.
    std::vector<std::vector<std::uint64_t>> written;
  };
  /// Of the threads with these indices in threads().
  Matrix sharing(const std::vector<std::size_t> &threads) const {
    std::vector<std::size_t> place(threads_.size(), SIZE_MAX);
    for (std::size_t i = 0; i < threads.size(); ++i)
      place[threads[i]] = i;
    const auto places = [&](std::uint32_t set) {
      std::vector<std::size_t> found;
      for (const std::uint32_t thread : sets_.members(set))
        if (place[thread] != SIZE_MAX)
          found.push_back(place[thread]);
      return found;
    };
    PairCounts accessed(threads.size());
    PairCounts written(threads.size());
    counts_.each([&](std::uint32_t accessed_set, std::uint32_t written_set,
                     std::uint64_t granules) {
      const bool is_alone = sets_.size(accessed_set) == 1;
      const std::vector<std::size_t> columns = places(accessed_set);
      accessed.add(columns, columns, granules, is_alone);
      written.add(places(written_set), columns, granules, is_alone);
    });
    return {accessed.take(), written.take()};
  }

  std::span<const ReportColumn> columns() const override {
    static constexpr ReportColumn kColumns[] = {
        {"pid", true}, {"tid", true}, {"name"},   {"periods"},  {"accessed"},
        {"written"},   {"private"},   {"shared"}, {"contested"}};
    return kColumns;
  }

  std::vector<ReportRow> rows() const override {
    std::vector<ReportRow> rows;
    for (const std::size_t i : largest()) {
      const ThreadFigures &thread = threads_[i];
      rows.push_back({thread.pid, thread.tid, thread.name, thread.periods,
                      thread.granules, json_if(tells_writes(), thread.written),
                      thread.alone, thread.shared(),
                      if_told(thread.contested)});
    }
    return rows;
  }

private:
  class Taker : public TraceTaker {
  public:
    Taker(ThreadsReport &report, SelectedTrace &trace)
        : report_(report), trace_(trace), pages_(report.table_bytes_) {}

    void take(const PeriodPart &part) override {
      for (const PeriodPart::Section &section : part.sections) {
        auto at = known_.find(section.tid);
        if (at == known_.end()) {
          if (known_.size() == kMaxThreads) {
            report_.is_lower_bound_ = true;
            continue;
          }
          at =
              known_
                  .insert({section.tid,
                           {static_cast<std::uint32_t>(report_.threads_.size()),
                            UINT64_MAX}})
                  .first;
          ThreadFigures figures;
          figures.pid = trace_.header().pid;
          figures.tid = section.tid;
          report_.threads_.push_back(std::move(figures));
        }
        const std::uint32_t number = at->second.number;
        const std::uint64_t bit = PageThreads::bit(number);
        PageThreads::Table &table = pages_.table(number);
        bool any = false;
        const std::span<const GranuleRun> runs = part.runs_of(section);
        table.fetch_ahead(runs, [&](const GranuleRun &run) {
          const AccessKinds kinds(run.flags);
          if (!kinds.accessed)
            return;
          any = true;
          const std::uint64_t written = kinds.written ? bit : 0;
          table.visit(run.first, run.end(), [&](PageThreads::Bits &page) {
            page.accessed |= bit;
            page.written |= written;
          });
        });
        if (any && at->second.last_period != part.index) {
          at->second.last_period = part.index;
          ++report_.threads_[at->second.number].periods;
        }
      }
    }

    void finish() override {
      for (const auto &[tid, thread] : known_)
        if (const auto name = trace_.threads().find(tid);
            name != trace_.threads().end())
          report_.threads_[thread.number].name = name->second;

      SharingCounts counts;
      const bool is_left_out = pages_.take_sets(
          report_.sets_,
          [&](std::uint64_t, std::uint32_t accessed, std::uint32_t written) {
            counts.add(accessed, written);
          });
      counts.each([&](std::uint32_t accessed, std::uint32_t written,
                      std::uint64_t granules) {
        const ThreadSets::Members members = report_.sets_.members(accessed);
        for (const std::uint32_t thread : members) {
          report_.threads_[thread].granules += granules;
          report_.threads_[thread].alone += members.size() == 1 ? granules : 0;
          report_.threads_[thread].contested +=
              members.size() > 1 && written != 0 ? granules : 0;
        }
        for (const std::uint32_t thread : report_.sets_.members(written))
          report_.threads_[thread].written += granules;
        report_.counts_.add(accessed, written, granules);
      });
      report_.is_lower_bound_ |= is_left_out || report_.sets_.is_lower_bound();
    }

  private:
    struct Known {
      std::uint32_t number;
      std::uint64_t last_period;
    };

    ThreadsReport &report_;
    SelectedTrace &trace_;
    PageThreads pages_;
    std::map<std::uint32_t, Known> known_; ///< by tid
  };

  const char *kind() const override { return "threads"; }
  std::string title() const override {
    return fmt::format(
        "Threads: the {} that each thread {}, and who shares them "
        "with whom",
        units(), access_verb());
  }

  void check(const SelectedTrace &trace) const override {
    if (!(trace.header().flags & trace::kHeaderPerThread))
      throw Failure("{}: {}", printable(trace.path()), kOneSet);
  }

  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override {
    return std::make_unique<Taker>(*this, trace);
  }

  void write_text(ReportLines &out) const override {
    const std::vector<std::size_t> shown = first(out.style().top);
    if (shown.empty()) {
      out.line("Nothing was {}.", access_word());
      return;
    }
    write_threads(out);
    out.line("");
    write_totals(out);
    if (threads_.size() == 1)
      return;
    const Matrix matrix = sharing(shown);
    write_matrix(
        out, shown, matrix.accessed,
        fmt::format(
            "Sharing: {0}s that both threads {1}, at any time. Where row "
            "and column are one thread: its private {0}s.",
            unit(), access_verb()));
    if (tells_reads())
      write_matrix(
          out, shown, matrix.written,
          fmt::format("Contest: {0}s that the thread of the row wrote "
                      "and the thread of the column accessed. Where "
                      "they are one thread: private {0}s that it wrote.",
                      unit()));
  }

  void write_json(Json &out) const override {
    out["is_lower_bound"] = is_lower_bound_;
    out["thread_count"] = threads_.size();
    out["threads"] = list(kMaxListedThreads);
    const Matrix matrix = sharing(first(kMaxMatrix));
    out["sharing"] = {
        {"accessed", matrix.accessed},
        {"written", tells_reads() ? Json(matrix.written) : Json()}};
  }

  void write_threads(ReportLines &out) const {
    BarTable table = bar_table("thread", {fmt::format("{}s", unit()), "private",
                                          "shared", "contested"});
    table.dark_meaning = "private";
    table.light_meaning = "shared";
    table.noun = "thread";
    for (const std::size_t i : arranged(largest())) {
      const ThreadFigures &thread = threads_[i];
      table.rows.push_back({thread_label(thread),
                            {thread.granules, thread.alone, thread.shared(),
                             if_told(thread.contested)},
                            {thread.granules, thread.alone}});
    }
    out.table(fmt::format("Private {0}s were {1} by this thread alone.{2}",
                          unit(), access_word(),
                          tells_reads()
                              ? fmt::format(" Contested are shared {}s that at "
                                            "least one thread wrote.",
                                            unit())
                              : ""),
              std::move(table));
  }

  void write_matrix(ReportLines &out, const std::vector<std::size_t> &shown,
                    const std::vector<std::vector<std::uint64_t>> &cells,
                    const std::string &heading) const {
    BarTable table;
    table.has_bars = false;
    table.label_heading = "thread";
    std::size_t widest = 1;
    for (const std::size_t i : shown) {
      table.headings.push_back(fmt::format("{}", threads_[i].tid));
      widest = std::max(widest, table.headings.back().size());
    }
    for (const auto &row : cells)
      for (const std::uint64_t granules : row)
        widest = std::max(widest, format_count(granules).size());
    // Columns that have no room are left out; their threads have rows.
    constexpr std::size_t kLabel = 18;
    const std::size_t room = (out.style().width - kLabel) / (widest + 2);
    table.headings.resize(std::min(table.headings.size(), room));
    for (std::size_t row = 0; row < cells.size(); ++row) {
      BarRow line;
      line.label = fitted(thread_label(threads_[shown[row]]), kLabel - 4);
      for (std::size_t column = 0; column < table.headings.size(); ++column)
        line.cells.push_back(
            cells[row][column] == 0 ? Json(".") : Json(cells[row][column]));
      table.rows.push_back(std::move(line));
    }
    const std::size_t left_out = shown.size() - table.headings.size();
    out.line("");
    out.table(heading, std::move(table));
    if (left_out != 0)
      out.line("  (columns of {} more threads have no room)", left_out);
  }

  void write_totals(ReportLines &out) const {
    std::uint64_t all = 0;
    std::uint64_t shared = 0;
    std::uint64_t contested = 0;
    counts_.each([&](std::uint32_t accessed, std::uint32_t written,
                     std::uint64_t granules) {
      all += granules;
      if (sets_.size(accessed) < 2)
        return;
      shared += granules;
      contested += written != 0 ? granules : 0;
    });
    std::string text = fmt::format(
        "In all {}{} distinct {}s, {}: {} private, {} shared",
        is_lower_bound_ ? "at least " : "", format_count(all), unit(),
        bytes(all), format_count(all - shared), format_count(shared));
    if (tells_reads())
      text += fmt::format(", of which {} contested", format_count(contested));
    out.statement(text + ".");
  }

  /// Indices of the threads, those with the most granules first.
  std::vector<std::size_t> largest() const {
    return numbers_largest_first(threads_.size(), [&](std::size_t i) {
      return std::pair(threads_[i].granules, ~threads_[i].tid);
    });
  }

  /// The first ones of the table.
  std::vector<std::size_t> first(std::size_t top) const {
    std::vector<std::size_t> first = arranged(largest());
    first.resize(std::min(first.size(), top));
    return first;
  }

  std::size_t table_bytes_;
  std::vector<ThreadFigures> threads_; ///< as the traces have them
  ThreadSets sets_;
  SharingCounts counts_;
  bool is_lower_bound_ = false;
};

} // namespace

std::unique_ptr<RunReport> make_threads_report(std::size_t table_bytes) {
  return std::make_unique<ThreadsReport>(table_bytes);
}

} // namespace pagetide::tools
