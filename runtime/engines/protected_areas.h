//===- protected_areas.h - Which of the program's memory is protected -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An area is memory that the program may write and that is protected. The first
// write to a page in a period lifts its protection: the page is listed as
// lifted and marked, in a shadow of layout `write`.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_PROTECTED_AREAS_H
#define PAGETIDE_RUNTIME_ENGINES_PROTECTED_AREAS_H

#include "pagetide/abi.h"
#include "platform/locks.h"
#include "platform/own_memory.h"

namespace pagetide {

struct ProtectedArea {
  uptr begin, end;
  int rights; ///< the program's
  bool open;  ///< lifted as a whole: its pages are not listed
};

constexpr uptr kMaxAreas = uptr{1} << 16;

struct Protection {
  /// Protects all fields below. Held with all signals blocked, also by the
  /// handler of faults. The thread that holds it writes only the runtime's
  /// memory.
  Lock lock;
  ProtectedArea *areas; ///< sorted, without overlaps
  uptr area_count;
  u64 *lifted; ///< pages
  uptr lifted_count;
  AddressRange *excluded; ///< where no fault can be served
  u32 excluded_count;
  u32 watching; ///< atomic; the engine has started and not stopped
  u32 starting; ///< atomic; see HoldProtection (program_events.h)
};
extern Protection protection;

/// Maps the tables, because the handler cannot. False if memory ran out.
bool MapProtectionTables();

/// Holds the lock with all signals blocked, SIGSEGV too: the runtime never
/// blocks that one elsewhere while this engine runs.
class ScopedProtectionLock {
public:
  ScopedProtectionLock();
  ~ScopedProtectionLock();
  ScopedProtectionLock(const ScopedProtectionLock &) = delete;
  ScopedProtectionLock &operator=(const ScopedProtectionLock &) = delete;

private:
  u64 saved_ = 0;
};

//===- With the lock held -------------------------------------------------===//

/// mprotect as a bare system call. Returns 0 or an errno.
int SetRights(uptr begin, uptr end, int rights);
/// Marks a page as written.
void MarkPage(u64 page, abi::CellValue value);

/// Index of the first area that ends after the address.
uptr FirstAreaAt(uptr address);
/// The area that the address lies in, or null.
ProtectedArea *AreaAt(uptr address);
/// Forgets the areas in [begin, end) and gives their pages the program's
/// rights.
void DropAreas(uptr begin, uptr end);
/// Protects memory that is not protected yet. Returns 0 or an errno.
int AddArea(uptr begin, uptr end, int rights);

/// Lifts the protection of the page at the address and marks it. False if the
/// page lies in no area.
bool LiftPage(uptr address, abi::CellValue value);

/// Excludes [begin, end) from protection until it is unmapped.
void Exclude(uptr begin, uptr end);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_PROTECTED_AREAS_H
