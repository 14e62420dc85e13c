//===- shadow.h - The shadow memory of a process --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One memfd per process, laid out as include/pagetide/shadow_file.h says: a
// control block, a ring for page sets that are not written yet, and a slot of
// shadow per thread. This file maps the memfd and knows where its parts are.
// threads/slots.h knows which thread has which slot, and snapshot.h knows what
// the slots hold.

#pragma once

#include "pagetide/abi.h"
#include "pagetide/shadow_file.h"
#include "platform/own_memory.h"
#include "platform/syscalls.h"

namespace pagetide {

using shadow_file::InFlightKind;
using shadow_file::InFlightRange;
using shadow_file::PeriodEntry;
using shadow_file::ShadowHeader;
using shadow_file::SlotEntry;
using shadow_file::SlotState;
using shadow_file::StagedWord;
using shadow_file::StagingChunk;

/// The slot of the thread that ran the first phase.
constexpr u32 kFirstSlot = 1;

/// At most so many slots are shared by threads without a slot of their own.
constexpr u32 kMaxShared = 32;

/// Most calls touch less than a granule. Its marks are those of its first and
/// its last byte, and what they need is computed once.
struct ShortMarks {
  /// Bytes of a granule. 0 while marks are off, if marks name sites, and for
  /// reads if the layout has no marks of reads.
  uptr read_bytes;
  uptr write_bytes;
  /// Bytes of a granule if marks name sites; otherwise 0.
  uptr site_bytes;
  /// The offset of an address's cell is `address >> shift & mask`, and the
  /// offset of that cell among the granule's.
  uptr mask;
  u8 shift;
  u8 read_cell;
  u8 write_cell;
};

struct Shadow {
  /// 0 until there is a shadow.
  u32 ready;
  /// 1 while interceptors mark: there is a shadow, and marks are not switched
  /// off.
  u32 marking;
  /// 0 until there is a control block, so that the process can be recorded.
  u32 control_ready;
  abi::ModuleInfo module; ///< what every module must agree on (flags: or-ed)
  abi::Layout layout;     ///< the plain layout: what cells say besides sites
  bool with_sites;        ///< cells hold ids of sites
  u32 cell_bytes;
  u32 cell_shift;
  u32 granule_shift;
  u32 cells_per_index;
  u32 cells_per_granule_shift; ///< log2 of a granule's cells of each kind
  /// log2 bytes of a unit. Sets, checksums and staged words are of units: of
  /// one granule, or of several if the recording was asked for that.
  u32 unit_shift;
  u32 cells_per_unit_shift; ///< log2 of a unit's cells of each kind
  u64 slot_bytes;
  ShortMarks short_marks;
  /// Threads without a slot of their own are spread over `shared_count` slots
  /// from here on.
  u32 first_shared;
  u32 shared_count;
  ShadowHeader *header;
  SlotEntry *slots;
  shadow_file::WatchedRange *watch_tables[2];
  StagingChunk *chunks;
  /// Where a slot is mapped; 0 if it is not.
  uptr slot_base[shadow_file::kMaxSlots];
  /// True if threads without a base existed when the shadow was made.
  bool threads_before;
  /// True if marks were switched on while the program ran.
  bool marks_late;
  /// The memfd in the program's table, until the recorder has taken it.
  int fd;
};

extern Shadow shadow;

inline bool ShadowReady() {
  return __atomic_load_n(&shadow.ready, __ATOMIC_ACQUIRE);
}

/// From now on interceptors mark, or do not.
void LetInterceptorsMark(bool mark);

/// True if the process can be recorded. Without a shadow, an engine that needs
/// no marks records it: then there are no slots, and the GS base is not used.
inline bool ControlReady() {
  return __atomic_load_n(&shadow.control_ready, __ATOMIC_ACQUIRE);
}

/// Creates the memfd of a process without a shadow, and maps its control block.
/// Its page sets look as if marks of `module` had made them. System calls only.
/// Dies with a message if the system refuses.
void CreateControl(const abi::ModuleInfo &module);

/// Creates the memfd for modules such as `module`, maps its control block and
/// the caller's slot, and points the calling thread's base there. System calls
/// only. Dies with a message if the system refuses.
void CreateShadow(const abi::ModuleInfo &module);

/// For a forked child, whose shadow is still its parent's. Replaces it by empty
/// memory of the child's own, with only `slot` in it, which then belongs to the
/// calling thread. Uses no descriptor: the child may need every number.
void RenewShadowInChild(u32 slot);

/// Moves the shadow of such a child to a memfd of its own, which is the lowest
/// free descriptor of the calling thread. The recorder's thread calls it as it
/// starts, while the only thread with a slot waits. Marks made so far are from
/// before recording, and are dropped. Returns 0 or an errno.
int MoveShadowToMemfd();
/// The system call that failed when a memfd could not be made.
const char *CallWithoutMemfd();

/// Where unwanted marks go (slot_bytes of memory); 0: not mapped yet.
uptr ScratchShadow();
AddressRange ScratchRange(); ///< empty while there is none
/// The same, mapped when first asked for; 0 if that fails. Async-signal-safe.
uptr EnsureScratchShadow();

/// For marks of `module` in a process that another engine records: maps memory
/// that nobody reads where a thread with a GS base of 0 marks. False if these
/// addresses are not free.
bool MapUnreadMarks(const abi::ModuleInfo &module);

/// Whether the process may have that much more address space.
bool HasAddressSpace(u64 bytes);

/// Address space that the shadow takes at the moment.
u64 ShadowBytes();
/// log2 of the addresses that shadows cover: fewer with option low_memory.
unsigned CoveredBits();

/// True if the shadow or its control block overlaps the range.
bool OverlapsShadow(uptr address, uptr bytes);

constexpr int kNoMemfd = -1;
/// Maps a slot of the memfd. Returns 0 or an errno. A caller without a
/// descriptor of the memfd maps it by mremap.
int MapSlot(u32 slot, int fd = kNoMemfd);

/// From now on the slot's thread has no call under way.
inline void EndCallsInFlight(SlotEntry &entry) {
  for (InFlightRange &range : entry.inflight)
    range.bytes = 0;
}

/// The entry of a slot whose thread has begun.
void BeginSlot(u32 slot, const ThreadIds &ids);

/// Sets the unit of the recording that begins; `shift` is not below the
/// granule's.
void SetUnit(u32 shift);

/// Bytes of the control block and the ring, mapped at shadow.header.
u64 ControlBytes();

//===- Address arithmetic -------------------------------------------------===//

inline uptr GranuleOf(uptr address) { return address >> shadow.granule_shift; }
/// The index of a granule's first cells. A certain mark there names all of the
/// granule.
inline uptr CellIndexOf(uptr granule) {
  return granule << shadow.cells_per_granule_shift;
}
inline uptr ReadCellOffset(uptr index) {
  return (index * shadow.cells_per_index + abi::read_cell(shadow.layout)) *
         shadow.cell_bytes;
}
inline uptr WriteCellOffset(uptr index) {
  return (index * shadow.cells_per_index + abi::write_cell(shadow.layout)) *
         shadow.cell_bytes;
}
inline uptr UnitOf(uptr address) { return address >> shadow.unit_shift; }
/// Bytes of a unit's cells.
inline u64 UnitCellBytes() {
  return u64{shadow.cells_per_index} * shadow.cell_bytes
         << shadow.cells_per_unit_shift;
}

/// True if [address, address+bytes) lies in the range that a shadow covers.
inline bool InShadowedRange(uptr address, uptr bytes) {
  constexpr uptr kEnd = uptr{1} << abi::kAddressBits;
  return address < kEnd && bytes <= kEnd - address;
}

} // namespace pagetide
