//===- recording.h - The beginning and end of a recording -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/control.h"
#include "recorder/recorder_state.h"

namespace pagetide {

/// The settings of PAGETIDE_OPTIONS. Paths become absolute, because the program
/// may change its working directory.
RecordConfig ConfigFromFlags();
/// Sets config.trace_path to `path`, made absolute (null or empty: no trace).
/// Returns 0 or an errno: the path is too long, or it is relative and the
/// working directory has no path.
int SetTracePath(RecordConfig &config, const char *path);

inline constexpr char kPeriodTooShort[] = "a period is at least 1 ms";
inline constexpr char kNoWindows[] =
    "windows need running code that can change to its marked copy: build all "
    "of the program with -fpagetide-mode=windows";

/// Why the windows asked for cannot be; null if they can.
const char *WhyNoWindows(const control::Request &asked);

/// Why what `pagetide ctl start` asks for cannot be recorded; null if it can.
const char *WhyRefused(const control::Request &asked);
/// Its settings. What it does not say is as the process's own options have it.
RecordConfig ConfigForControl(const control::Request &asked);

/// What to tell `pagetide ctl` about the pagetide_status of a start; null if it
/// succeeded.
const char *WhyNotStarted(int status);

/// On the recorder's thread: starts to record as record_config says.
/// `parent_trace` not null: this process is a forked child of the one that
/// writes that trace. Returns a pagetide_status.
int StartRecording(const char *parent_trace);

/// After a start with RecordConfig::asker_tells that returned PAGETIDE_IO: why.
const char *WhyNoTrace();

/// `why` not null: the recording ends early, and the trace says so.
void StopRecording(const char *why = nullptr);
/// The recording's last period has ended, by kExit or kStop.
void EndRecording(trace::EndReason reason);

} // namespace pagetide
