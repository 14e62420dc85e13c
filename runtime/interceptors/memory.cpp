//===- memory.cpp - memcpy and the like, with marks -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// This file defines memcpy and the like: no header may rename them.
#define SANITIZER_COMMON_NO_REDEFINE_BUILTINS

#include "interceptors/memory.h"

#include "arch/vectors.h"
#include "interceptors/interceptor.h"
#include "platform/internal_mem.h"
#include "shadow/call_sites.h"
#include "shadow/marking.h"

using namespace pagetide;

DECLARE_REAL(void *, memcpy, void *d, const void *s, SIZE_T n)
DECLARE_REAL(void *, memmove, void *d, const void *s, SIZE_T n)
DECLARE_REAL(void *, memset, void *d, int c, SIZE_T n)
DECLARE_REAL(int, memcmp, const void *a, const void *b, SIZE_T n)

namespace pagetide {

//===- Any length, at any time --------------------------------------------===//

template <typename Move>
static inline void MoveForward(uptr d, uptr s, uptr n, Move move) {
  for (uptr at = 0; at < n; at += kStep) {
    uptr bytes = n - at < kStep ? n - at : kStep;
    MarkRead(s + at, bytes);
    MarkWrite(d + at, bytes);
    move(d + at, s + at, bytes);
  }
}

void *AnyMemcpy(void *d, const void *s, uptr n) {
  if (!ShadowReady())
    return InternalMemcpy(d, s, n);
  MoveForward((uptr)d, (uptr)s, n, [](uptr to, uptr from, uptr bytes) {
    Active() ? REAL(memcpy)((void *)to, (const void *)from, bytes)
             : InternalMemcpy((void *)to, (const void *)from, bytes);
  });
  return d;
}

void *AnyMemmove(void *d, const void *s, uptr n) {
  if (!ShadowReady())
    return InternalMemmove(d, s, n);
  auto move = [](uptr to, uptr from, uptr bytes) {
    Active() ? REAL(memmove)((void *)to, (const void *)from, bytes)
             : InternalMemmove((void *)to, (const void *)from, bytes);
  };
  uptr to = (uptr)d, from = (uptr)s;
  if (to <= from || to >= from + n) {
    MoveForward(to, from, n, move);
    return d;
  }
  // The target overlaps the end of the source, so the last step is done first.
  for (uptr left = n; left;) {
    uptr bytes = left < kStep ? left : kStep;
    left -= bytes;
    MarkRead(from + left, bytes);
    MarkWrite(to + left, bytes);
    move(to + left, from + left, bytes);
  }
  return d;
}

void *AnyMemset(void *d, int c, uptr n) {
  if (!ShadowReady())
    return InternalMemset(d, c, n);
  for (uptr at = 0; at < n; at += kStep) {
    uptr bytes = n - at < kStep ? n - at : kStep;
    u8 *to = (u8 *)d + at;
    MarkWrite((uptr)to, bytes);
    Active() ? REAL(memset)(to, c, bytes) : InternalMemset(to, c, bytes);
  }
  return d;
}

using Unaligned __attribute__((aligned(1), may_alias)) = u64;

/// How many of n bytes a comparison reads: up to the first difference.
static inline uptr ComparedBytes(const u8 *a, const u8 *b, uptr n) {
  uptr i = 0;
  for (; i + kBlock <= n; i += kBlock)
    if (u32 different = Differences(a + i, b + i))
      return i + (uptr)__builtin_ctz(different) + 1;
  if (i + 8 <= n) {
    if (u64 different =
            *(const Unaligned *)(a + i) ^ *(const Unaligned *)(b + i))
      return i + (uptr)__builtin_ctzll(different) / 8 + 1;
    i += 8;
  }
  for (; i < n; ++i)
    if (a[i] != b[i])
      return i + 1;
  return n;
}

int AnyMemcmp(const void *a, const void *b, uptr n) {
  for (uptr at = 0; at < n; at += kStep) {
    uptr bytes = n - at < kStep ? n - at : kStep;
    const u8 *x = (const u8 *)a + at, *y = (const u8 *)b + at;
    uptr compared = ComparedBytes(x, y, bytes);
    DidReadBoth(x, y, compared);
    if (x[compared - 1] != y[compared - 1])
      return x[compared - 1] - y[compared - 1];
  }
  return 0;
}

// These go on in the versions without `site`, which take it from NamedSite.
void *AnyMemcpyAt(void *d, const void *s, uptr n, u32 site) {
  NamedSite named(site);
  return MarkedMemcpy(d, s, n);
}
void *AnyMemmoveAt(void *d, const void *s, uptr n, u32 site) {
  NamedSite named(site);
  return MarkedMemmove(d, s, n);
}
void *AnyMemsetAt(void *d, int c, uptr n, u32 site) {
  NamedSite named(site);
  return MarkedMemset(d, c, n);
}

MemoryFunctions memory_functions;

//===- Short calls, within two granules of 4 KiB --------------------------===//

namespace {
/// Cells of one byte.
struct PlainCells {
  static constexpr uptr kBytes = 1;

