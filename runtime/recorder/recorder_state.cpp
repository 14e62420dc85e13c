//===- recorder_state.cpp - What the recorder is doing --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/recorder_state.h"

#include "platform/start_data.h"

namespace pagetide {

RecordConfig record_config;
Membership membership;
PAGETIDE_RECORDER_STATE RecorderState recorder_state;

PAGETIDE_START_DATA static u32 recording;

bool Recording() { return LoadAcquire(&recording); }
void SetRecording(bool is_recording) { StoreRelease(&recording, is_recording); }

//===- For debuggers and oracles ------------------------------------------===//

/// Counts that a watchpoint or a simulator can observe: recordings started in
/// this process, and periods ended. Each is written when all earlier marks have
/// been taken, and before the thread that ended the period goes on.
extern "C" {
struct PagetideBoundaries {
  volatile u64 begun, ended;
};
__attribute__((
    visibility("default"))) PagetideBoundaries __pagetide_boundaries = {0, 0};
}

void CountRecordingBegun() {
  __pagetide_boundaries.begun = __pagetide_boundaries.begun + 1;
}

void CountPeriodEnded() {
  __pagetide_boundaries.ended = __pagetide_boundaries.ended + 1;
}

} // namespace pagetide
