//===- mappings_watch.cpp - The program's mappings, as they change --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/mappings_watch.h"

#include "periods/staging.h"
#include "platform/bailout.h"
#include "platform/bss_names.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/mapping_changes.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/program_memory.h"
#include "recorder/looks_before_close.h"
#include "shadow/shadow.h"
#include "trace/pending_frames.h"
#include "trace/trace_encode.h"

#include "sanitizer_common/sanitizer_libc.h"

using namespace __sanitizer;

namespace pagetide {

using namespace trace;

namespace {
struct MappingsWatch {
  u64 time;           ///< of the recorder's last look
  u64 took_ns;        ///< what that took
  u64 shared_changes; ///< see SharedChangesAtLook
  MappingList read;   ///< as it was read then; empty if `mappings` is not of it
  MappingList mappings; ///< as known, with the names of .bss
  MappingList looked_up;
  MappingList of_program; ///< what a thread of the program saw
  MappingList passed;
  u32 looks_of_program; ///< since the recorder's last look
  bool warned_beyond;
  bool warned_mappings; ///< said that the list cannot be read
};
} // namespace

PAGETIDE_RECORDER_STATE static MappingsWatch watch;

const MappingList &KnownMappings() { return watch.mappings; }
u64 SharedChangesAtLook() { return watch.shared_changes; }
const MappingList &PassedMappings() { return watch.passed; }
void ForgetPassedMappings() {
  watch.passed.entries.clear();
  watch.passed.names.clear();
}

void ForgetMappings() {
  watch.warned_mappings = false;
  watch.shared_changes = 0;
  watch.read.entries.clear();
  watch.mappings.entries.clear();
  ForgetPassedMappings();
  u64 time;
  while (TakeLookBeforeClose(watch.of_program, time)) {
  }
}

static void RememberPassed() {
  for (const Mapping &m : watch.of_program.entries)
    if (*watch.of_program.NameOf(m) == '/' &&
        !Contains(watch.mappings, watch.of_program, m) &&
        !Contains(watch.passed, watch.of_program, m) &&
        !AddMapping(watch.passed, watch.of_program, m))
      return; // memory ran out
}

void TakeLooksBeforeClose() {
  constexpr u32 kMaxLooks = 64; // what a long period may add to the trace
  for (u64 time; TakeLookBeforeClose(watch.of_program, time);) {
    // A thread that looked before the recorder, and was slower, has closed
    // nothing before the recorder's look.
    if (time < watch.time || watch.looks_of_program == kMaxLooks ||
        SameFiles(watch.of_program, watch.mappings))
      continue;
    ++watch.looks_of_program;
    RememberPassed();
    watch.mappings.entries.swap(watch.of_program.entries);
    watch.mappings.names.swap(watch.of_program.names);
    watch.read.entries.clear();
    if (Tracing())
      EncodeMappings(PendingFrames(), time, watch.mappings);
  }
}

void LookAtMappings(u64 now, bool at_once) {
  // A thousand mappings take 1 ms or more: to look takes an eighth of the time
  // at most.
  const u64 apart = 8 * watch.took_ns;
  const u64 wanted = GetFlags().mappings;
  const bool due =
      at_once || now - watch.time >= (apart > wanted ? apart : wanted);
  const u64 begin = MonotonicNs();
  const u64 shared_changes = SharedChanges();
  const int error = due ? ReadMappings(watch.looked_up, ScratchRange) : 0;
  // Afterwards: whatever was closed before that list was read was seen before.
  TakeLooksBeforeClose();
  if (!due)
    return;
  watch.time = now;
  watch.took_ns = MonotonicNs() - begin;
  watch.looks_of_program = 0;
  if (error) {
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
  watch.shared_changes = shared_changes;
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
  if (SameMappings(watch.looked_up, watch.read))
    return;
  watch.read.entries.swap(watch.looked_up.entries);
  watch.read.names.swap(watch.looked_up.names);
  if (NameBss(watch.read, ReadIfMapped, watch.mappings))
    BailOut("out of memory for the list of mappings");
  if (Tracing())
    EncodeMappings(PendingFrames(), now, watch.mappings);
}

} // namespace pagetide
