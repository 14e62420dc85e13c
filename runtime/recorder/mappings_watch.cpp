//===- mappings_watch.cpp - The program's mappings, as they change --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/mappings_watch.h"

#include "periods/staging.h"
#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "shadow/shadow.h"
#include "trace/pending_frames.h"
#include "trace/trace_encode.h"

#include "sanitizer_common/sanitizer_libc.h"

using namespace __sanitizer;

namespace pagetide {

using namespace trace;

namespace {
struct MappingsWatch {
  u64 time; ///< of the last look
  MappingList mappings, looked_up;
  bool warned_beyond;
  bool warned_mappings; ///< said that the list cannot be read
};
} // namespace

PAGETIDE_RECORDER_STATE static MappingsWatch watch;

const MappingList &KnownMappings() { return watch.mappings; }

void ForgetMappings() {
  watch.warned_mappings = false;
  watch.mappings.entries.clear();
}

void LookAtMappings(u64 now, bool at_once) {
  if (!at_once && now - watch.time < GetFlags().mappings)
    return;
  watch.time = now;
  if (int error = ReadMappings(watch.looked_up, ScratchRange)) {
    if (!watch.warned_mappings) {
      Reason text;
      internal_snprintf(text.text, sizeof(text.text),
                        "the list of mappings cannot be read from "
                        "/proc/thread-self/maps: %s",
                        DescribeErrno(error));
      if (GetFlags().on_failure == OnFailure::kStop)
        WarnOrStop("%s.\n", text.text);
      if (Tracing())
        EncodeNote(PendingFrames(), now, OpenPeriod().index, NoteCode::kLost,
                   text.text);
    }
    watch.warned_mappings = true;
    return;
  }
  if (watch.looked_up.beyond && !watch.warned_beyond) {
    watch.warned_beyond = true;
    Warning(
        "the program has mapped memory at 0x%llx by a bare system call. No "
        "shadow covers addresses of more than 47 bits: accesses there are not "
        "recorded, and their marks can damage other memory.\n",
        watch.looked_up.beyond);
    if (Tracing())
      EncodeNote(PendingFrames(), now, OpenPeriod().index, NoteCode::kLost,
                 "accesses to memory mapped beyond 47 bits");
  }
  if (SameMappings(watch.looked_up, watch.mappings))
    return;
  watch.mappings.entries.swap(watch.looked_up.entries);
  watch.mappings.names.swap(watch.looked_up.names);
  if (Tracing())
    EncodeMappings(PendingFrames(), now, watch.mappings);
}

} // namespace pagetide
