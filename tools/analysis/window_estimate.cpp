//===- window_estimate.cpp - Working sets from windows of marks -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/window_estimate.h"

#include <cmath>
#include <iterator>

namespace pagetide::tools {

namespace {

/// The value that Student's t does not exceed with probability 0.975. For more
/// degrees of freedom by its expansion at the normal distribution's quantile
/// (Abramowitz and Stegun, 26.7.5).
double student_t(std::uint64_t degrees) {
  constexpr double kFew[] = {12.7062, 4.3027, 3.1824, 2.7764};
  if (degrees <= std::size(kFew))
    return kFew[degrees - 1];
  const double z = 1.959964;
  const double v = static_cast<double>(degrees);
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

} // namespace

void MeanEstimate::add(double value) {
  ++samples_;
  const double distance = value - mean_;
  mean_ += distance / static_cast<double>(samples_);
  squares_ += distance * (value - mean_);
}

double MeanEstimate::half_width() const {
  if (samples_ < 2)
    return 0;
  const double n = static_cast<double>(samples_);
  return student_t(samples_ - 1) * std::sqrt(squares_ / (n - 1) / n);
}

void WindowEstimate::see(const Frame &frame) {
  if (frame.type != trace::FrameType::kThreads)
    return;
  for (const ThreadRecord &record : frame.threads.records)
    switch (record.event) {
    case trace::ThreadEvent::kStart:
      threads_[record.tid] = {record.time_ns, {}};
      break;
    case trace::ThreadEvent::kEnd: {
      const auto found = threads_.find(record.tid);
      if (found == threads_.end())
        break;
      const Thread &thread = found->second;
      lost_thread_ |= open_ && !thread.exact_since &&
                      thread.start_ns < begin_ns_ && record.time_ns > begin_ns_;
      threads_.erase(found);
      break;
    }
    case trace::ThreadEvent::kExactSince:
      // It may be of the window that the next period begins.
      if (open_ && record.time_ns <= end_ns_)
        note_exact(record);
      else
        waiting_.push_back(record);
      break;
    }
}

void WindowEstimate::note_exact(const ThreadRecord &record) {
  Thread &thread = threads_[record.tid];
  thread.exact_since = record.time_ns;
  if (thread.start_ns < begin_ns_)
    forget_periods_before(record.time_ns);
}

void WindowEstimate::begin_window(std::uint64_t time_ns) {
  open_ = true;
  lost_thread_ = false;
  begin_ns_ = exact_from_ns_ = end_ns_ = time_ns;
  sample_ = std::make_unique<Sample>();
}

void WindowEstimate::forget_periods_before(std::uint64_t time_ns) {
  if (!open_ || time_ns <= exact_from_ns_)
    return;
  exact_from_ns_ = time_ns;
  sample_ = std::make_unique<Sample>();
}

void WindowEstimate::end_window() {
  if (!open_)
    return;
  open_ = false;
  ++windows_;
  bool is_whole = !lost_thread_ && end_ns_ > exact_from_ns_ &&
                  !sample_->granules.is_lower_bound();
  for (auto &[tid, thread] : threads_) {
    is_whole &= thread.exact_since || thread.start_ns >= begin_ns_;
    thread.exact_since.reset();
  }
  if (!is_whole)
    return;
  exact_ns_ += end_ns_ - exact_from_ns_;
  sizes_.add(static_cast<double>(sample_->granules.count()));
}

void WindowEstimate::add_period(const PeriodTime &period,
                                std::span<const GranuleRun> accessed) {
  if (open_ && period.start_ns > end_ns_)
    end_window(); // there was a period with marks off
  if (!open_)
    begin_window(period.start_ns);
  for (const ThreadRecord &record : waiting_)
    note_exact(record);
  waiting_.clear();
  end_ns_ = std::max(end_ns_, period.end_ns);
  if (period.start_ns < exact_from_ns_) {
    exact_from_ns_ = end_ns_;
    return;
  }
  for (const GranuleRun &run : accessed)
    sample_->granules.insert(run.first, run.end());
}

Json WindowEstimate::json() const {
  const bool known = sizes_.samples() >= 2;
  const auto granules = [known](double count) {
    return known ? Json(static_cast<std::uint64_t>(count)) : Json();
  };
  return {{"windows", windows_},
          {"whole", whole()},
          {"exact_ns", mean_ns()},
          {"mean", granules(std::round(sizes_.mean()))},
          {"low", granules(std::floor(sizes_.low()))},
          {"high", granules(std::ceil(sizes_.high()))},
          {"confidence_percent", 95}};
}

} // namespace pagetide::tools
