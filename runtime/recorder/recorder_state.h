//===- recorder_state.h - What the recorder is doing ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/engine.h"
#include "pagetide/trace_format.h"
#include "platform/fork_reset.h"
#include "platform/syscalls.h"

namespace pagetide {

struct RecordConfig {
  u64 period_ns;
  bool per_thread;
  trace::ChecksumMode checksum;
  trace::UnstablePolicy unstable;
  bool checksum_relative;
  u64 window_ns, every_ns; ///< marks are on in windows; 0: throughout
  u32 unit_shift; ///< log2 bytes of what is reported; 0: the build's granule
  char trace_path[4096]; ///< absolute; empty: none
  char control[108];     ///< socket of `pagetide record`; empty: none
  bool by_record;        ///< `pagetide record` began it, not the program
  bool asker_tells;      ///< why there is no trace: see WhyNoTrace
};

/// The settings of the recording under way. RequestStart fills them in.
extern RecordConfig record_config;

/// True while a recording is under way. From any thread.
bool Recording();
void SetRecording(bool recording);

/// The program's part in a recording that `pagetide record` began:
/// pagetide_start joins it and pagetide_stop leaves it. A forked child keeps
/// it.
enum class Membership : u32 { kNone, kJoined, kLeft };
extern Membership membership;

/// State of the recorder's thread.
struct RecorderState {
  const Engine *engine;
  u64 next_end; ///< when the clock ends the open period; 0: it does not
  u64 overruns; ///< scheduled ends missed in the open period
  /// exec or abort is under way, and the trace has an End frame for it. The
  /// program may still go on.
  bool announced_end;
  trace::EndReason end_reason; ///< of that frame
  int control;                 ///< connection to `pagetide record`, or -1
  /// The recording has ended, and marks were switched off. The shadow's memory
  /// is to be given back when threads make none any more.
  bool marks_rest;
  u64 began_ns; ///< when the recording began
  char trace_path[4096];
  bool exiting; ///< the program's exit handlers have run
};
PAGETIDE_RECORDER_STATE extern RecorderState recorder_state;

/// For debuggers and oracles. Call these when all earlier marks have been
/// taken.
void CountRecordingBegun();
void CountPeriodEnded();

} // namespace pagetide
