//===- looks_before_close.cpp - Mappings of libraries that are closed -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/looks_before_close.h"

#include "platform/bss_names.h"
#include "platform/locks.h"
#include "platform/program_memory.h"
#include "recorder/recorder_state.h"
#include "shadow/shadow.h"
#include "threads/service_thread.h"

#include <link.h>

namespace pagetide {

namespace {
enum LookState : u32 { kFree, kFilling, kFull };

struct LookOfProgram {
  u32 state = kFree;
  u64 time = 0;
  MappingList read, named;
  PageVec<char> text;
};
} // namespace

/// The memory of the lists belongs to the process, never to the recorder: a
/// forked child unmaps what the recorder has (fork_reset.h).
static constinit LookOfProgram looks[8];

static LookOfProgram *ClaimFreeLook() {
  for (LookOfProgram &look : looks) {
    u32 expected = kFree;
    if (__atomic_compare_exchange_n(&look.state, &expected, kFilling, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return &look;
  }
  return nullptr;
}

/// How many libraries the loader has ever loaded.
static u64 CountLoads() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *count) {
        *(unsigned long long *)count = info->dlpi_adds;
        return 1; // it is the same for all
      },
      &loads);
  return loads;
}

void LookBeforeClose() {
  // A filter of this thread may kill the process for opening a file.
  if (!Recording() || UnderSystemCallFilter() || !InServedProcess())
    return;
  static u64 seen_loads; // what was loaded before is in some list
  const u64 loads = CountLoads();
  if (loads == LoadAcquire(&seen_loads))
    return;
  ScopedBlockSignals block_signals; // a handler could keep the look for ever
  LookOfProgram *look = ClaimFreeLook();
  if (!look) // the recorder is busy
    return;
  look->time = MonotonicNs();
  if (ReadMappings(look->read, ScratchRange, look->text) ||
      NameBss(look->read, ReadIfMapped, look->named)) {
    StoreRelease(&look->state, kFree);
    return;
  }
  StoreRelease(&look->state, kFull);
  StoreRelease(&seen_loads, loads);
  WakeRecorder();
}

bool TakeLookBeforeClose(MappingList &list, u64 &time) {
  for (LookOfProgram &look : looks) {
    if (LoadAcquire(&look.state) != kFull)
      continue;
    time = look.time;
    list.entries.assign(look.named.entries);
    list.names.assign(look.named.names);
    StoreRelease(&look.state, kFree);
    return true;
  }
  return false;
}

void RenewLooksInChild() {
  for (LookOfProgram &look : looks)
    if (look.state == kFilling)
      look = {};
    else
      look.state = kFree;
}

} // namespace pagetide
