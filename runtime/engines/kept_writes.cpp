//===- kept_writes.cpp - What was written between two keepers -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/kept_writes.h"

#include "platform/fork_reset.h"
#include "platform/uffd_wp.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <sys/mman.h>

using namespace __sanitizer;

namespace pagetide {

using trace::kKernelTouched;
using trace::kKernelWritten;

//===- The table ----------------------------------------------------------===//

namespace {
enum class Verdict : u8 {
  kNot,     ///< it was not written, or what was written is gone
  kWritten, ///< it was
  kMay,     ///< nobody can tell
  kSame,    ///< not: both have one frame, unless it was moved or has relatives
  kCompare, ///< it was if the contents differ, else it may have been
};
} // namespace

// Rows are pages of the earlier keeper, columns of the later one.
//
// - None, File, Zero -> Shared, Own, Swapped: only a write makes a page of the
//   process's own. The program has it too, if it has not written it since
//   (Shared). Reads map the file's page or the page of zeros.
// - Shared -> Shared: a frame that both have. If the program had written the
//   page, nobody else would map the earlier keeper's frame: it would be Own.
// - Shared -> Own: two frames, since a frame that both have is not Own.
// - Own -> Shared: two frames, for the same reason.
// - Own -> Own: two frames. The program has written the page before the
//   boundary and after it. But a page into which a device writes is copied for
//   each keeper, so equal contents prove nothing.
// - Anything -> None, File, Zero: what was written is gone.
// - Swapped: a keeper's page is brought back before the table is asked, if the
//   other one's page is there. So the frame shows. If both are paged out,
//   nobody knows.
static constexpr uptr kKinds = (uptr)KeptPage::kKinds;
static constexpr Verdict kNot = Verdict::kNot, kWritten = Verdict::kWritten,
                         kMay = Verdict::kMay, kSame = Verdict::kSame,
                         kCompare = Verdict::kCompare;
static constexpr Verdict kVerdicts[kKinds][kKinds] = {
    // None File Zero Shared Own       Swapped
    {kNot, kNot, kNot, kWritten, kWritten, kWritten}, // None
    {kNot, kNot, kNot, kWritten, kWritten, kWritten}, // File
    {kNot, kNot, kNot, kWritten, kWritten, kWritten}, // Zero
    {kNot, kNot, kNot, kSame, kWritten, kMay},        // Shared
    {kNot, kNot, kNot, kWritten, kCompare, kMay},     // Own
    {kNot, kNot, kNot, kMay, kMay, kMay},             // Swapped
};

//===- A part of a mapping ------------------------------------------------===//

constexpr uptr kPart = 512;

namespace {
struct Part {
  u64 first;
  uptr count;
  KeptPage before[kPart], after[kPart];
  u64 asked[kPart]; ///< pages that may be the page of zeros
  uptr asked_count;
  Verdict verdicts[kPart];
};

struct Comparison {
  /// The pages of the last keeper that are the page of zeros, and of this one.
  PageVec<u64> zeros, new_zeros;
  uptr next_zero; ///< the first of `zeros` that is not below the part
  Part part;
  u8 *contents; ///< room for pages of both
};
} // namespace

PAGETIDE_RECORDER_STATE static Comparison work;

/// Pages of which contents are read at a time.
constexpr uptr kReadTogether = 32;

static void NameZerosBefore(Part &part) {
  while (work.next_zero < work.zeros.size() &&
         work.zeros[work.next_zero] < part.first)
    ++work.next_zero;
  for (uptr i = work.next_zero;
       i < work.zeros.size() && work.zeros[i] < part.first + part.count; ++i)
    if (KeptPage &page = part.before[work.zeros[i] - part.first];
        page == KeptPage::kShared)
      page = KeptPage::kZero;
}

/// A frame that both keepers have is not the page of zeros, if it was not.
static const char *NameZerosAfter(const Keeper &after, Part &part) {
  part.asked_count = 0;
  for (uptr i = 0; i < part.count; ++i)
    if (part.after[i] == KeptPage::kShared &&
        part.before[i] != KeptPage::kShared)
      part.asked[part.asked_count++] = part.first + i;
  const int error = FindZeroPages(
      after, part.asked, part.asked_count,
      [](uptr place, void *arg) {
        Part &p = *(Part *)arg;
        p.after[p.asked[place] - p.first] = KeptPage::kZero;
        work.new_zeros.push_back(p.asked[place]);
      },
      &part);
  return error ? Missing("move_pages", error) : nullptr;
}

static void BringBackSwapped(const KeptPair &pair, Part &part) {
  for (uptr i = 0; i < part.count; ++i) {
    const bool before = part.before[i] == KeptPage::kSwapped;
    const bool after = part.after[i] == KeptPage::kSwapped;
    if (before == after || part.before[i] == KeptPage::kNone ||
        part.after[i] == KeptPage::kNone)
      continue;
    BringBack(before ? pair.before : pair.after, part.first + i);
    ReadKeptPages(pair.before, part.first + i, 1, &part.before[i]);
    ReadKeptPages(pair.after, part.first + i, 1, &part.after[i]);
  }
}

//===- Contents -----------------------------------------------------------===//

/// Whether both keepers have the same at two places. kMay if it cannot be read.
/// `pages` is at most kReadTogether.
static void CompareContents(const KeptPair &pair, uptr before, uptr after,
                            uptr pages, Verdict equal, Verdict *verdicts) {
  u8 *one = work.contents, *other = one + kReadTogether * kPageBytes;
  const bool read = ReadKept(pair.before, before, one, pages * kPageBytes) &&
                    ReadKept(pair.after, after, other, pages * kPageBytes);
  for (uptr i = 0; i < pages; ++i)
    verdicts[i] = !read ? kMay
                  : internal_memcmp(one + i * kPageBytes,
                                    other + i * kPageBytes, kPageBytes)
                      ? kWritten
                      : equal;
}

/// Replaces `verdict` by what contents say.
static void DecideByContents(const KeptPair &pair, Part &part, Verdict verdict,
                             Verdict equal) {
  for (uptr i = 0; i < part.count;) {
    uptr end = i;
    while (end < part.count && end < i + kReadTogether &&
           part.verdicts[end] == verdict)
      ++end;
    const uptr at = (part.first + i) << kPageShift;
    if (end > i)
      CompareContents(pair, at, at, end - i, equal, &part.verdicts[i]);
    i = end > i ? end : i + 1;
  }
}

//===- Moved memory -------------------------------------------------------===//

/// Where a page may have been moved to, nobody knows whether a frame is one
/// that was moved there. It was written if it differs from what was at its
/// old address, or if that frame is gone.
static Verdict VerdictOfMoved(const KeptPair &pair, u64 page, u64 source) {
  KeptPage was = KeptPage::kNone;
  ReadKeptPages(pair.before, source, 1, &was);
  if (was == KeptPage::kOwn)
    return kWritten;
  Verdict verdict = kMay; // it may have been moved there from elsewhere
  if (was == KeptPage::kShared)
    CompareContents(pair, source << kPageShift, page << kPageShift, 1, kMay,
                    &verdict);
  return verdict;
}

/// At the address that memory was moved away from, the earlier keeper's frame
/// is shared with the new address.
static Verdict VerdictOfLeft(const KeptPair &pair, u64 page) {
  Verdict verdict = kMay;
  CompareContents(pair, page << kPageShift, page << kPageShift, 1, kMay,
                  &verdict);
  return verdict;
}

static void RespectMove(const KeptPair &pair, const MappingChange &move,
                        Part &part) {
  const u64 pages = (move.end - move.begin) >> kPageShift;
  const u64 to = move.begin >> kPageShift, from = move.moved_from >> kPageShift;
  for (uptr i = 0; i < part.count; ++i) {
    const u64 page = part.first + i;
    Verdict &verdict = part.verdicts[i];
    if (part.after[i] != KeptPage::kShared)
      continue;
    if (page >= to && page < to + pages && verdict == kWritten)
      verdict = VerdictOfMoved(pair, page, page - to + from);
    if (page >= from && page < from + pages && verdict == kSame)
      verdict = VerdictOfLeft(pair, page);
  }
}

static void RespectMoves(const KeptPair &pair, Part &part) {
  if (!pair.moves) {
    for (uptr i = 0; i < part.count; ++i)
      if (part.after[i] == KeptPage::kShared && part.verdicts[i] == kWritten)
        part.verdicts[i] = kMay;
    DecideByContents(pair, part, kSame, kMay);
    return;
  }
  for (const MappingChange &change : *pair.moves)
    if (change.moved_from && change.moved_from != change.begin)
      RespectMove(pair, change, part);
}

//===- All mappings -------------------------------------------------------===//

static bool ReadPart(const KeptPair &pair, Part &part, bool &is_empty) {
  if (!ReadKeptPages(pair.after, part.first, part.count, part.after))
    return false;
  is_empty = true;
  for (uptr i = 0; i < part.count; ++i) {
    is_empty &= part.after[i] <= KeptPage::kFile;
    part.before[i] = KeptPage::kNone;
  }
  return is_empty || !pair.before.pid ||
         ReadKeptPages(pair.before, part.first, part.count, part.before);
}

static const char *ComparePart(const KeptPair &pair, Part &part,
                               PageVec<WrittenRun> &runs) {
  bool is_empty;
  if (!ReadPart(pair, part, is_empty))
    return "/proc/PID/pagemap of a keeper";
  if (is_empty)
    return nullptr;
  BringBackSwapped(pair, part);
  NameZerosBefore(part);
  if (const char *failed = NameZerosAfter(pair.after, part))
    return failed;
  if (!pair.before.pid)
    return nullptr;
  for (uptr i = 0; i < part.count; ++i)
    part.verdicts[i] = kVerdicts[(uptr)part.before[i]][(uptr)part.after[i]];
  RespectMoves(pair, part);
  DecideByContents(pair, part, kCompare, kMay);
  if (pair.relatives)
    DecideByContents(pair, part, kSame, kNot);
  for (uptr i = 0; i < part.count; ++i)
    if (part.verdicts[i] == kWritten || part.verdicts[i] == kMay)
      AddRun(runs, (part.first + i) << kPageShift,
             (part.first + i + 1) << kPageShift,
             part.verdicts[i] == kWritten ? kKernelWritten : kKernelTouched);
  return nullptr;
}

/// Why nobody can tell what is written to a mapping; null if keepers can.
static const char *WhyNotKept(const Mapping &m, const char *name) {
  if (m.shared)
    return "shared memory, which a fork does not copy";
  if (!internal_strncmp(name, "/dev/hugepages/", 15) ||
      !internal_strncmp(name, "/anon_hugepage", 14))
    return "huge pages of hugetlbfs";
  return WhyNotToTrack(name);
}

const char *ListKeptWrites(const KeptPair &pair, PageVec<WrittenRun> &runs,
                           PageVec<UntrackedRange> &untracked) {
  if (!work.contents)
    work.contents = (u8 *)MapAnonymous(2 * kReadTogether * kPageBytes, false);
  if (!work.contents)
    return Missing("memory", ENOMEM);
  work.new_zeros.clear();
  work.next_zero = 0;
  for (const Mapping &m : pair.mappings.entries) {
    const char *name = pair.mappings.NameOf(m);
    if (IsKernelPage(name))
      continue;
    if (const char *why = WhyNotKept(m, name)) {
      if (m.protection & PROT_WRITE)
        untracked.push_back({m.start, m.start + m.bytes, why});
      continue;
    }
    const u64 end = (m.start + m.bytes) >> kPageShift;
    for (u64 page = m.start >> kPageShift; page < end; page += kPart) {
      work.part.first = page;
      work.part.count = Min<u64>(kPart, end - page);
      if (const char *failed = ComparePart(pair, work.part, runs))
        return failed;
    }
  }
  work.zeros.swap(work.new_zeros);
  return nullptr;
}

} // namespace pagetide
