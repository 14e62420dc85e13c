//===- queries.cpp - What has been marked since the last period -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/queries.h"

#include "periods/page_set.h"
#include "platform/fork_reset.h"
#include "platform/page_vec.h"
#include "recorder/recorder_state.h"
#include "recorder/requests.h"
#include "shadow/shadow.h"

namespace pagetide {

PAGETIDE_RECORDER_STATE static PageVec<StagedWord> peeked_words;
PAGETIDE_RECORDER_STATE static PageSet peeked_set;

/// The granules that overlap the request's range. False if it is empty or
/// wraps.
static bool RangeOfRequest(GranuleRange &range) {
  if (!request.bytes || !InShadowedRange(request.address, request.bytes))
    return false;
  const u32 shift = shadow.unit_shift;
  range = {request.address >> shift,
           ((request.address + request.bytes - 1) >> shift) + 1};
  return true;
}

static bool PeekRuns(GranuleRange &range) {
  if (!RangeOfRequest(range))
    return false;
  peeked_words.clear();
  recorder_state.engine->peek(range, peeked_words);
  BuildRuns(peeked_words, nullptr, peeked_set);
  return true;
}

int AnswerQuery() {
  GranuleRange range;
  if (!PeekRuns(range))
    return PAGETIDE_INVALID;
  u32 flags = 0;
  for (const GranuleRun &run : peeked_set.runs)
    flags |= run.flags;
  return (int)flags;
}

int AnswerCollect() {
  GranuleRange range;
  if (!PeekRuns(range))
    return PAGETIDE_INVALID;
  request.count = peeked_set.runs.size();
  if (request.count > request.capacity)
    return PAGETIDE_OK;
  if (!recorder_state.engine->take(range)) {
    request.count = 0;
    return PAGETIDE_NO_MEMORY;
  }
  const u32 shift = shadow.unit_shift;
  for (uptr i = 0; i < request.count; ++i) {
    const GranuleRun &run = peeked_set.runs[i];
    request.runs[i] = {run.granule << shift, run.length << shift, run.flags};
  }
  return PAGETIDE_OK;
}

bool AnyMarks() {
  const u64 granules = u64{1} << (abi::kAddressBits - shadow.unit_shift);
  peeked_words.clear();
  recorder_state.engine->peek({0, granules}, peeked_words);
  return !peeked_words.empty();
}

} // namespace pagetide
