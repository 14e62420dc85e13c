//===- sites_encoder.cpp - The rows of sites as frames --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/sites_encoder.h"

namespace pagetide {

using namespace trace;

bool SitesEncoder::NextPart(PageVec<u8> &out) {
  if (done_)
    return false;
  // Upper bounds: a run is four numbers, a section two more.
  constexpr uptr kRunBytes = 7 + 7 + 5 + 5, kSectionBytes = 15;
  constexpr uptr kMaxRuns = kPartBytes / (kRunBytes + kSectionBytes);
  const uptr all = rows_.runs.size();
  const uptr end = all - run_ < kMaxRuns ? all : run_ + kMaxRuns;
  const uptr first_section = section_;
  uptr end_section = section_;
  while (end_section < rows_.sections.size() &&
         rows_.sections[end_section].first < end)
    ++end_section;
  done_ = end == all;
  out.clear();
  Encoder encoder(out);
  encoder.period_sites(
      entry_.index, (begun_ ? 0 : kPartFirst) | (done_ ? kPartLast : 0),
      entry_.start_ns, entry_.end_ns, end_section - first_section);
  begun_ = true;
  for (section_ = first_section; section_ < end_section; ++section_) {
    const Section &section = rows_.sections[section_];
    const uptr end_of_section = section.first + section.count;
    const uptr stop = end_of_section < end ? end_of_section : end;
    encoder.section(section.tid, stop - run_);
    for (; run_ < stop; ++run_) {
      const SiteRun &run = rows_.runs[run_];
      encoder.site_run(run.granule, run.length, run.read, run.write);
    }
    if (stop < end_of_section)
      break; // the section goes on in the next part
  }
  return true;
}

} // namespace pagetide