  static bool Known() { return true; }
  static void Store(uptr offset) { StoreMarked(offset); }
};

/// Cells that hold ids of sites.
struct SiteCells {
  static constexpr uptr kBytes = sizeof(u32);

  SiteCells() : site(KnownSiteOfCaller()) {}
  explicit SiteCells(u32 site) : site(site) {}
  bool Known() const { return site; }
  void Store(uptr offset) const { StoreSite(offset, site); }

  u32 site; ///< 0: it has to be looked up
};

/// For granules of 2^12 bytes. All shifts are constants. Up to 4 KiB are in at
/// most two granules: those of the first and the last byte.
template <abi::Layout kLayout, unsigned kCellShift, typename Cells>
struct Short {
  static constexpr uptr kGranuleBytes = uptr{1} << abi::kDefaultGranuleShift;
  static constexpr bool kMarksReads = abi::records_reads(kLayout);

  static uptr OffsetOf(uptr address, unsigned cell) {
    return ((address >> abi::kDefaultGranuleShift
                            << (abi::kDefaultGranuleShift - kCellShift)) *
                abi::cells_per_index(kLayout) +
            cell) *
           Cells::kBytes;
  }
  static void Mark(Cells cells, uptr address, uptr n, unsigned cell) {
    StoreEnds(OffsetOf(address, cell), OffsetOf(address + (n - 1), cell),
              [=](uptr offset) { cells.Store(offset); });
  }
  static void Read(Cells cells, const void *p, uptr n) {
    if constexpr (kMarksReads)
      Mark(cells, (uptr)p, n, abi::read_cell(kLayout));
  }
  static void Write(Cells cells, const void *p, uptr n) {
    Mark(cells, (uptr)p, n, abi::write_cell(kLayout));
  }

  static bool Takes(const void *a, const void *b, uptr n) {
    return AreShort((uptr)a, (uptr)b, n, kGranuleBytes);
  }

  /// memcpy or memmove: the function for any range, and the real one.
  template <auto kAny, auto &kReal>
  static void *Copy(void *d, const void *s, uptr n) {
    const Cells cells;
    if (!Takes(d, s, n) || !cells.Known())
      return kAny(d, s, n);
    Read(cells, s, n);
    Write(cells, d, n);
    return kReal(d, s, n);
  }
  static void *Memset(void *d, int c, uptr n) {
    const Cells cells;
    if (!Takes(d, d, n) || !cells.Known())
      return AnyMemset(d, c, n);
    Write(cells, d, n);
    return REAL(memset)(d, c, n);
  }
  static int Memcmp(const void *a, const void *b, uptr n) {
    const Cells cells;
    if (!Takes(a, b, n) || !cells.Known())
      return AnyMemcmp(a, b, n);
    const u8 *x = (const u8 *)a, *y = (const u8 *)b;
    const uptr compared = ComparedBytes(x, y, n);
    Read(cells, x, compared);
    Read(cells, y, compared);
    return x[compared - 1] - y[compared - 1];
  }
  /// For strings that differ, or end, within the first block: names of types,
  /// keys.
  static int Strncmp(const char *a, const char *b, uptr most) {
    const Cells cells;
    const u8 *x = (const u8 *)a, *y = (const u8 *)b;
    // Strings of no characters may be anywhere.
    if (!most || !BlocksStayInPages(x, y) || !Takes(x, y, kBlock) ||
        !cells.Known())
      return AnyStrncmp(a, b, most);
    const u32 hits = DifferencesOrEnds(x, y);
    const uptr n = (uptr)__builtin_ctz(hits | 1u << kBlock);
    if (n >= Min(most, kBlock))
      return AnyStrncmp(a, b, most);
    // A block is in one granule, so its first byte stands for all.
    Read(cells, x, 1);
    Read(cells, y, 1);
    return x[n] - y[n];
  }

  static MemoryFunctions All() {
    return {Copy<AnyMemcpy, REAL(memcpy)>, Copy<AnyMemmove, REAL(memmove)>,
            Memset, kMarksReads ? Memcmp : REAL(memcmp),
            kMarksReads ? Strncmp : AnyStrncmp};
  }
};

/// The same where the call says its site.
template <abi::Layout kLayout>
struct ShortAt : Short<kLayout, abi::kDefaultGranuleShift, SiteCells> {
  template <auto kAny, auto &kReal>
  static void *CopyAt(void *d, const void *s, uptr n, u32 site) {
    if (!ShortAt::Takes(d, s, n))
      return kAny(d, s, n, site);
    ShortAt::Read(SiteCells(site), s, n);
    ShortAt::Write(SiteCells(site), d, n);
    return kReal(d, s, n);
  }
  static void *MemsetAt(void *d, int c, uptr n, u32 site) {
    if (!ShortAt::Takes(d, d, n))
      return AnyMemsetAt(d, c, n, site);
    ShortAt::Write(SiteCells(site), d, n);
    return REAL(memset)(d, c, n);
  }

