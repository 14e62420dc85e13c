//===- recording.h - The beginning and end of a recording -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_RECORDING_H
#define PAGETIDE_RUNTIME_RECORDER_RECORDING_H

#include "recorder/recorder_state.h"

namespace pagetide {

/// What PAGETIDE_OPTIONS asks for. Paths become absolute: the recorder's working
/// directory need not stay the program's.
RecordConfig ConfigFromFlags();
/// Makes `path` (null or empty: none) absolute and puts it in. Returns 0 or an
/// errno: it is too long, or relative to a directory that has no path.
int SetTracePath(RecordConfig &config, const char *path);

/// On the recorder's thread: begins as record_config says. `parent_trace` not
/// null: the process is a fork of the one that writes it. Returns a
/// pagetide_status.
int StartRecording(const char *parent_trace);

/// `why` not null: it ends before its time, and the trace is to say so.
void StopRecording(const char *why = nullptr);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_RECORDING_H
