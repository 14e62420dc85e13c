//===- heap.cpp - What the allocator moves, and sorting -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An allocator touches its own bookkeeping, which is libc's and is not marked.
// It also touches the program's bytes if calloc clears them or realloc moves
// them. The header of a block of glibc's allocator says what was done. What
// another allocator did is marked as may.
//
// The loader and libc call these functions too, and early.

#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/syscall_macros.h"
#include "platform/mapping_changes.h"
#include "shadow/call_sites.h"
#include "shadow/marking.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"

using namespace pagetide;

extern "C" {
void *malloc(SIZE_T n) noexcept;
void *__libc_malloc(SIZE_T n);
void *__libc_calloc(SIZE_T n, SIZE_T bytes);
void *__libc_realloc(void *p, SIZE_T n);
void *sbrk(sptr n) noexcept;
}

//===- The allocator ------------------------------------------------------===//

/// True if the program's allocator is glibc's. (The asm keeps the compiler from
/// assuming that two names are two functions.)
static bool AllocatorIsGlibcs() {
  void *used = (void *)malloc;
  asm("" : "+r"(used));
  return used == (void *)__libc_malloc;
}

namespace {
/// glibc's header in front of a block: its size, whether it is a mapping of its
/// own, and whether it is from another arena than the first.
struct Block {
  explicit Block(void *p) {
    u64 header = ((const u64 *)p)[-1];
    mapped = header & 2;
    other_arena = header & 4;
    usable = (header & ~u64{7}) - (mapped ? 16 : 8);
  }
  bool mapped, other_arena;
  uptr usable;
};
} // namespace

/// True if a block has room for n bytes: then realloc leaves it in its place.
static bool IsEnough(void *p, uptr n) {
  const Block block(p);
  return !block.mapped && n <= block.usable;
}

PAGETIDE_INTERCEPTOR(void *, calloc, SIZE_T n, SIZE_T bytes) {
  const bool glibcs = AllocatorIsGlibcs();
  if (!Active() && glibcs)
    return __libc_calloc(n, bytes);
  OnInterceptedCall();
  const uptr end_before = glibcs ? (uptr)sbrk(0) : 0;
  void *p = RESOLVED(calloc)(n, bytes);
  if (!p || !ShadowReady())
    return p;
  if (!glibcs) {
    MarkMayWrite((uptr)p, n * bytes);
    return p;
  }
  const Block block(p);
  if (block.mapped) { // fresh from the kernel
    NoteMappingChange((uptr)p, block.usable);
    return p;
  }
  if (block.other_arena) { // a part may be fresh from the kernel
    MarkMayWrite((uptr)p, block.usable);
    return p;
  }
  // glibc does not clear memory that it has just added to the heap, unless the
  // heap had that memory before.
  const uptr cleared_to = (uptr)sbrk(0) == end_before
                              ? (uptr)p + block.usable
                              : Min((uptr)p + block.usable, end_before);
  if (cleared_to > (uptr)p)
    MarkWrite((uptr)p, cleared_to - (uptr)p);
  MarkMayWrite((uptr)p, block.usable);
  return p;
}

/// For engines without a shadow: the kernel moves a block that is a mapping.
static void *ReallocNotingMove(void *p, SIZE_T n) {
  const Block before(p);
  if (!before.mapped)
    return __libc_realloc(p, n);
  const ChangingMappings changing(/*may_share=*/true);
  void *moved = __libc_realloc(p, n);
  if (moved && moved != p)
    NoteMappingChange(PageDown((uptr)moved), before.usable, Writers::kOwn,
                      PageDown((uptr)p));
  return moved;
}

PAGETIDE_INTERCEPTOR(void *, realloc, void *p, SIZE_T n) {
  const bool glibcs = AllocatorIsGlibcs();
  if (p && n && glibcs && ControlReady() && !ShadowReady())
    return ReallocNotingMove(p, n);
  if (!Active() && glibcs)
    return __libc_realloc(p, n);
  OnInterceptedCall();
  if (!p || !n || !ShadowReady())
    return RESOLVED(realloc)(p, n);
  if (glibcs && IsEnough(p, n))
    return RESOLVED(realloc)(p, n);
  InFlight in_flight(nullptr, kAnywhere);
  if (!glibcs) {
    void *moved = RESOLVED(realloc)(p, n);
    if (moved && moved != p) // how much was copied is unknown
      MarkMayWrite((uptr)moved, n);
    return moved;
  }
  const Block before(p);
  void *moved = RESOLVED(realloc)(p, n);
  if (!moved)
    return moved;
  const Block after(moved);
  if (before.mapped && moved != p)
    NoteMappingChange((uptr)p, before.usable);
  else if (before.mapped && after.usable < before.usable) // unmapped its end
    NoteMappingChange((uptr)p + after.usable, before.usable - after.usable);
  if (moved == p)
    return moved;
  if (before.mapped && after.mapped) { // the kernel moved the pages
    NoteMappingChange((uptr)moved, after.usable);
    return moved;
  }
  const uptr copied = Min(before.usable, after.usable);
  MarkRead((uptr)p, copied);
  MarkWrite((uptr)moved, copied);
  return moved;
}
PAGETIDE_INTERCEPTOR(void *, reallocarray, void *p, SIZE_T n, SIZE_T size) {
  SIZE_T bytes;
  return __builtin_mul_overflow(n, size, &bytes)
             ? RESOLVED(reallocarray)(p, n, size)
             : WRAP(realloc)(p, bytes);
}

