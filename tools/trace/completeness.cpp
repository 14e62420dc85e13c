//===- completeness.cpp - What of a recorded run its trace lacks ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/completeness.h"

#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pagetide::tools {

namespace {

/// Ranges named in a sentence.
constexpr std::size_t kMaxNamed = 6;
/// Of a note's text: a made-up trace can hold megabytes.
constexpr std::size_t kMaxLostNoteText = 600;

std::string range_words(const PeriodRange &range) {
  return range.last == range.first
             ? std::to_string(range.first)
             : fmt::format("{} to {}", range.first, range.last);
}

} // namespace

void Completeness::add_missing(std::uint64_t first, std::uint64_t last) {
  if (missing_.size() < kMaxListed)
    missing_.push_back({first, last});
  ++missing_ranges_;
  const std::uint64_t more = last - first;
  missing_count_ = more < UINT64_MAX - missing_count_
                       ? missing_count_ + more + 1
                       : UINT64_MAX;
}

/// The number that comes next if none is missing.
std::uint64_t Completeness::next_period() const {
  return last_period_ ? *last_period_ + 1 : 0;
}

void Completeness::add_period(std::uint64_t index, bool knows_mappings) {
  if (index > next_period())
    add_missing(next_period(), index - 1);
  last_period_ = index;
  ++whole_periods_;
  without_mappings_ += !knows_mappings;
  damaged_since_period_ = false;
}

void Completeness::add_partial(std::uint64_t index) {
  if (partial_.size() < kMaxListed)
    partial_.push_back(index);
}

void Completeness::add_damage(std::uint64_t offset, std::uint64_t bytes,
                              std::string reason) {
  if (damage_.size() < kMaxListed)
    damage_.push_back({offset, bytes, std::move(reason)});
  ++damage_count_;
  damaged_bytes_ += bytes;
  damaged_since_period_ = true;
}

void Completeness::add_note(const Note &note) {
  if (note.code == trace::NoteCode::kLost)
    lost_note_ = first_bytes(note.text, kMaxLostNoteText);
}

void Completeness::finish(Integrity end_of_file, std::uint64_t offset,
                          std::string reason,
                          std::optional<std::uint64_t> open_period) {
  end_of_file_ = end_of_file;
  integrity_ = damage_count_ == 0 ? end_of_file : Integrity::kDamaged;
  end_offset_ = offset;
  end_reason_ = std::move(reason);
  open_period_ = open_period;
  if (open_period)
    add_partial(*open_period);
  const bool ended = end_of_file == Integrity::kComplete && end_;
  const std::uint64_t next = next_period();
  if (ended && end_->periods && *end_->periods > next)
    add_missing(next, *end_->periods - 1);
  if (!ended || end_->reason == trace::EndReason::kFailed)
    missing_rest_ = std::max(next, ended ? end_->periods.value_or(0) : 0);
  else if (!end_->periods && damaged_since_period_)
    missing_rest_ = next; // perhaps: this version did not count them
}

std::uint64_t Completeness::stop_offset() const {
  return damage_.empty() ? end_offset_ : damage_.front().offset;
}

const std::string &Completeness::stop_reason() const {
  return damage_.empty() ? end_reason_ : damage_.front().reason;
}

bool Completeness::lacks(std::uint64_t period) const {
  if (missing_rest_ && period >= *missing_rest_)
    return true;
  return std::any_of(missing_.begin(), missing_.end(),
                     [&](const PeriodRange &range) {
                       return range.first <= period && period <= range.last;
                     });
}

std::string Completeness::damage_words() const {
  const Damage &first = damage_.front();
  std::string text =
      fmt::format("damaged at byte {}: {}", first.offset, first.reason);
  if (damage_count_ > 1)
    text +=
        fmt::format(", and at {} more place{}", format_count(damage_count_ - 1),
                    plural(damage_count_ - 1));
  return text + fmt::format(" ({} byte{} skipped)",
                            format_count(damaged_bytes_),
                            plural(damaged_bytes_));
}

/// Why the file ends before the run did.
std::string Completeness::end_of_file_words() const {
  if (end_of_file_ == Integrity::kDamaged)
    return last_period_ ? fmt::format("nothing after period {} can be read",
                                      *last_period_)
                        : std::string("no period can be read");
  if (end_of_file_ == Integrity::kComplete) {
    if (end_ && end_->reason == trace::EndReason::kFailed)
      return fmt::format(
          "the runtime could not go on{}; it recorded no period "
          "from {} on",
          lost_note_.empty() ? "" : fmt::format(" ({})", printable(lost_note_)),
          *missing_rest_);
    return missing_rest_ ? fmt::format("periods from {} on may be missing",
                                       *missing_rest_)
                         : std::string();
  }
  const std::string where =
      open_period_   ? fmt::format("in period {}", *open_period_)
      : last_period_ ? fmt::format("after period {}", *last_period_)
                     : std::string("before the first period");
  return fmt::format("truncated {}, at byte {}: {}", where, end_offset_,
                     end_reason_);
}

/// Which periods are missing among those that are here.
std::string Completeness::missing_words() const {
  if (missing_.empty())
    return damage_.empty() || missing_rest_ ? "" : "no period is missing";
  std::string list;
  const std::size_t named = std::min(missing_.size(), kMaxNamed);
  for (std::size_t i = 0; i < named; ++i)
    list += (i == 0                                       ? ""
             : i + 1 == named && named == missing_ranges_ ? " and "
                                                          : ", ") +
            range_words(missing_[i]);
  const bool is_one = missing_count_ == 1;
  std::string text = fmt::format("period{} {}", is_one ? "" : "s", list);
  if (missing_ranges_ > named)
    text +=
        fmt::format(" and others, {} in all,", format_count(missing_count_));
  return text + (is_one ? " is missing" : " are missing");
}

std::string Completeness::sentence() const {
  if (is_complete())
    return {};
  std::string text;
  const auto add = [&](const std::string &words) {
    if (!words.empty())
      text += (text.empty() ? "" : "; ") + words;
  };
  if (!damage_.empty())
    add(damage_words());
  add(end_of_file_words());
  add(missing_words());
  std::string partial;
  for (std::size_t i = 0; i < partial_.size() && i < kMaxNamed; ++i)
    if (partial_[i] != open_period_)
      partial += (partial.empty() ? "" : ", ") + std::to_string(partial_[i]);
  if (!partial.empty())
    add(fmt::format("only a part is here of period {}", partial));
  if (without_mappings_ != 0)
    add(fmt::format("the mappings of {} period{} are not known",
                    format_count(without_mappings_),
                    plural(without_mappings_)));
  return text;
}

std::string Completeness::verdict() const {
  return is_complete() ? "complete" : "INCOMPLETE: " + sentence();
}

} // namespace pagetide::tools
