//===- protected_areas.cpp - Which of the program's memory is protected ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/protected_areas.h"

#include "platform/page_vec.h"
#include "shadow/shadow.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

namespace {
constexpr uptr kMaxLifted = uptr{1} << 23; ///< 32 GiB of program memory
constexpr u32 kMaxExcluded = 4096;
} // namespace

Protection protection;

bool MapProtectionTables() {
  Protection &p = protection;
  p.areas =
      (ProtectedArea *)MapAnonymous(kMaxAreas * sizeof(ProtectedArea), false);
  p.lifted = (u64 *)MapAnonymous(kMaxLifted * sizeof(u64), false);
  p.excluded =
      (AddressRange *)MapAnonymous(kMaxExcluded * sizeof(AddressRange), false);
  return p.areas && p.lifted && p.excluded;
}

ScopedProtectionLock::ScopedProtectionLock() {
  u64 all = ~u64{0};
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&all, (uptr)&saved_, 8);
  protection.lock.Acquire();
}

ScopedProtectionLock::~ScopedProtectionLock() {
  protection.lock.Release();
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&saved_, 0, 8);
}

int SetRights(uptr begin, uptr end, int rights) {
  return ErrnoOf(Syscall(SYS_mprotect, begin, end - begin, (uptr)rights));
}

/// All marks go to one slot: nobody asks which thread wrote. A child of fork
/// has the slot of the thread that forked, and no other.
static uptr MarkBase() {
  static u32 slot = kFirstSlot;
  for (u32 i = 0; !shadow.slot_base[slot] && i < shadow_file::kMaxSlots; ++i)
    slot = i;
  return shadow.slot_base[slot];
}

void MarkPage(u64 page, abi::CellValue value) {
  u8 *cell = (u8 *)(MarkBase() + WriteCellOffset(page));
  __atomic_fetch_or(cell, (u8)value, __ATOMIC_RELAXED);
}

//===- Areas --------------------------------------------------------------===//

uptr FirstAreaAt(uptr address) {
  return InternalLowerBound(
      Span<ProtectedArea>{protection.areas, protection.area_count}, address,
      [](const ProtectedArea &area, uptr at) { return area.end <= at; });
}

ProtectedArea *AreaAt(uptr address) {
  const uptr i = FirstAreaAt(address);
  return i < protection.area_count && protection.areas[i].begin <= address
             ? &protection.areas[i]
             : nullptr;
}

/// Replaces `count` areas from index `at` on. False if the table is full.
static bool ReplaceAreas(uptr at, uptr count, const ProtectedArea *with,
                         uptr with_count) {
  Protection &p = protection;
  if (p.area_count - count + with_count > kMaxAreas)
    return false;
  internal_memmove(&p.areas[at + with_count], &p.areas[at + count],
                   (p.area_count - at - count) * sizeof(ProtectedArea));
  for (uptr i = 0; i < with_count; ++i)
    p.areas[at + i] = with[i];
  p.area_count = p.area_count - count + with_count;
  return true;
}

void DropAreas(uptr begin, uptr end) {
  Protection &p = protection;
  for (uptr i = FirstAreaAt(begin);
       i < p.area_count && p.areas[i].begin < end;) {
    const ProtectedArea area = p.areas[i];
    const uptr from = Max(area.begin, begin), to = Min(area.end, end);
    SetRights(from, to, area.rights);
    ProtectedArea rest[2];
    uptr count = 0;
    if (area.begin < from)
      rest[count++] = {area.begin, from, area.rights, area.open};
    if (to < area.end)
      rest[count++] = {to, area.end, area.rights, area.open};
    if (!ReplaceAreas(i, 1, rest, count))
      return; // the table is full: a fault in the area still lifts its pages
    i += count;
  }
}

int AddArea(uptr begin, uptr end, int rights) {
  DropAreas(begin, end);
  const ProtectedArea area = {begin, end, rights, false};
  if (!ReplaceAreas(FirstAreaAt(begin), 0, &area, 1))
    return ENOMEM;
  const int error = SetRights(begin, end, rights & ~PROT_WRITE);
  if (error)
    DropAreas(begin, end);
  return error;
}

//===- Lifted pages -------------------------------------------------------===//

/// Lifts the protection of the whole area, if the kernel has no room for more
/// mappings or the list none for more pages. Then this period does not know
/// what was written there.
static bool OpenArea(ProtectedArea &area) {
  if (SetRights(area.begin, area.end, area.rights))
    return false;
  area.open = true;
  return true;
}

bool LiftPage(uptr address, abi::CellValue value) {
  Protection &p = protection;
  ProtectedArea *area = AreaAt(address);
  if (!area)
    return false;
  const u64 page = address >> kPageShift;
  MarkPage(page, value);
  if (area->open)
    return true;
  const uptr begin = page << kPageShift;
  if (p.lifted_count == kMaxLifted ||
      SetRights(begin, begin + kPageBytes, area->rights))
    return OpenArea(*area);
  p.lifted[p.lifted_count++] = page;
  return true;
}

void Exclude(uptr begin, uptr end) {
  Protection &p = protection;
  DropAreas(begin, end);
  for (u32 i = 0; i < p.excluded_count; ++i)
    if (p.excluded[i].begin == begin && p.excluded[i].end == end)
      return;
  if (p.excluded_count < kMaxExcluded)
    p.excluded[p.excluded_count++] = {begin, end};
}

} // namespace pagetide
