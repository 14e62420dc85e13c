//===- shadow.cpp - The shadow memory of a process ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shadow.h"

#include "messages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace pagetide {

using namespace shadow_file;

Shadow shadow;

constexpr u64 RoundUpToPage(u64 bytes) { return (bytes + 4095) / 4096 * 4096; }
constexpr u64 kSlotTableOffset = RoundUpToPage(sizeof(ShadowHeader));
constexpr u64 kWatchTableBytes = kMaxWatched * sizeof(WatchedRange);
constexpr u64 kWatchTablesOffset =
    RoundUpToPage(kSlotTableOffset + kMaxSlots * sizeof(SlotEntry));
constexpr u64 kChunksOffset = kWatchTablesOffset + 2 * kWatchTableBytes;

u64 ControlBytes() { return kChunksOffset + kMaxStagingBytes; }

static u64 SlotsOffset() { return ControlBytes(); }

static u64 FileBytes() {
  return SlotsOffset() + u64{kMaxSlots} * shadow.slot_bytes;
}

/// The limit on file sizes, in KiB, where it forbids the memfd; otherwise 0.
/// Beyond it ftruncate would raise SIGXFSZ, which tells nobody why.
static u64 ForbiddingSizeLimit() {
  struct rlimit limit;
  if (!Failed(Syscall(SYS_getrlimit, RLIMIT_FSIZE, (uptr)&limit)) &&
      limit.rlim_cur < FileBytes())
    return (u64)limit.rlim_cur / 1024 + 1;
  return 0;
}

/// Returns 0 or an errno.
static int MakeMemfd(int *fd) {
  constexpr uptr kCloexec = 1; // MFD_CLOEXEC
  uptr result = Syscall(SYS_memfd_create, (uptr) "pagetide-shadow", kCloexec);
  if (Failed(result))
    return ErrnoOf(result);
  *fd = (int)result;
  result = Syscall(SYS_ftruncate, (uptr)*fd, FileBytes());
  if (Failed(result))
    Syscall(SYS_close, (uptr)*fd);
  return ErrnoOf(result);
}

static int MapFile(int fd, u64 offset, u64 bytes, void *fixed, uptr *result) {
  uptr p = Syscall(SYS_mmap, (uptr)fixed, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE | (fixed ? MAP_FIXED : 0),
                   (uptr)fd, offset);
  if (Failed(p))
    return ErrnoOf(p);
  // Out of core dumps; and small pages, because marks are sparse.
  Syscall(SYS_madvise, p, bytes, MADV_DONTDUMP);
  Syscall(SYS_madvise, p, bytes, MADV_NOHUGEPAGE);
  *result = p;
  return 0;
}

[[noreturn]] static void DieNoAddressSpace(u64 bytes, int error) {
  Fatal("cannot map %llu MiB of virtual address space for the shadow: %s. It "
        "is not memory, but a limit on address space (ulimit -v) forbids it: "
        "lift the limit, or build with a coarser granule.\n",
        bytes >> 20, DescribeErrno(error));
}

static void FillHeader() {
  ShadowHeader &header = *shadow.header;
  header.version = kVersion;
  header.pid = GetPidRaw();
  header.layout = (u32)shadow.layout;
  header.cell_shift = shadow.cell_shift;
  header.granule_shift = shadow.module.granule_shift;
  header.slot_table_offset = kSlotTableOffset;
  header.watch_tables_offset = kWatchTablesOffset;
  header.chunks_offset = kChunksOffset;
  header.chunk_count = kMaxStagingBytes / kChunkBytes;
  header.slots_offset = SlotsOffset();
  header.slot_bytes = shadow.slot_bytes;
  header.slot_high = kFirstSlot;
  StoreRelease(&header.magic, kMagic);
}

