//===- live_trace.h - Follows a trace that is being written ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime writes each period to the trace as the period ends. So the end of
// the file shows what the process did a moment ago. A LiveTrace reads what has
// been added, and keeps the periods of the last second. Its memory does not
// grow with the trace.

#pragma once

#include "analysis/mapping_names.h"
#include "analysis/time_curve.h"
#include "support/unique_fd.h"
#include "trace/site_table.h"
#include "trace/trace_reader.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Distinct granules of a stretch of time.
struct LiveCounts {
  std::uint64_t accessed = 0;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};

/// A mapping, or a place in the source.
struct LiveNamed {
  std::string name;
  LiveCounts counts;
};

struct LiveThread {
  std::uint32_t tid = 0;
  std::string name;
  LiveCounts counts; ///< zeros if the trace does not tell threads apart
};

/// What a process did in the last stretch of time that its trace has.
struct LiveFigures {
  std::uint64_t periods = 0; ///< of the stretch
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0; ///< of the newest period
  /// The stretch is shorter than asked for, because its periods took too much
  /// memory; or granules were left out.
  bool is_cut_short = false;
  bool is_lower_bound = false;
  LiveCounts all;
  std::vector<LiveNamed> mappings; ///< in no order
  std::vector<LiveNamed> sites;    ///< likewise; none without a site layout
  /// Threads that run, or that accessed something in the stretch. In no order.
  std::vector<LiveThread> threads;
};

class LiveTrace {
public:
  /// Follows the trace that is open at `fd`. `name` is its name in messages.
  /// Throws Failure if it is no trace.
  LiveTrace(UniqueFd fd, std::string name);
  LiveTrace(const LiveTrace &) = delete;

  /// Reads what has been added since the last call, at most until `deadline`.
  /// False if there is more to read.
  bool read(std::chrono::steady_clock::time_point deadline);
  /// The process has ended, and nobody writes the file any more. Call read()
  /// afterwards.
  void set_ended();
  /// Whether some process still writes the trace or completes it.
  bool is_being_written() const;

  const std::string &name() const { return name_; }
  const trace::FileHeader &header() const { return contents_->reader.header(); }
  Geometry geometry() const { return contents_->reader.geometry(); }
  bool is_per_thread() const {
    return header().flags & trace::kHeaderPerThread;
  }
  const std::optional<Process> &process() const { return contents_->process; }
  std::uint64_t periods() const { return contents_->periods; }
  std::uint64_t read_bytes() const { return contents_->reader.read_bytes(); }
  std::uint64_t file_bytes() { return contents_->reader.file_bytes(); }
  /// The End frame, if it is the last frame that was read.
  const std::optional<End> &end() const { return contents_->end; }
  /// After set_ended(), and when read() has returned true.
  const Completeness &completeness() const {
    return contents_->reader.completeness();
  }

  /// The figures of the last second, or of the newest period if that is longer.
  LiveFigures figures() const;
  /// The sizes of the last periods, for some minutes.
  TimeCurve recent_sizes() const;

private:
  static constexpr std::uint64_t kStretchNs = 1'000'000'000;

  struct Piece {
    GranuleRun run;
    std::size_t mapping;
  };
  struct ThreadRun {
    GranuleRun run;
    std::uint32_t tid;
  };
  /// What the stretch has of a period.
  struct Period {
    PeriodTime time;
    std::vector<GranuleRun> accesses; ///< of all threads
    /// The same by mapping. A new mapping may not be listed yet.
    std::vector<Piece> pieces;
    std::vector<ThreadRun> thread_runs;
    std::vector<SiteRun> site_runs;
    bool is_lower_bound = false; ///< runs were left out

    std::size_t runs() const {
      return accesses.size() + pieces.size() + thread_runs.size() +
             site_runs.size();
    }
    std::uint64_t middle_ns() const {
      return time.start_ns + (time.end_ns - time.start_ns) / 2;
    }
  };
  /// The largest period of a short time.
  struct Size {
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint64_t accessed = 0;
  };
  struct ThreadState {
    std::string name;
    bool runs = false;
  };

  /// What was read. It begins anew if the file must be read again.
  struct Contents {
    Contents(TraceReader trace, MappingNames::Take take)
        : reader(std::move(trace)),
          mappings(reader.header().granule_shift, std::move(take)) {}

    TraceReader reader;
    MappingNames mappings;
    std::optional<Process> process;
    std::map<std::uint32_t, ThreadState> threads;
    std::optional<End> end;
    std::uint64_t periods = 0;
    std::deque<Period> stretch; ///< whole periods, and one that is being read
    bool is_open = false;       ///< the last one is being read
    std::size_t runs = 0;       ///< in all of the stretch
    SiteTable sites;
    /// Of a period whose first part comes next.
    std::vector<SiteRun> next_sites;
    std::uint64_t next_sites_period = 0;
    std::uint64_t evicted_ns = 0; ///< when a period was, if memory ran out
    std::deque<Size> sizes;
    std::uint64_t size = 0; ///< of the period that is being read
  };

  void begin_anew();
  void take(const Frame &frame);
  void take_threads(const Threads &threads);
  void take_sites(const PeriodSites &sites);
  void take_part(const PeriodPart &part);
  void take_piece(std::size_t name, const GranuleRun &piece,
                  const PeriodTime &period);
  /// Whether the stretch has memory for another run.
  bool has_room();
  void drop_first();
  std::uint64_t stretch_start() const;
  void end_period();
  void add_size(const PeriodTime &time);

  UniqueFd fd_;
  std::string name_;
  bool has_ended_ = false;
  bool was_damaged_ = false; ///< at the first reading
  std::unique_ptr<Contents> contents_;
  Frame frame_;
  std::vector<GranuleRun> certain_;
  std::vector<GranuleRun> scratch_;
};

} // namespace pagetide::tools
