//===- idle_shadow.cpp - Parts of the shadow that need not be looked at ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// Scanning less than this takes no more than the rest of a period's end.
constexpr u64 kMinBytes = u64{1} << 20;
/// The same, while threads stand.
constexpr u64 kMinWatchedBytes = 32 * kShadowPageBytes;
/// Requests to the kernel, per sweep.
constexpr u32 kMaxRequests = 1024;
constexpr u64 kSmallGap = 16 * kShadowPageBytes;
/// To scan so large a hole takes longer than another request.
constexpr u64 kFarApart = u64{64} << 20;

/// Pages that are not protected.
constexpr PageQuery kWritten = {0, 0, kPageWritten, 0, kPageWritten};
/// The same pages, which become protected.
constexpr PageQuery kProtectWritten = {kernel::kScanWpMatching, 0, kPageWritten,
                                       0, kPageWritten};

namespace {
struct IdleShadow {
  bool open, unavailable;
  AsyncProtection account;
  PageVec<ShadowExtent> pages;  ///< protected, and looked at since
  PageVec<ShadowExtent> fresh;  ///< protected, and not looked at since
  PageVec<ShadowExtent> found;  ///< had marks in this collection
  PageVec<ShadowExtent> recent; ///< and since the last sweep
  PageVec<ShadowExtent> unprotected;
  PageVec<ShadowExtent> to_take;
  PageVec<ShadowExtent> scratch;
  u64 periods; ///< since the last sweep
};
} // namespace

PAGETIDE_RECORDER_STATE static IdleShadow idle;

//===- What the kernel tells ----------------------------------------------===//

/// Whether the kernel counts a page without an entry as written.
static bool CountsTheUnknown() {
  const uptr page = Syscall(SYS_mmap, 0, kPageBytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, (uptr)-1, 0);
  if (Failed(page))
    return false;
  u64 bytes = 0;
  const bool ok = !idle.account.Register(page, page + kPageBytes) &&
                  !idle.account.Scan(page, page + kPageBytes, kWritten,
                                     [&](const PageRegion &region) {
                                       bytes += region.end - region.start;
                                     });
  Syscall(SYS_munmap, page, kPageBytes);
  return ok && bytes == kPageBytes;
}

static bool Open() {
  if (idle.open || idle.unavailable)
    return idle.open;
  const char *missing = nullptr;
  // The filter may kill the process for a call that it does not know.
  if (UnderSystemCallFilter())
    missing = "there is a system call filter";
  else if (!(missing = idle.account.Open(0)) && !CountsTheUnknown()) {
    idle.account.Close();
    missing = "it does not report pages that are not mapped";
  }
  if (missing)
    Info("each period's end scans the whole shadow, because the kernel cannot "
         "tell which parts are idle: %s\n",
         missing);
  idle.unavailable = missing;
  idle.open = !missing;
  return idle.open;
}

/// Scans a part of a slot's shadow. False if the kernel does not tell.
static bool Scan(const ShadowExtent &part, const PageQuery &query,
                 PageVec<ShadowExtent> &found) {
  const u32 slot = part.slot;
  const uptr base = shadow.slot_base[slot];
  return !idle.account.Scan(
      base + part.begin, base + part.end, query, [&](const PageRegion &region) {
        AppendExtent(found, {slot, region.start - base, region.end - base});
      });
}

static void RemoveFromIdle(const PageVec<ShadowExtent> &parts) {
  Subtract(idle.pages, parts, idle.scratch);
  idle.pages.swap(idle.scratch);
}

/// Removes pages that were written to from the idle pages, and lists what is
/// not protected. False if the kernel does not tell.
static bool FindUnprotected() {
  PageVec<ShadowExtent> &found = idle.unprotected;
  found.clear();
  const PageVec<ShadowExtent> &all = idle.pages;
  uptr first = 0;
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    u64 looked_until = 0;
    while (first < all.size() && all[first].slot == slot) {
      uptr last = first;
      while (last + 1 < all.size() && all[last + 1].slot == slot &&
             all[last + 1].begin - all[last].end < kFarApart)
        ++last;
      AppendExtent(found, {slot, looked_until, all[first].begin});
      looked_until = all[last].end;
      if (!Scan({slot, all[first].begin, looked_until}, kWritten, found))
        return false;
      first = last + 1;
    }
    AppendExtent(found, {slot, looked_until, shadow.slot_bytes});
  }
  RemoveFromIdle(found);
  return true;
}