void CreateShadow(const abi::ModuleInfo &module) {
  shadow.module = module;
  shadow.layout = (abi::Layout)module.layout;
  shadow.cell_shift = module.cell_shift;
  shadow.cells = abi::cells_per_index(shadow.layout);
  shadow.slot_bytes = abi::shadow_bytes(shadow.layout, shadow.cell_shift);
  if (u64 limit = ForbiddingSizeLimit())
    Fatal("cannot size the shadow memory: the limit on file sizes (ulimit -f, "
          "now %llu KiB) also governs memory files. Set it to unlimited.\n",
          limit);
  if (int error = MakeMemfd(&shadow.fd))
    Fatal("cannot create the shadow memory: memfd_create failed with %s. If a "
          "seccomp filter forbids it, allow memfd_create.\n",
          DescribeErrno(error));
  uptr control;
  if (int error = MapFile(shadow.fd, 0, ControlBytes(), nullptr, &control))
    DieNoAddressSpace(ControlBytes(), error);
  shadow.header = (ShadowHeader *)control;
  shadow.slots = (SlotEntry *)(control + kSlotTableOffset);
  for (u32 i = 0; i < 2; ++i)
    shadow.watch_tables[i] =
        (WatchedRange *)(control + kWatchTablesOffset + i * kWatchTableBytes);
  shadow.chunks = (StagingChunk *)(control + kChunksOffset);
  FillHeader();
  if (int error = MapSlot(shadow.fd, kFirstSlot))
    DieNoAddressSpace(shadow.slot_bytes, error);
  BeginSlot(kFirstSlot, GetTidRaw());
  SetShadowBase(shadow.slot_base[kFirstSlot]);
  struct stat tasks;
  shadow.threads_before =
      Failed(Syscall(SYS_newfstatat, (uptr)AT_FDCWD, (uptr) "/proc/self/task",
                     (uptr)&tasks, 0)) ||
      tasks.st_nlink > 3; // the directory, its parent and one thread
  StoreRelease(&shadow.ready, 1);
}

int MapSlot(int fd, u32 slot) {
  uptr base;
  int error = MapFile(fd, SlotsOffset() + u64{slot} * shadow.slot_bytes,
                      shadow.slot_bytes, nullptr, &base);
  if (error)
    return error;
  __atomic_store_n(&shadow.slot_base[slot], base, __ATOMIC_RELEASE);
  return 0;
}

void BeginSlot(u32 slot, u32 tid) {
  SlotEntry &entry = shadow.slots[slot];
  entry.tid = tid;
  entry.process = GetPidRaw();
  entry.start_ns = MonotonicNs();
  entry.end_ns = 0;
  entry.inflight_bytes = 0;
  ++entry.generation;
  if (shadow.header->slot_high <= slot)
    shadow.header->slot_high = slot + 1;
  StoreRelease(&entry.state, (u32)SlotState::kLive);
}

/// Anonymous memory over what was the parent's.
static void MapPrivate(void *fixed, u64 bytes) {
  Syscall(SYS_mmap, (uptr)fixed, bytes, PROT_READ | PROT_WRITE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, (uptr)-1, 0);
}

bool RenewShadowInChild(u32 slot) {
  // The slots of threads that fork left behind.
  for (u32 i = 0; i < kMaxSlots; ++i)
    if (i != slot && shadow.slot_base[i]) {
      Unmap((void *)shadow.slot_base[i], shadow.slot_bytes);
      shadow.slot_base[i] = 0;
    }
  void *base = (void *)shadow.slot_base[slot];
  uptr mapped;
  bool ok = !ForbiddingSizeLimit() && !MakeMemfd(&shadow.fd);
  if (ok && (MapFile(shadow.fd, 0, ControlBytes(), shadow.header, &mapped) ||
             MapFile(shadow.fd, SlotsOffset() + u64{slot} * shadow.slot_bytes,
                     shadow.slot_bytes, base, &mapped))) {
    Syscall(SYS_close, (uptr)shadow.fd);
    ok = false;
  }
  if (!ok) {
    shadow.fd = -1;
    MapPrivate(shadow.header, ControlBytes());
    MapPrivate(base, shadow.slot_bytes);
  }
  FillHeader();
  BeginSlot(slot, GetTidRaw());
  return ok;
}

//===- Marks --------------------------------------------------------------===//

template <typename StoreFn>
static inline void ForEachIndex(uptr address, uptr bytes, StoreFn store) {
  if (!bytes || !InShadowedRange(address, bytes))
    return;
  uptr last = CellIndex(address + bytes - 1);
  for (uptr index = CellIndex(address); index <= last; ++index)
    store(index);
}

void MarkRead(uptr address, uptr bytes) {
  if (!abi::records_reads(shadow.layout))
    return;
  ForEachIndex(address, bytes, [](uptr index) {
    StoreCell(ReadCellOffset(index), abi::kCellMarked);
  });
}

void MarkWrite(uptr address, uptr bytes) {
  ForEachIndex(address, bytes, [](uptr index) {
    StoreCell(WriteCellOffset(index), abi::kCellMarked);
  });
}

void MarkMayRead(uptr address, uptr bytes) {
  if (!abi::records_reads(shadow.layout))
    return;
  ForEachIndex(address, bytes, [](uptr index) {
    StoreCellIfEmpty(ReadCellOffset(index), abi::kCellMay);
  });
}

void MarkMayWrite(uptr address, uptr bytes) {
  ForEachIndex(address, bytes, [](uptr index) {
    // A handler may mark for certain in between.
    StoreCellIfEmpty(WriteCellOffset(index), abi::kCellMay);
  });
}

} // namespace pagetide