PAGETIDE_AFTER(int, posix_memalign, (void **p, SIZE_T alignment, SIZE_T n),
               (p, alignment, n), if (!result) DidWriteAt(p))

//===- Sorting ------------------------------------------------------------===//

namespace {
/// Tells which granules of a range have changed. Others may have been written
/// too, because libc does not say which elements it moved: they are marked as
/// may.
class Changes {
public:
  Changes(void *p, uptr bytes) : p_((uptr)p), bytes_(bytes) {
    uptr n = GranuleOf(p_ + bytes - 1) - GranuleOf(p_) + 1;
    if (n > kFew)
      sums_ = (u64 *)__sanitizer::InternalAlloc(n * sizeof(u64));
    ForEach([&](uptr i, uptr at, uptr part) { sums_[i] = Sum(at, part); });
  }
  ~Changes() {
    if (sums_ != few_)
      __sanitizer::InternalFree(sums_);
  }
  Changes(const Changes &) = delete;
  Changes &operator=(const Changes &) = delete;

  void Mark() {
    ForEach([&](uptr i, uptr at, uptr part) {
      if (sums_[i] != Sum(at, part)) {
        MarkRead(at, part);
        MarkWrite(at, part);
      } else {
        MarkMayRead(at, part);
        MarkMayWrite(at, part);
      }
    });
  }

private:
  static constexpr uptr kFew = 32;
  template <typename Do> void ForEach(Do what) {
    const uptr granule = uptr{1} << shadow.granule_shift;
    uptr i = 0;
    for (uptr at = p_; at < p_ + bytes_; ++i) {
      uptr next = (at / granule + 1) * granule;
      uptr end = Min(next, p_ + bytes_);
      what(i, at, end - at);
      at = end;
    }
  }
  /// A weak hash is enough: equal sums of different bytes only turn a certain
  /// mark into a may.
  static u64 Sum(uptr at, uptr bytes) {
    using Unaligned __attribute__((aligned(1), may_alias)) = u64;
    u64 sum = bytes;
    for (; bytes >= 8; at += 8, bytes -= 8)
      sum = (sum ^ *(const Unaligned *)at) * 0x9E3779B97F4A7C15ull;
    for (; bytes; ++at, --bytes)
      sum = (sum ^ *(const u8 *)at) * 0x9E3779B97F4A7C15ull;
    return sum ^ sum >> 32;
  }
  uptr p_, bytes_;
  u64 few_[kFew];
  u64 *sums_ = few_;
};

// In a function of its own: without marks the comparison throws through a frame
// that holds nothing.
template <typename Sort>
__attribute__((noinline)) void SortInFlight(void *p, uptr bytes, Sort sort) {
  InFlight in_flight(p, bytes);
  Changes changes(p, bytes);
  MayHaveWritten(p, bytes); // in case the comparison never returns
  {
    const KeptCaller kept;
    sort();
  }
  changes.Mark();
}
template <typename Sort>
void MarkedSort(void *p, uptr n, uptr bytes, Sort sort) {
  if (!ShadowReady() || n < 2 || !bytes)
    sort();
  else
    SortInFlight(p, n * bytes, sort);
}
} // namespace

using Compare = int (*)(const void *, const void *);
using CompareWith = int (*)(const void *, const void *, void *);

// The comparison is the program's code, and marks its own accesses.
PAGETIDE_INTERCEPTOR(void, qsort, void *p, SIZE_T n, SIZE_T bytes,
                     Compare compare) {
  OnInterceptedCall();
  MarkedSort(p, n, bytes, [=] { RESOLVED(qsort)(p, n, bytes, compare); });
}
PAGETIDE_INTERCEPTOR(void, qsort_r, void *p, SIZE_T n, SIZE_T bytes,
                     CompareWith compare, void *with) {
  OnInterceptedCall();
  MarkedSort(p, n, bytes,
             [=] { RESOLVED(qsort_r)(p, n, bytes, compare, with); });
}
PAGETIDE_INTERCEPTOR(void *, lsearch, const void *key, void *p, SIZE_T *n,
                     SIZE_T bytes, Compare compare) {
  OnInterceptedCall();
  const SIZE_T before = ValueAt(n);
  void *found = RESOLVED(lsearch)(key, p, n, bytes, compare);
  if (!ShadowReady())
    return found;
  DidReadAt(n);
  if (*n != before) { // the element was appended
    DidWriteAt(n);
    DidRead(key, bytes);
    DidWrite(found, bytes);
  }
  return found;
}
PAGETIDE_AFTER(void *, lfind,
               (const void *key, const void *p, SIZE_T *n, SIZE_T bytes,
                Compare compare),
               (key, p, n, bytes, compare), DidReadAt(n))