/// Protects the pages of `part` that are not protected, and adds them to
/// `found`. `registered` is the slot of the call before.
static bool ProtectPart(const ShadowExtent &part, u32 &registered,
                        PageVec<ShadowExtent> &found) {
  if (part.slot != registered &&
      idle.account.Register(shadow.slot_base[part.slot],
                            shadow.slot_base[part.slot] + shadow.slot_bytes))
    return false;
  registered = part.slot;
  return Scan(part, kProtectWritten, found);
}

/// Protects what has had no marks since the last sweep. False if the kernel
/// refuses.
static bool Sweep(const PageVec<ShadowExtent> &populated) {
  PageVec<ShadowExtent> &unmarked = idle.scratch, &parts = idle.to_take;
  Subtract(populated, idle.pages, unmarked);
  const bool is_worth_it = BytesOf(unmarked) >= kMinBytes;
  Subtract(populated, idle.recent, parts);
  idle.recent.clear();
  if (!is_worth_it || !Open())
    return true;
  // One request for everything between two pages in use. It protects all pages
  // that are not protected yet, also pages that were idle and are being marked
  // now.
  Subtract(parts, idle.pages, unmarked);
  const ShadowExtent *next = unmarked.begin();
  u32 requests = 0, registered = shadow_file::kMaxSlots;
  for (const ShadowExtent &part : parts) {
    bool is_any_new = false;
    for (; next != unmarked.end() && next->slot == part.slot &&
           next->begin < part.end;
         ++next)
      is_any_new = true;
    if (!is_any_new || !shadow.slot_base[part.slot])
      continue;
    if (++requests > kMaxRequests)
      break;
    if (!ProtectPart(part, registered, idle.fresh))
      return false;
  }
  RemoveFromIdle(idle.fresh);
  return true;
}

//===- Interface ----------------------------------------------------------===//

static void GiveUp() {
  ForgetIdleShadow();
  idle.unavailable = true;
}

const PageVec<ShadowExtent> *BeginCollection() {
  idle.found.clear();
  if (idle.pages.empty())
    return nullptr;
  if (FindUnprotected())
    return &idle.unprotected;
  GiveUp();
  return nullptr;
}

const PageVec<ShadowExtent> &
ExtentsToTake(const PageVec<ShadowExtent> &populated) {
  Subtract(populated, idle.pages, idle.to_take);
  return idle.to_take;
}

void FoundMarks(u32 slot, u64 page) {
  AppendExtent(idle.found, {slot, page, page + kShadowPageBytes});
}

void TookAll(const PageVec<ShadowExtent> &populated, bool ends_period) {
  const u64 idle_after = GetFlags().idle_after;
  if (!idle_after)
    return;
  if (!idle.fresh.empty()) {
    Unite(idle.pages, idle.fresh, idle.scratch);
    idle.pages.swap(idle.scratch);
    idle.fresh.clear();
  }
  Unite(idle.recent, idle.found, idle.scratch);
  idle.recent.swap(idle.scratch);
  if (ends_period && ++idle.periods >= idle_after) {
    idle.periods = 0;
    if (!Sweep(populated))
      GiveUp();
  }
}

void WatchShadow(const PageVec<ShadowExtent> &populated) {
  if (!GetFlags().idle_after)
    return;
  PageVec<ShadowExtent> &now = idle.to_take;
  Subtract(populated, idle.pages, now);
  if (BytesOf(now) < kMinWatchedBytes || !Open())
    return;
  now.clear();
  // Small gaps are protected too: their page tables are there already.
  FillGaps(populated, kSmallGap, idle.scratch);
  u32 requests = 0, registered = shadow_file::kMaxSlots;
  for (const ShadowExtent &part : idle.scratch) {
    if (++requests > kMaxRequests)
      break;
    if (shadow.slot_base[part.slot] && !ProtectPart(part, registered, now))
      return GiveUp();
  }
  // What was idle, and has been marked since, is to be looked at too.
  RemoveFromIdle(now);
  Unite(idle.fresh, now, idle.scratch);
  idle.fresh.swap(idle.scratch);
}

void ForgetIdleShadow() {
  if (idle.open)
    idle.account.Close(); // the kernel forgets its protection too
  idle.open = false;
  idle.pages.clear();
  idle.fresh.clear();
  idle.recent.clear();
  idle.periods = 0;
}

} // namespace pagetide