  static MemoryFunctions All() {
    MemoryFunctions all = ShortAt::Short::All();
    all.memcpy_at = CopyAt<AnyMemcpyAt, REAL(memcpy)>;
    all.memmove_at = CopyAt<AnyMemmoveAt, REAL(memmove)>;
    all.memset_at = MemsetAt;
    return all;
  }
};
} // namespace

template <unsigned kCellShift> static MemoryFunctions ShortOnes() {
  switch (shadow.layout) {
  case abi::Layout::kRw:
    return Short<abi::Layout::kRw, kCellShift, PlainCells>::All();
  case abi::Layout::kAccess:
    return Short<abi::Layout::kAccess, kCellShift, PlainCells>::All();
  default:
    break;
  }
  return Short<abi::Layout::kWrite, kCellShift, PlainCells>::All();
}

/// There is no layout with sites of writes alone, and none of precision near.
static MemoryFunctions ShortOnesWithSites() {
  return shadow.layout == abi::Layout::kRw
             ? ShortAt<abi::Layout::kRw>::All()
             : ShortAt<abi::Layout::kAccess>::All();
}

UsualMemoryFunctions usual_memory_functions;

void ChooseMemoryFunctions() {
  if (!Active())
    return;
  // Atomic, because other threads may be calling them.
  const auto publish = [](auto &function, auto version) {
    __atomic_store_n(&function, version, __ATOMIC_RELEASE);
  };
  const auto find = [=](UsualAddresses &usual, const char *name) {
    const UsualAddresses found = FindUsualAddresses(name);
    publish(usual.by_name, found.by_name);
    publish(usual.in_libc, found.in_libc);
  };
  find(usual_memory_functions.memcpy, "memcpy");
  find(usual_memory_functions.memmove, "memmove");
  find(usual_memory_functions.memset, "memset");
  MemoryFunctions chosen = {};
  if (!ShadowReady())
    chosen = {REAL(memcpy), REAL(memmove), REAL(memset), REAL(memcmp),
              AnyStrncmp};
  else if (shadow.granule_shift != abi::kDefaultGranuleShift)
    chosen = {AnyMemcpy, AnyMemmove, AnyMemset, AnyMemcmp, AnyStrncmp};
  else if (shadow.with_sites)
    chosen = ShortOnesWithSites();
  else if (shadow.cells_per_granule_shift)
    chosen = ShortOnes<abi::kNearCellShift>();
  else
    chosen = ShortOnes<abi::kDefaultGranuleShift>();
  publish(memory_functions.memcpy, chosen.memcpy);
  publish(memory_functions.memmove, chosen.memmove);
  publish(memory_functions.memset, chosen.memset);
  publish(memory_functions.memcmp, chosen.memcmp);
  publish(memory_functions.strncmp, chosen.strncmp);
  publish(memory_functions.memcpy_at, chosen.memcpy_at);
  publish(memory_functions.memmove_at, chosen.memmove_at);
  publish(memory_functions.memset_at, chosen.memset_at);
}
PAGETIDE_WHEN_RESOLVED(ChooseMemoryFunctions, false)

} // namespace pagetide

//===- The interceptors ---------------------------------------------------===//

PAGETIDE_INTERCEPTOR(void *, memcpy, void *d, const void *s, SIZE_T n) {
  return MarkedMemcpy(d, s, n);
}
PAGETIDE_INTERCEPTOR(void *, memmove, void *d, const void *s, SIZE_T n) {
  return MarkedMemmove(d, s, n);
}
PAGETIDE_INTERCEPTOR(void *, memset, void *d, int c, SIZE_T n) {
  return MarkedMemset(d, c, n);
}
PAGETIDE_MARKED(void *, mempcpy, (void *d, const void *s, SIZE_T n),
                (u8 *)MarkedMemcpy(d, s, n) + n)
PAGETIDE_INTERCEPTOR(void, bcopy, const void *s, void *d, SIZE_T n) {
  OnInterceptedCall();
  MarkedMemmove(d, s, n);
}
PAGETIDE_INTERCEPTOR(void, bzero, void *d, SIZE_T n) {
  OnInterceptedCall();
  MarkedMemset(d, 0, n);
}

// With _FORTIFY_SOURCE. libc ends the program if the room is too small.
PAGETIDE_MARKED(void *, __memcpy_chk,
                (void *d, const void *s, SIZE_T n, SIZE_T room),
                n > room ? RESOLVED(__memcpy_chk)(d, s, n, room)
                         : MarkedMemcpy(d, s, n))
PAGETIDE_MARKED(void *, __memmove_chk,
                (void *d, const void *s, SIZE_T n, SIZE_T room),
                n > room ? RESOLVED(__memmove_chk)(d, s, n, room)
                         : MarkedMemmove(d, s, n))
PAGETIDE_MARKED(void *, __memset_chk, (void *d, int c, SIZE_T n, SIZE_T room),
                n > room ? RESOLVED(__memset_chk)(d, c, n, room)
                         : MarkedMemset(d, c, n))
PAGETIDE_MARKED(void *, __mempcpy_chk,
                (void *d, const void *s, SIZE_T n, SIZE_T room),
                n > room ? RESOLVED(__mempcpy_chk)(d, s, n, room)
                         : (u8 *)MarkedMemcpy(d, s, n) + n)
