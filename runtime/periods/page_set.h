//===- page_set.h - From staged words to runs of granules -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/trace_format.h"
#include "periods/staging.h"
#include "platform/page_vec.h"

namespace pagetide {

struct GranuleRun {
  u64 granule; ///< number of the first granule: address >> granule_shift
  u64 length;  ///< granules
  u32 flags;   ///< trace::RunFlags
  u64 end() const { return granule + length; }
};

inline u64 GranulesOf(const PageVec<GranuleRun> &runs) {
  u64 count = 0;
  for (const GranuleRun &run : runs)
    count += run.length;
  return count;
}

/// The runs of one thread, or of the process (tid 0).
struct Section {
  u32 tid;
  uptr first; ///< into PageSet::runs
  uptr count;
};

struct PageSet {
  PageVec<GranuleRun> runs;
  PageVec<Section> sections; ///< sorted by tid
  void Clear() {
    runs.clear();
    sections.clear();
  }
};

/// Regions to report, sorted and disjoint, in granules; see WatchedRegions.
struct GranuleRange {
  u64 begin, end;
};

/// Tells whether granules are in ranges. Null: all granules are.
class WatchedGranules {
public:
  explicit WatchedGranules(const PageVec<GranuleRange> *ranges)
      : ranges_(ranges) {}
  /// Ask in rising order.
  bool Has(u64 granule) {
    if (!ranges_)
      return true;
    while (next_ < ranges_->size() && (*ranges_)[next_].end <= granule)
      ++next_;
    return next_ < ranges_->size() && granule >= (*ranges_)[next_].begin;
  }

private:
  const PageVec<GranuleRange> *ranges_;
  uptr next_ = 0; ///< the first range that may hold the next granule
};

/// Words of a thread that count as marked in a period although they were staged
/// in the next one (cuts/cut.h).
struct WordsOfThread {
  u32 tid; ///< 0 unless the recording is per thread
  uptr first, count;
};
struct LaterWords {
  PageVec<WordsOfThread> threads;
  PageVec<StagedWord> words;
};

/// Builds the set of a closed period from its chunks and from `later`, unless
/// that is null. If `watch` is not null
/// only granules in its ranges count. Keeps working memory between calls: for
/// one thread only.
void BuildPageSet(const PeriodEntry &period, bool per_thread,
                  const PageVec<GranuleRange> *watch, PageSet &set,
                  const LaterWords *later = nullptr);

/// The same for loose words, as one section of tid 0.
void BuildRuns(const PageVec<StagedWord> &words,
               const PageVec<GranuleRange> *watch, PageSet &set);

/// The bits of a shadow word that mean stores.
u64 WriteCellMask();

/// Appends a run, or joins it with the last one if they touch and have the same
/// flags.
void AppendRun(PageVec<GranuleRun> &runs, uptr first, GranuleRun run);

} // namespace pagetide
