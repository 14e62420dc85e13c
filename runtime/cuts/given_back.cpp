//===- given_back.cpp - Memory that vanishes without a mark ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/given_back.h"

#include "engines/audit_writes.h"
#include "platform/fork_reset.h"
#include "platform/mapping_changes.h"
#include "platform/program_memory.h"
#include "platform/uffd_wp.h"
#include "shadow/shadow.h"

#include "sanitizer_common/sanitizer_common.h"

#include <errno.h>
#include <sys/syscall.h>

namespace pagetide {

using __sanitizer::Max;
using __sanitizer::Min;

PAGETIDE_RECORDER_STATE static AsyncProtection pagemap; // without protection
PAGETIDE_RECORDER_STATE static PageVec<uptr> addresses;
PAGETIDE_RECORDER_STATE static PageVec<int> places;
/// Of the pages that are counted, by their indices.
PAGETIDE_RECORDER_STATE static PageVec<u16> counts;
PAGETIDE_RECORDER_STATE static PageVec<uptr> scattered;

static uptr Begin(const PageHash &page) {
  return PageDown(page.granule << shadow.unit_shift);
}

static uptr PagesOfUnit() {
  return shadow.unit_shift > kPageShift
             ? uptr{1} << (shadow.unit_shift - kPageShift)
             : 1;
}

//===- Pages that lie near each other -------------------------------------===//

// One request looks at 512 neighbours in the time that it takes to ask for 10
// pages by their addresses (PAGEMAP_SCAN: 10 ns a page; move_pages: 150 ns; a
// system call: 700 ns).
constexpr uptr kSmallGap = 32 * kPageBytes;
constexpr uptr kFew = 12;

/// Nothing of the program's own is there: no page, or the page of zeros. (To
/// tell pages of files the kernel would look at its account of each page, which
/// takes ten times as long.)
static PageQuery Absent() {
  using namespace kernel;
  return {0, kPagePresent, 0, kPagePresent | kPagePfnZero, kPagePresent};
}

/// Counts the pages of [first, last] of `asked`. False if the kernel does not
/// tell.
static bool CountNear(const PageVec<PageHash> &pages,
                      const PageVec<uptr> &asked, uptr first, uptr last) {
  const uptr bytes = PagesOfUnit() * kPageBytes;
  if (pagemap.OpenPagemap())
    return false;
  for (uptr i = first; i <= last; ++i)
    counts[i] = (u16)PagesOfUnit();
  uptr at = first;
  return !pagemap.Scan(
      Begin(pages[asked[first]]), Begin(pages[asked[last]]) + bytes, Absent(),
      [&](const kernel::PageRegion &absent) {
        while (at <= last && Begin(pages[asked[at]]) + bytes <= absent.start)
          ++at;
        for (uptr i = at; i <= last; ++i) {
          const uptr begin = Begin(pages[asked[i]]);
          if (begin >= absent.end)
            break;
          const uptr from = Max(begin, (uptr)absent.start);
          const uptr to = Min(begin + bytes, (uptr)absent.end);
          counts[i] -= (u16)((to - from) >> kPageShift);
        }
      });
}

//===- Other pages --------------------------------------------------------===//

/// Counts those of `scattered`, which are indices of `asked`. False if the
/// system has no such request. If one fails, none of its pages is present.
static bool CountScattered(const PageVec<PageHash> &pages,
                           const PageVec<uptr> &asked) {
  constexpr uptr kThisProcess = 0, kMoveNone = 0;
  const uptr each = PagesOfUnit();
  addresses.clear();
  for (const uptr i : scattered)
    for (uptr page = 0; page < each; ++page)
      addresses.push_back(Begin(pages[asked[i]]) + page * kPageBytes);
  places.resize(addresses.size());
  if (addresses.empty())
    return true;
  const uptr result =
      Syscall(SYS_move_pages, kThisProcess, addresses.size(),
              (uptr)addresses.data(), kMoveNone, (uptr)places.data(), 0);
  if (Failed(result))
    return ErrnoOf(result) != ENOSYS && ErrnoOf(result) != EPERM;
  for (uptr n = 0; n < scattered.size(); ++n)
    for (uptr page = 0; page < each; ++page)
      counts[scattered[n]] += places[n * each + page] >= 0;
  return true;
}

/// Sets `counts` for the pages with these indices. False if nobody can tell.
static bool CountPresent(const PageVec<PageHash> &pages,
                         const PageVec<uptr> &asked) {
  counts.clear();
  for (uptr i = 0; i < asked.size(); ++i)
    counts.push_back(0);
  // A filter may end the process for a call that it does not know.
  if (UnderSystemCallFilter())
    return false;
  const uptr bytes = PagesOfUnit() * kPageBytes;
  scattered.clear();
  for (uptr first = 0, next; first < asked.size(); first = next) {
    for (next = first + 1;
         next < asked.size() &&
         Begin(pages[asked[next]]) <=
             Begin(pages[asked[next - 1]]) + bytes + kSmallGap;
         ++next) {
    }
    if ((next - first) * PagesOfUnit() > kFew &&
        CountNear(pages, asked, first, next - 1))
      continue;
    for (uptr i = first; i < next; ++i) {
      counts[i] = 0;
      scattered.push_back(i);
    }
  }
  return CountScattered(pages, asked);
}

//===- Interface ----------------------------------------------------------===//

PAGETIDE_RECORDER_STATE static PageVec<uptr> asked;

/// The hash of a granule of at most one page that holds zeros; 0 if it is not
/// known.
static u64 HashOfZeros() {
  PAGETIDE_RECORDER_STATE static u64 hash;
  PAGETIDE_RECORDER_STATE static u32 of_shift;
  PAGETIDE_RECORDER_STATE static PageVec<PageHash> zeros;
  if (of_shift == shadow.unit_shift)
    return hash;
  void *page = MapAnonymous(kPageBytes);
  if (!page)
    return 0;
  zeros.clear();
  zeros.push_back({UnitOf((uptr)page), 0, ChecksumState::kStable});
  HashPages(GetTidRaw(), zeros);
  Unmap(page, kPageBytes);
  hash = zeros[0].hash;
  of_shift = shadow.unit_shift;
  return hash;
}

void NotePresent(PageVec<PageHash> &pages, bool was_hashed) {
  if (PagesOfUnit() == 1) {
    for (PageHash &page : pages)
      page.present = !was_hashed || page.hash != HashOfZeros();
    return;
  }
  asked.clear();
  for (uptr i = 0; i < pages.size(); ++i)
    if (pages[i].state == ChecksumState::kStable &&
        pages[i].present < PagesOfUnit())
      asked.push_back(i);
  if (!CountPresent(pages, asked))
    return;
  for (uptr i = 0; i < asked.size(); ++i)
    pages[asked[i]].present = Max(pages[asked[i]].present, counts[i]);
}

void ExpectPresent(PageVec<PageHash> &pages) {
  for (PageHash &page : pages)
    page.present = (u16)PagesOfUnit();
}

void ListGivenBack(const PageVec<PageHash> &pages, PageVec<u64> &granules) {
  PAGETIDE_RECORDER_STATE static PageVec<AddressRange> of_program;
  of_program.clear();
  // With option kernel_writes, code whose calls nobody sees counts too.
  if (!WatchingKernelWrites())
    ListMappingsOfProgram(of_program);
  const uptr bytes = PagesOfUnit() * kPageBytes;
  uptr next = 0;
  granules.clear();
  asked.clear();
  for (uptr i = 0; i < pages.size(); ++i) {
    const uptr begin = Begin(pages[i]);
    while (next < of_program.size() && of_program[next].end <= begin)
      ++next;
    const bool is_of_program = next < of_program.size() &&
                               of_program[next].begin <= begin &&
                               begin + bytes <= of_program[next].end;
    if (pages[i].state == ChecksumState::kStable && pages[i].present &&
        !is_of_program)
      asked.push_back(i);
  }
  if (!CountPresent(pages, asked))
    return;
  for (uptr i = 0; i < asked.size(); ++i)
    if (counts[i] < pages[asked[i]].present)
      granules.push_back(pages[asked[i]].granule);
}

} // namespace pagetide
