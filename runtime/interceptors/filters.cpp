//===- filters.cpp - System call filters of the program -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/filters.h"

#include "platform/deadly_calls.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/program_memory.h"
#include "recorder/recorder_state.h"
#include "recorder/step_out.h"
#include "threads/service_thread.h"
#include "threads/slots.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <linux/seccomp.h>

namespace pagetide {

static void EndRecordingFor(const char *call) {
  char why[256];
  __sanitizer::internal_snprintf(
      why, sizeof(why),
      "a system call filter (seccomp) that the program installs for all of its "
      "threads ends what calls %s, as recording does",
      call);
  LeaveForGood(why);
  WarnOrStop("%s. The recording ends here. The program runs on. Let the filter "
             "allow %s.\n",
             why, call);
}

void BeforeFilter(uptr operation, uptr flags, uptr program) {
  if (operation == SECCOMP_SET_MODE_FILTER && RecorderRuns() &&
      InServedProcess() && !self.in_request) {
    // A filter of this thread alone is tried too: it may forbid later trials.
    const RecordConfig &config = record_config;
    NeedsText text;
    const char *options =
        NeedsAsOptions(text, {*config.trace_path != 0, false, config.checksum,
                              config.unstable});
    const char *deadly =
        DeadlyCallUnder({flags, program}, options, !EngineCan().by_marks);
    if (deadly && (flags & SECCOMP_FILTER_FLAG_TSYNC))
      EndRecordingFor(deadly);
  }
  if (operation == SECCOMP_SET_MODE_FILTER ||
      operation == SECCOMP_SET_MODE_STRICT)
    NoteSystemCallFilter();
}

void BeforeFilterByControl(uptr mode, uptr program) {
  BeforeFilter(mode == SECCOMP_MODE_FILTER ? SECCOMP_SET_MODE_FILTER
                                           : SECCOMP_SET_MODE_STRICT,
               0, program);
}

} // namespace pagetide
