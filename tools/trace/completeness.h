//===- completeness.h - What of a recorded run its trace lacks ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader of a trace keeps this account. Every command that says whether a
// trace is complete, or what it lacks, takes answer and words from here.

#pragma once

#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// The state of a trace file.
enum class Integrity {
  kComplete,   ///< sound frames only, the last of which is an End frame
  kUnfinished, ///< sound frames only, but no End: still running, or killed
  kCut,        ///< the file stops inside a frame
  kDamaged,    ///< some bytes are not what their hash or the format says
};

/// Bytes that could not be read as frames.
struct Damage {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string reason;
};

/// Numbers of periods; both ends belong to them.
struct PeriodRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

class Completeness {
public:
  /// Lists keep their first entries: a trace can be made to have very many.
  static constexpr std::size_t kMaxListed = 1000;

  //===- The account, in the order of the file ----------------------------===//

  /// All parts of a period were read. `knows_mappings`: those of its time too.
  void add_period(std::uint64_t index, bool knows_mappings = true);
  /// Some parts of a period were read, and the others are lost.
  void add_partial(std::uint64_t index);
  void add_damage(std::uint64_t offset, std::uint64_t bytes,
                  std::string reason);
  void add_note(const Note &note);
  void add_end(const End &end) { end_ = end; }
  /// The End frame before was no end: the program went on.
  void forget_end() { end_.reset(); }
  /// No frame follows. If the file has no proper end, `offset` and `reason` say
  /// where and why; `open_period` lacks parts there.
  void finish(Integrity end_of_file, std::uint64_t offset,
              std::string reason = {},
              std::optional<std::uint64_t> open_period = {});

  //===- Answers, when the account is finished ----------------------------===//

  /// Whether all periods of the run are here, and all else that was recorded.
  bool is_complete() const {
    return integrity_ == Integrity::kComplete && missing_count_ == 0 &&
           !missing_rest_;
  }
  /// What is missing, and why, for people. Empty if nothing is.
  std::string sentence() const;
  /// "complete", or "INCOMPLETE: " and the sentence.
  std::string verdict() const;

  Integrity integrity() const { return integrity_; }
  /// First byte that was not understood; the file's length if none.
  std::uint64_t stop_offset() const;
  /// Why that is so. Empty if nothing is wrong with the file.
  const std::string &stop_reason() const;

  std::uint64_t whole_periods() const { return whole_periods_; }
  std::optional<std::uint64_t> last_period() const { return last_period_; }
  /// Periods that are known to be missing, and how many they are.
  const std::vector<PeriodRange> &missing() const { return missing_; }
  std::uint64_t missing_count() const { return missing_count_; }
  /// Where the periods begin that may follow and are not here.
  std::optional<std::uint64_t> missing_rest() const { return missing_rest_; }
  bool lacks(std::uint64_t period) const;
  /// Missing periods of which a part is here.
  const std::vector<std::uint64_t> &partial() const { return partial_; }
  const std::vector<Damage> &damage() const { return damage_; }
  std::uint64_t damage_count() const { return damage_count_; }
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }
  /// Periods that were read, but the mappings of their time are lost.
  std::uint64_t without_mappings() const { return without_mappings_; }

private:
  std::uint64_t next_period() const;
  void add_missing(std::uint64_t first, std::uint64_t last);
  std::string damage_words() const;
  std::string end_of_file_words() const;
  std::string missing_words() const;

  Integrity end_of_file_ = Integrity::kUnfinished;
  Integrity integrity_ = Integrity::kUnfinished;
  std::uint64_t end_offset_ = 0;
  std::string end_reason_;
  std::optional<std::uint64_t> open_period_; ///< at the file's end

  std::uint64_t whole_periods_ = 0;
  std::optional<std::uint64_t> last_period_;
  std::vector<PeriodRange> missing_;
  std::uint64_t missing_ranges_ = 0;
  std::uint64_t missing_count_ = 0;
  std::optional<std::uint64_t> missing_rest_;
  std::vector<std::uint64_t> partial_;
  std::uint64_t without_mappings_ = 0;

  std::vector<Damage> damage_;
  std::uint64_t damage_count_ = 0;
  std::uint64_t damaged_bytes_ = 0;
  bool damaged_since_period_ = false;

  std::optional<End> end_; ///< if it is the last frame
  std::string lost_note_;  ///< of the last note that says so
};

} // namespace pagetide::tools
