//===- mark_checks.cpp - Looking for the pass's faults --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow/mark_checks.h"

#include "arch/shadow_base.h"
#include "platform/exports.h"
#include "platform/fork_reset.h"
#include "platform/key_set.h"
#include "platform/messages.h"
#include "platform/start_data.h"
#include "shadow/call_sites.h"
#include "shadow/marking.h"
#include "shadow/shadow.h"

namespace pagetide {

/// Odd while marks are being taken.
PAGETIDE_ZERO_IN_CHILD static u64 takes;

PAGETIDE_START_DATA static u64 checked;
PAGETIDE_ZERO_IN_CHILD static u64 missed, undecided;

/// Call sites already reported: the address of the text that names the site,
/// shifted, and what the access does.
static KeySet<64> warned;

TakingMarks::TakingMarks() { __atomic_fetch_add(&takes, 1, __ATOMIC_SEQ_CST); }
TakingMarks::~TakingMarks() { __atomic_fetch_add(&takes, 1, __ATOMIC_SEQ_CST); }

static void Count(u64 &counter) {
  __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
}

/// True if cell number `which` of any of the granule's indexes has a mark, or
/// if the last cell before them has a mark that may mean this granule.
static bool IsMarked(uptr granule, unsigned which) {
  const uptr begin = CellIndexOf(granule), end = CellIndexOf(granule + 1);
  if (shadow.with_sites) {
    const u32 site =
        LoadSite((begin * shadow.cells_per_index + which) * shadow.cell_bytes);
    return site && !(site & abi::kSiteMay);
  }
  for (uptr index = begin; index < end; ++index)
    if (LoadCell(index * shadow.cells_per_index + which) &
        (abi::kCellMarked | abi::kCellNear))
      return true;
  return shadow.cells_per_granule_shift && begin &&
         LoadCell((begin - 1) * shadow.cells_per_index + which) &
             abi::kCellNear;
}

/// The first granule of [address, address+bytes) that lacks a mark which it
/// should have; -1 if there is none.
static uptr FirstMissing(uptr address, uptr bytes, u32 what) {
  if (!bytes || !InShadowedRange(address, bytes))
    return (uptr)-1; // the access will fault
  const bool read =
      what & abi::kAccessReads && abi::records_reads(shadow.layout);
  const bool written = what & abi::kAccessWrites;
  const uptr last = GranuleOf(address + bytes - 1);
  for (uptr granule = GranuleOf(address); granule <= last; ++granule)
    if ((read && !IsMarked(granule, abi::read_cell(shadow.layout))) ||
        (written && !IsMarked(granule, abi::write_cell(shadow.layout))))
      return granule;
  return (uptr)-1;
}

static void Check(uptr address, uptr bytes, u32 what, u64 begin,
                  const char *where) {
  Count(checked);
  const uptr missing = FirstMissing(address, bytes, what);
  if (missing == (uptr)-1)
    return;
  // A thread that took the mark had raised the count before that. x86 keeps the
  // order of loads.
  if (begin & 1 || __atomic_load_n(&takes, __ATOMIC_SEQ_CST) != begin) {
    Count(undecided);
    return;
  }
  Count(missed);
  if (warned.Add((u64)where << 2 | what))
    Warning("missed mark: an access in %s %s %zu bytes at 0x%zx, but the "
            "granule at 0x%zx is not marked so. This is a fault of the pass.\n",
            where,
            what == abi::kAccessReads    ? "reads"
            : what == abi::kAccessWrites ? "writes"
                                         : "reads and writes",
            bytes, address, missing << shadow.granule_shift);
}

void ReportMarkChecks() {
  const u64 all = __atomic_load_n(&checked, __ATOMIC_RELAXED);
  if (!all)
    return;
  const u64 found = __atomic_load_n(&missed, __ATOMIC_RELAXED);
  const u64 open = __atomic_load_n(&undecided, __ATOMIC_RELAXED);
  constexpr char kText[] =
      "%llu accesses checked: %llu marks missed, %llu undecided because a "
      "period ended meanwhile.\n";
  if (found)
    Warning(kText, all, found, open);
  else
    Info(kText, all, found, open);
}

void RenewMarkChecksInChild() { checked = 0; }

} // namespace pagetide

using namespace pagetide;

PAGETIDE_EXPORT void __pagetide_access(const void *p, uptr bytes, u32 what) {
  if (!ShadowReady()) // the function exists once, and marks are off
    return;
  if (what & abi::kAccessReads)
    MarkRead((uptr)p, bytes);
  if (what & abi::kAccessWrites)
    MarkWrite((uptr)p, bytes);
}

PAGETIDE_EXPORT void __pagetide_access_at(const void *p, uptr bytes, u32 what,
                                          u32 site) {
  if (!ShadowReady())
    return;
  NamedSite named(site);
  __pagetide_access(p, bytes, what);
}

PAGETIDE_EXPORT u64 __pagetide_check_begin(void) {
  return __atomic_load_n(&takes, __ATOMIC_SEQ_CST);
}

PAGETIDE_EXPORT void __pagetide_check(const void *p, uptr bytes, u32 what,
                                      u64 begin, const char *where) {
  if (!ShadowReady())
    return;
  Check((uptr)p, bytes, what, begin, where);
}
