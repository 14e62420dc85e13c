//===- control_service.cpp - What pagetide ctl asks of the recorder -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/control_service.h"

#include "pagetide/pagetide.h"
#include "platform/bailout.h"
#include "platform/fork_reset.h"
#include "platform/options.h"
#include "recorder/control_request.h"
#include "recorder/period.h"
#include "recorder/recorder_state.h"
#include "recorder/recording.h"
#include "recorder/schedule.h"
#include "recorder/windows.h"
#include "threads/service_thread.h"
#include "trace/pending_frames.h"
#include "trace/trace_writer.h"

namespace pagetide {

using namespace trace;

/// The number of the last ctl that has sent its signal; 0: none waits. An
/// earlier one sends its signal again.
PAGETIDE_ZERO_IN_CHILD static u32 waiting;

void PassControlToRecorder(u32 ctl) {
  StoreRelease(&waiting, ctl);
  WakeRecorder();
}

static const char *NothingRecorded() {
  return Recording() ? nullptr : "nothing is being recorded";
}

static const char *Start(const control::Request &asked) {
  if (const char *why = WhyRefused(asked))
    return why;
  record_config = ConfigForControl(asked);
  return WhyNotStarted(StartRecording(nullptr));
}

static const char *Stop() {
  if (const char *why = NothingRecorded())
    return why;
  if (record_config.by_record)
    return "it is recorded by pagetide record: that recording ends with the "
           "program";
  const EndReason reason = EndReason::kStop;
  // If the period cannot be written, the recording ends all the same.
  if (EndPeriod(kPeriodFinal, /*on_caller=*/false, &reason))
    EndRecording(reason);
  else
    StopRecording();
  return nullptr;
}

static const char *SetPeriod(u64 period_ns) {
  if (const char *why = NothingRecorded())
    return why;
  if (!IsPeriod(period_ns))
    return kPeriodTooShort;
  ChangePeriod(period_ns);
  return nullptr;
}

static const char *SetWindow(const control::Request &asked) {
  if (const char *why = NothingRecorded())
    return why;
  if (const char *why = WhyNoWindows(asked))
    return why;
  if (asked.window_ns && record_config.checksum != ChecksumMode::kNone)
    return kNoChecksumsInWindows;
  if (!ChangeWindows(asked.window_ns, asked.every_ns))
    return kNoWindows;
  Schedule(MonotonicNs());
  return nullptr;
}

static const char *Flush() {
  if (const char *why = NothingRecorded())
    return why;
  return !Tracing() || DrainTraceWriter()
             ? nullptr
             : "the trace cannot be written; its standard error says why";
}

static const char *CarryOut(const control::Request &asked) {
  switch (asked.operation) {
  case control::Operation::kStatus:
    return nullptr;
  case control::Operation::kStart:
    return Start(asked);
  case control::Operation::kStop:
    return Stop();
  case control::Operation::kPeriod:
    return SetPeriod(asked.period_ns);
  case control::Operation::kFlush:
    return Flush();
  case control::Operation::kWindow:
    return SetWindow(asked);
  }
  return "its runtime does not know this request";
}

bool AnswerControl() {
  const u32 ctl = __atomic_exchange_n(&waiting, 0, __ATOMIC_ACQ_REL);
  if (!ctl)
    return false;
  ControlRequest request;
  if (!request.Begin(ctl))
    return true;
  Reason why;
  const char *reason = nullptr;
  if (!Attempt(why, [&] { reason = CarryOut(request.Asked()); })) {
    request.Reply(why.text);
    BailOut("%s", why.text); // the recorder's loop ends the recording
  }
  request.Reply(reason);
  return true;
}

} // namespace pagetide
