//===- move_memory.h - mremap of memory that the kernel watches -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To the kernel, memory that userfaultfd watches and memory that it does not
// are two mappings. mremap refuses a range of several (EFAULT). The program has
// made one, and may move it.
//
// So such a range is moved part by part. What was watched stays watched, and
// what was written stays known.

#pragma once

#include "shadow/shadow.h"

#include <errno.h>

namespace pagetide {

/// What mremap is called with.
struct MemoryMove {
  uptr address, old_bytes, bytes;
  uptr flags;
  uptr target; ///< with MREMAP_FIXED or MREMAP_DONTUNMAP
};

/// Whether somebody watches some of [begin, end).
bool AnyWatched(uptr begin, uptr end);

/// Whether the call may have moved some of the range when it fails. Then
/// MoveByParts must come in its place, not after it.
bool MustMoveByParts(const MemoryMove &move);

/// After mremap has failed with EFAULT, or in its place. Returns what mremap
/// would have returned if nobody watched the memory: an address, or minus an
/// errno.
uptr MoveByParts(const MemoryMove &move);

/// Moves memory as if nobody watched it. `real` is the program's call. Returns
/// what it returns, and sets errno as it does.
template <typename Real>
uptr MoveMemory(const MemoryMove &move, const Real &real) {
  constexpr uptr kFailed = ~uptr{0};
  if (!ControlReady())
    return real();
  if (!MustMoveByParts(move)) {
    const uptr moved = real();
    if (moved != kFailed || errno != EFAULT)
      return moved;
  }
  const uptr moved = MoveByParts(move);
  if (!Failed(moved))
    return moved;
  errno = ErrnoOf(moved);
  return kFailed;
}

} // namespace pagetide
