//===- extents.h - Parts of threads' shadows, and sets of them ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// The kernel maps a shadow page by page.
constexpr u64 kShadowPageBytes = kPageBytes;

/// A part of one slot's shadow.
struct ShadowExtent {
  u32 slot;
  u64 begin; ///< byte offsets into the slot's shadow, multiples of the page
  u64 end;
};

// A set of shadow pages is a list of extents, by slot and offset, none of which
// overlap.

/// Appends a part, or joins it with the last one. It must not begin before the
/// last one begins.
template <typename List> void AppendExtent(List &list, ShadowExtent e) {
  if (!list.empty() && list.back().slot == e.slot && list.back().end >= e.begin)
    list.back().end = list.back().end > e.end ? list.back().end : e.end;
  else
    list.push_back(e);
}

/// Sets `out`, which is neither `a` nor `b`, to their union.
template <typename List> void Unite(const List &a, const List &b, List &out) {
  out.clear();
  const ShadowExtent *p = a.begin(), *q = b.begin();
  while (p != a.end() || q != b.end()) {
    const bool take_a =
        q == b.end() ||
        (p != a.end() &&
         (p->slot != q->slot ? p->slot < q->slot : p->begin < q->begin));
    AppendExtent(out, take_a ? *p++ : *q++);
  }
}

/// Sets `out`, which is neither `a` nor `b`, to `a` without `b`.
template <typename List>
void Subtract(const List &a, const List &b, List &out) {
  out.clear();
  const ShadowExtent *q = b.begin();
  for (const ShadowExtent &e : a) {
    while (q != b.end() &&
           (q->slot < e.slot || (q->slot == e.slot && q->end <= e.begin)))
      ++q;
    u64 at = e.begin;
    // A part that reaches beyond e may overlap the next one too.
    for (const ShadowExtent *r = q;
         r != b.end() && r->slot == e.slot && r->begin < e.end; ++r) {
      if (at < r->begin)
        out.push_back({e.slot, at, r->begin});
      at = r->end;
    }
    if (at < e.end)
      out.push_back({e.slot, at, e.end});
  }
}

/// Sets `out`, which is not `parts`, to `parts` with the gaps that have at most
/// `gap` bytes.
template <typename List> void FillGaps(const List &parts, u64 gap, List &out) {
  out.clear();
  for (const ShadowExtent &part : parts)
    if (!out.empty() && out.back().slot == part.slot &&
        part.begin - out.back().end <= gap)
      out.back().end = part.end;
    else
      out.push_back(part);
}

template <typename List> u64 BytesOf(const List &list) {
  u64 bytes = 0;
  for (const auto &e : list)
    bytes += e.end - e.begin;
  return bytes;
}

} // namespace pagetide
