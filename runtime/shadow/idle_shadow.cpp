//===- idle_shadow.cpp - Parts of the shadow that need not be looked at ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shadow/idle_shadow.h"

#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/program_memory.h"
#include "platform/uffd_wp.h"
#include "shadow/shadow.h"

#include <sys/mman.h>

namespace pagetide {

using kernel::kPageWritten;
using kernel::PageRegion;

/// Less than this is looked at faster than a period's end takes anyway.
constexpr u64 kLeastBytes = u64{1} << 20;
/// Of the kernel, at a time.
constexpr u32 kMostRequests = 1024;

/// Pages that are not protected.
constexpr PageQuery kWritten = {0, 0, kPageWritten, 0, kPageWritten};
/// The same; from then on they are.
constexpr PageQuery kProtectWritten = {kernel::kScanWpMatching, 0, kPageWritten,
                                       0, kPageWritten};

namespace {
struct State {
  bool open, unavailable;
  AsyncProtection account;
  PageVec<Extent> left_alone; ///< protected, and looked at since
  PageVec<Extent> fresh;      ///< protected, and not looked at since
  PageVec<Extent> found;      ///< had marks in this collection
  PageVec<Extent> recent;     ///< and since the last sweep
  PageVec<Extent> to_take;
  PageVec<Extent> scratch;
  u64 periods; ///< since the last sweep
};
} // namespace

PAGETIDE_RECORDER_STATE static State state;

//===- The kernel's account -----------------------------------------------===//

/// Whether a page that the kernel has no entry for counts as written.
static bool CountsTheUnknown() {
  const uptr page = Syscall(SYS_mmap, 0, kPageBytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, (uptr)-1, 0);
  if (Failed(page))
    return false;
  u64 bytes = 0;
  const bool ok = !state.account.Register(page, page + kPageBytes) &&
                  !state.account.Scan(page, page + kPageBytes, kWritten,
                                      [&](const PageRegion &region) {
                                        bytes += region.end - region.start;
                                      });
  Syscall(SYS_munmap, page, kPageBytes);
  return ok && bytes == kPageBytes;
}

static bool Open() {
  if (state.open || state.unavailable)
    return state.open;
  const char *missing = nullptr;
  // It may end the process for a call that it does not know.
  if (UnderSystemCallFilter())
    missing = "there is a system call filter";
  else if (!(missing = state.account.Open(0)) && !CountsTheUnknown()) {
    state.account.Close();
    missing = "pages that are not mapped are not in its account";
  }
  if (missing)
    Info(
        "the whole shadow is looked at in each period, since the kernel cannot "
        "tell which parts are idle: %s\n",
        missing);
  state.unavailable = missing;
  state.open = !missing;
  return state.open;
}

/// Scans a part of a slot's shadow. False where the kernel does not tell.
static bool Scan(const Extent &part, const PageQuery &query,
                 PageVec<Extent> &found) {
  const u32 slot = part.slot;
  const uptr base = shadow.slot_base[slot];
  return !state.account.Scan(
      base + part.begin, base + part.end, query, [&](const PageRegion &region) {
        AppendExtent(found, {slot, region.start - base, region.end - base});
      });
}

static void LeaveAloneNot(const PageVec<Extent> &parts) {
  Subtract(state.left_alone, parts, state.scratch);
  state.left_alone.swap(state.scratch);
}

/// Takes what was written to out of what is left alone. False where the kernel
/// does not tell.
static bool FindWritten() {
  PageVec<Extent> &written = state.to_take;
  written.clear();
  const PageVec<Extent> &all = state.left_alone;
  for (uptr first = 0, next; first < all.size(); first = next) {
    const u32 slot = all[first].slot;
    for (next = first; next < all.size() && all[next].slot == slot;)
      ++next;
    if (!Scan({slot, all[first].begin, all[next - 1].end}, kWritten, written))
      return false;
  }
  LeaveAloneNot(written);
  return true;
}

/// Protects what has had no marks since the last sweep. False where the kernel
/// refuses.
static bool Sweep(const PageVec<Extent> &populated) {
  PageVec<Extent> &idle = state.scratch, &parts = state.to_take;
  Subtract(populated, state.left_alone, idle);
  const bool is_worth_it = BytesOf(idle) >= kLeastBytes;
  Subtract(populated, state.recent, parts);
  state.recent.clear();
  if (!is_worth_it || !Open())
    return true;
  // One request for all between two pages in use. It protects what is not
  // protected yet: that includes what was marked just now and left alone before.
  Subtract(parts, state.left_alone, idle);
  const Extent *next = idle.begin();
  u32 requests = 0, registered = shadow_file::kMaxSlots;
  for (const Extent &part : parts) {
    bool is_any_new = false;
    for (; next != idle.end() && next->slot == part.slot &&
           next->begin < part.end;
         ++next)
      is_any_new = true;
    if (!is_any_new || !shadow.slot_base[part.slot])
      continue;
    if (++requests > kMostRequests)
      break;
    if (part.slot != registered &&
        state.account.Register(shadow.slot_base[part.slot],
                               shadow.slot_base[part.slot] + shadow.slot_bytes))
      return false;
    registered = part.slot;
    if (!Scan(part, kProtectWritten, state.fresh))
      return false;
  }
  LeaveAloneNot(state.fresh);
  return true;
}

//===- Interface ----------------------------------------------------------===//

static void GiveUp() {
  ForgetIdleShadow();
  state.unavailable = true;
}

const PageVec<Extent> &ExtentsToTake(const PageVec<Extent> &populated) {
  state.found.clear();
  if (!state.left_alone.empty() && !FindWritten())
    GiveUp();
  Subtract(populated, state.left_alone, state.to_take);
  return state.to_take;
}

void FoundMarks(u32 slot, u64 page) {
  AppendExtent(state.found, {slot, page, page + kShadowPageBytes});
}

void TookAll(const PageVec<Extent> &populated, bool ends_period) {
  const u64 idle_after = GetFlags().idle_after;
  if (!idle_after)
    return;
  if (!state.fresh.empty()) {
    Unite(state.left_alone, state.fresh, state.scratch);
    state.left_alone.swap(state.scratch);
    state.fresh.clear();
  }
  Unite(state.recent, state.found, state.scratch);
  state.recent.swap(state.scratch);
  if (ends_period && ++state.periods >= idle_after) {
    state.periods = 0;
    if (!Sweep(populated))
      GiveUp();
  }
}

void ForgetIdleShadow() {
  if (state.open)
    state.account.Close(); // the kernel forgets too
  state.open = false;
  state.left_alone.clear();
  state.fresh.clear();
  state.recent.clear();
  state.periods = 0;
}

} // namespace pagetide
