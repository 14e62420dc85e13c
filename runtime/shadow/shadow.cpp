//===- shadow.cpp - The shadow memory of a process ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow/shadow.h"

#include "arch/shadow_base.h"
#include "platform/deadly_calls.h"
#include "platform/environment.h"
#include "platform/errno_names.h"
#include "platform/messages.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace pagetide {

using namespace shadow_file;

Shadow shadow;

/// The most slots that a process can have before its recorder runs.
constexpr u32 kMaxMoved = 2;

static unsigned covered_bits = abi::kAddressBits;
unsigned CoveredBits() { return covered_bits; }

/// The program keeps a quarter of the address space. At most a quarter of the
/// slots that fit into the rest are shared by threads without a slot of their
/// own.
static u64 MaxShadowBytes() { return u64{3} << (CoveredBits() - 2); }

constexpr u64 kSlotTableOffset = PageUp(sizeof(ShadowHeader));
constexpr u64 kWatchTableBytes = kMaxWatched * sizeof(WatchedRange);
constexpr u64 kWatchTablesOffset =
    PageUp(kSlotTableOffset + kMaxSlots * sizeof(SlotEntry));
constexpr u64 kChunksOffset = kWatchTablesOffset + 2 * kWatchTableBytes;

u64 ControlBytes() { return kChunksOffset + kMaxStagingBytes; }

static u64 SlotsOffset() { return ControlBytes(); }

static u64 SlotOffset(u32 slot) {
  return SlotsOffset() + u64{slot} * shadow.slot_bytes;
}

static u64 FileBytes() {
  return SlotsOffset() + u64{kMaxSlots} * shadow.slot_bytes;
}

/// Sizes the memfd. The limit on file sizes governs memory files too; beyond it
/// ftruncate would raise SIGXFSZ, which gives no reason. A soft limit is raised
/// temporarily. Returns 0 or an errno.
static int SizeMemfd(int fd) {
  struct rlimit limit;
  const bool limited =
      !Failed(Syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (uptr)&limit)) &&
      limit.rlim_cur < FileBytes();
  if (!limited)
    return ErrnoOf(Syscall(SYS_ftruncate, (uptr)fd, FileBytes()));
  struct rlimit raised = {RLIM_INFINITY, limit.rlim_max};
  raised.rlim_cur = limit.rlim_max;
  if (raised.rlim_max < FileBytes() ||
      Failed(Syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, (uptr)&raised)))
    return EFBIG;
  uptr result = Syscall(SYS_ftruncate, (uptr)fd, FileBytes());
  Syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, (uptr)&limit);
  return ErrnoOf(result);
}

/// The call that made MakeMemfd fail last.
static const char *failed_call = "memfd_create";

const char *CallWithoutMemfd() { return failed_call; }

/// Returns 0 or an errno.
static int MakeMemfd(int *fd) {
  constexpr uptr kCloexec = 1; // MFD_CLOEXEC
  failed_call = "memfd_create";
  uptr result = Syscall(SYS_memfd_create, (uptr) "pagetide-shadow", kCloexec);
  if (Failed(result))
    return ErrnoOf(result);
  *fd = (int)result;
  failed_call = "ftruncate";
  int error = SizeMemfd(*fd);
  if (error)
    Syscall(SYS_close, (uptr)*fd);
  return error;
}

/// Keeps the shadow out of core dumps, and in small pages because marks are
/// sparse.
static void AdviseShadow(uptr p, u64 bytes) {
  if (KnownDeadlyCall()) // perhaps this one
    return;
  Syscall(SYS_madvise, p, bytes, MADV_DONTDUMP);
  Syscall(SYS_madvise, p, bytes, MADV_NOHUGEPAGE);
}

/// Without a file (-1) the memory is anonymous. `how` is used only with an
/// address.
static int MapFile(int fd, u64 offset, u64 bytes, void *address, uptr *result,
                   int how = MAP_FIXED) {
  const int flags = MAP_SHARED | MAP_NORESERVE | (address ? how : 0) |
                    (fd < 0 ? MAP_ANONYMOUS : 0);
  uptr p = Syscall(SYS_mmap, (uptr)address, bytes, PROT_READ | PROT_WRITE,
                   (uptr)flags, (uptr)(sptr)fd, fd < 0 ? 0 : offset);
  if (Failed(p))
    return ErrnoOf(p);
  AdviseShadow(p, bytes);
  *result = p;
  return 0;
}

[[noreturn]] static void DieNoAddressSpace(u64 bytes, int error) {
  struct rlimit limit;
  const bool limited =
      !Failed(Syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, (uptr)&limit)) &&
      limit.rlim_cur != RLIM_INFINITY;
  Fatal("cannot map %llu MiB of virtual address space for the shadow: %s. It "
        "is not memory: %s, or build with %s.\n",
        bytes >> 20, DescribeErrno(error),
        limited ? "a limit on address space (ulimit -v) forbids it. Lift the "
                  "limit"
                : "no limit (ulimit -v) is set, so the program runs within a "
                  "tool that has less address space than the processor, such "
                  "as valgrind. Record it without that tool",
        shadow.cells_per_granule_shift
            ? "-fpagetide-precision=exact, whose shadows "
              "take a sixteenth"
            : "a coarser granule");
}

static void FillHeader() {
  ShadowHeader &header = *shadow.header;
  header.version = kVersion;
  header.pid = GetPidRaw();
  header.layout = (u32)shadow.layout;
  header.with_sites = shadow.with_sites;
  header.cell_shift = shadow.cell_shift;
  header.granule_shift = shadow.granule_shift;
  header.unit_shift = shadow.unit_shift;
  header.slot_table_offset = kSlotTableOffset;
  header.watch_tables_offset = kWatchTablesOffset;
  header.chunks_offset = kChunksOffset;
  header.chunk_count = kMaxStagingBytes / kChunkBytes;
  header.slots_offset = SlotsOffset();
  header.slot_bytes = shadow.slot_bytes;
  header.slot_high = kFirstSlot;
  StoreRelease(&header.magic, kMagic);
}

/// QEMU has a descriptor for each page, also of the shadow: of precision near,
/// a whole slot takes 6 GiB. It puts all memory low, which the kernel never
/// does with the first stack. Options are not parsed yet.
static unsigned BitsToCover() {
  constexpr unsigned kLow = 40;
  const char *options = OptionsOfEnvironment();
  const bool low = options &&
                   __sanitizer::internal_strstr(options, "low_memory=1") &&
                   getauxval(AT_RANDOM) >> kLow == 0;
  return low ? kLow : abi::kAddressBits;
}

void CreateControl(const abi::ModuleInfo &module) {
  covered_bits = BitsToCover();
  shadow.module = module;
  const auto layout = (abi::Layout)module.layout;
  shadow.layout = abi::plain_layout(layout);
  shadow.with_sites = abi::has_sites(layout);
  shadow.cell_bytes = abi::cell_bytes(layout);
  shadow.cell_shift = module.cell_shift;
  shadow.granule_shift = module.granule_shift;
  shadow.cells_per_granule_shift = module.granule_shift - module.cell_shift;
  shadow.unit_shift = shadow.granule_shift;
  shadow.cells_per_unit_shift = shadow.cells_per_granule_shift;
  shadow.cells_per_index = abi::cells_per_index(shadow.layout);
  shadow.slot_bytes = abi::shadow_bytes(layout, shadow.cell_shift) >>
                      (abi::kAddressBits - CoveredBits());
  const u64 room = MaxShadowBytes() / shadow.slot_bytes;
  const u32 most = room < kMaxSlots ? (u32)room : kMaxSlots;
  shadow.shared_count = most / 4 < kMaxShared ? most / 4 : kMaxShared;
  shadow.first_shared = most - shadow.shared_count;
  // Without a memory file nothing can be recorded, but the program may still
  // run. Option on_failure decides that, and is not known yet.
  if (MakeMemfd(&shadow.fd))
    shadow.fd = -1;
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
  StoreRelease(&shadow.control_ready, 1);
}

void SetUnit(u32 shift) {
  shadow.unit_shift = shift;
  shadow.cells_per_unit_shift = shift - shadow.cell_shift;
  shadow.header->unit_shift = shift;
}

// Other sanitizers' runtimes. Their shadows may lie at kShadowBias, and are
// mapped after our first phase.
extern "C" {
__attribute__((weak)) void __asan_init();
__attribute__((weak)) void __hwasan_init();
__attribute__((weak)) void __msan_init();
__attribute__((weak)) void __tsan_init();
}

/// Maps the first thread's slot so that its GS base is 0, if those addresses
/// are free. Returns 0 or an errno.
static int MapFirstSlot() {
  const auto map = [](void *address) {
    constexpr int kFixedNoReplace = 0x100000; // MAP_FIXED_NOREPLACE
    return MapFile(shadow.fd, SlotOffset(kFirstSlot), shadow.slot_bytes,
                   address, &shadow.slot_base[kFirstSlot], kFixedNoReplace);
  };
  if (__asan_init || __hwasan_init || __msan_init || __tsan_init)
    return map(nullptr);
  // Older kernels and QEMU ignore the flag and use the address as a hint. The
  // slot is where they put it.
  return map((void *)abi::kShadowBias) ? map(nullptr) : 0;
}

static void SetUpShortMarks() {
  const unsigned index_shift =
      shadow.cells_per_granule_shift +
      (unsigned)__builtin_ctz(shadow.cells_per_index * shadow.cell_bytes);
  ShortMarks &marks = shadow.short_marks;
  marks.mask = ~((uptr{1} << index_shift) - 1);
  marks.shift = (u8)(shadow.granule_shift - index_shift);
  marks.read_cell = (u8)ReadCellOffset(0);
  marks.write_cell = (u8)WriteCellOffset(0);
}

void LetInterceptorsMark(bool mark) {
  const uptr bytes = mark ? uptr{1} << shadow.granule_shift : 0;
  const bool sites = shadow.with_sites;
  const bool reads = !sites && abi::records_reads(shadow.layout);
  ShortMarks &marks = shadow.short_marks;
  __atomic_store_n(&marks.site_bytes, sites ? bytes : 0, __ATOMIC_RELAXED);
  __atomic_store_n(&marks.write_bytes, sites ? 0 : bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&marks.read_bytes, reads ? bytes : 0, __ATOMIC_RELAXED);
  StoreRelease(&shadow.marking, mark);
}

void CreateShadow(const abi::ModuleInfo &module) {
  CreateControl(module);
  if (int error = MapFirstSlot())
    DieNoAddressSpace(shadow.slot_bytes, error);
  BeginSlot(kFirstSlot, GetThreadIdsRaw());
  SetShadowBase(shadow.slot_base[kFirstSlot]);
  struct stat tasks;
  if (Failed(Syscall(SYS_newfstatat, (uptr)AT_FDCWD, (uptr) "/proc/self/task",
                     (uptr)&tasks, 0)))
    shadow.threads_before = !__libc_single_threaded; // there is no /proc
  else
    shadow.threads_before = tasks.st_nlink > 3; // itself, parent, one thread
  SetUpShortMarks();
  LetInterceptorsMark(true);
  StoreRelease(&shadow.ready, 1);
}

//===- Scratch shadow -----------------------------------------------------===//

/// Maps a slot's worth of memory that belongs to no thread; 0 if that fails. It
/// is shared memory: the kernel would merge private memory with its neighbours,
/// and it would not show among the program's mappings.
static uptr MapSparseSlot() {
  uptr p;
  if (!MapFile(-1, 0, shadow.slot_bytes, nullptr, &p))
    return p;
  int fd; // vm.overcommit_memory=2, as in MapOver
  if (MakeMemfd(&fd))
    return 0;
  int error = MapFile(fd, 0, shadow.slot_bytes, nullptr, &p);
  Syscall(SYS_close, (uptr)fd);
  return error ? 0 : p;
}

static uptr scratch;
static u64 unread_bytes;

uptr ScratchShadow() { return LoadAcquire(&scratch); }

AddressRange ScratchRange() {
  if (const u64 bytes = LoadAcquire(&unread_bytes))
    return {abi::kShadowBias, abi::kShadowBias + bytes};
  const uptr base = ScratchShadow();
  return base ? AddressRange{base, base + shadow.slot_bytes} : AddressRange{};
}

bool MapUnreadMarks(const abi::ModuleInfo &module) {
  const u64 bytes =
      abi::shadow_bytes((abi::Layout)module.layout, module.cell_shift);
  if (bytes <= unread_bytes)
    return true;
  constexpr int kFixedNoReplace = 0x100000; // MAP_FIXED_NOREPLACE
  const uptr begin = abi::kShadowBias + unread_bytes;
  uptr p;
  if (MapFile(-1, 0, bytes - unread_bytes, (void *)begin, &p, kFixedNoReplace))
    return false;
  if (p == begin)
    StoreRelease(&unread_bytes, bytes);
  else // an older kernel, which took the address for a hint
    Unmap((void *)p, bytes - unread_bytes);
  return p == begin;
}

uptr EnsureScratchShadow() {
  uptr base = __atomic_load_n(&scratch, __ATOMIC_ACQUIRE);
  if (base)
    return base;
  base = MapSparseSlot();
  uptr none = 0;
  if (base &&
      !__atomic_compare_exchange_n(&scratch, &none, base, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    Unmap((void *)base, shadow.slot_bytes); // another thread was first
    base = none;
  }
  return base;
}

bool HasAddressSpace(u64 bytes) {
  const uptr p = Syscall(SYS_mmap, 0, bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uptr)-1);
  if (Failed(p))
    return false;
  Syscall(SYS_munmap, p, bytes);
  return true;
}

//===- Questions ----------------------------------------------------------===//

u64 ShadowBytes() {
  u64 bytes = ControlBytes();
  for (u32 i = 0; i < kMaxSlots; ++i)
    if (LoadAcquire(&shadow.slot_base[i]))
      bytes += shadow.slot_bytes;
  return bytes;
}

bool OverlapsShadow(uptr address, uptr bytes) {
  auto overlaps = [&](uptr base, u64 size) {
    return base && address < base + size && address + bytes > base;
  };
  if (overlaps((uptr)shadow.header, ControlBytes()))
    return true;
  for (u32 i = 0; i < kMaxSlots; ++i)
    if (overlaps(LoadAcquire(&shadow.slot_base[i]), shadow.slot_bytes))
      return true;
  return false;
}

// mremap of no bytes of a shared mapping makes another mapping of the same
// file, from there on, of any size and with the same advice. So the slot is
// mapped from the last page of what is mapped before it in the file, and that
// page is unmapped again.
int MapSlot(u32 slot, int fd) {
  if (fd != kNoMemfd) {
    uptr base;
    const int error =
        MapFile(fd, SlotOffset(slot), shadow.slot_bytes, nullptr, &base);
    if (!error)
      StoreRelease(&shadow.slot_base[slot], base);
    return error;
  }
  u32 before = slot;
  while (before && !LoadAcquire(&shadow.slot_base[before - 1]))
    --before;
  const uptr end = before ? shadow.slot_base[before - 1] + shadow.slot_bytes
                          : (uptr)shadow.header + ControlBytes();
  const u64 head = kPageBytes + u64{slot - before} * shadow.slot_bytes;
  const uptr mapped = Syscall(SYS_mremap, end - kPageBytes, 0,
                              head + shadow.slot_bytes, MREMAP_MAYMOVE);
  if (Failed(mapped))
    return ErrnoOf(mapped);
  Syscall(SYS_munmap, mapped, head);
  StoreRelease(&shadow.slot_base[slot], mapped + head);
  return 0;
}

void BeginSlot(u32 slot, const ThreadIds &ids) {
  SlotEntry &entry = shadow.slots[slot];
  entry.tid = ids.tid;
  entry.process = ids.process;
  entry.start_ns = MonotonicNs();
  entry.end_ns = 0;
  EndCallsInFlight(entry);
  entry.inflight_call = 0;
  ++entry.generation;
  if (shadow.header->slot_high <= slot)
    shadow.header->slot_high = slot + 1;
  StoreRelease(&entry.state, (u32)SlotState::kLive);
}

/// Maps anonymous memory over what was the parent's: shared, because
/// RLIMIT_DATA does not count that. If the system reserves all such memory in
/// full (vm.overcommit_memory=2), it is a memfd without a descriptor.
static void MapOver(void *fixed, u64 offset, u64 bytes) {
  uptr p = Syscall(SYS_mmap, (uptr)fixed, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                   (uptr)-1, 0);
  if (!Failed(p))
    return AdviseShadow(p, bytes);
  int fd;
  int error = MakeMemfd(&fd);
  if (!error) {
    error = MapFile(fd, offset, bytes, fixed, &p);
    Syscall(SYS_close, (uptr)fd);
  }
  if (error)
    Fatal("cannot map shadow memory for a forked child: %s. The child is "
          "ended, because its marks would count as its parent's.\n",
          DescribeErrno(error));
}

void RenewShadowInChild(u32 slot) {
  // The slots of threads that do not exist in the child.
  for (u32 i = 0; i < kMaxSlots; ++i)
    if (i != slot && shadow.slot_base[i]) {
      Unmap((void *)shadow.slot_base[i], shadow.slot_bytes);
      shadow.slot_base[i] = 0;
    }
  if (shadow.fd >= 0) // the parent's recorder had not taken it yet
    Syscall(SYS_close, (uptr)shadow.fd);
  shadow.fd = -1;
  MapOver(shadow.header, 0, ControlBytes());
  if (shadow.slot_base[slot])
    MapOver((void *)shadow.slot_base[slot], SlotOffset(slot),
            shadow.slot_bytes);
  FillHeader();
  if (shadow.slot_base[slot])
    BeginSlot(slot, GetThreadIdsRaw());
}

int MoveShadowToMemfd() {
  int fd;
  if (int error = MakeMemfd(&fd))
    return error;
  // Only the slots' entries of the control block are in use yet.
  SlotEntry entries[kMaxMoved];
  u32 slots[kMaxMoved], count = 0;
  for (u32 i = 0; i < kMaxSlots && count < kMaxMoved; ++i)
    if (shadow.slot_base[i]) {
      slots[count] = i;
      entries[count++] = shadow.slots[i];
    }
  uptr mapped;
  int error = MapFile(fd, 0, ControlBytes(), shadow.header, &mapped);
  for (u32 i = 0; i < count && !error; ++i)
    error = MapFile(fd, SlotOffset(slots[i]), shadow.slot_bytes,
                    (void *)shadow.slot_base[slots[i]], &mapped);
  FillHeader();
  for (u32 i = 0; i < count; ++i) {
    shadow.slots[slots[i]] = entries[i];
    if (shadow.header->slot_high <= slots[i])
      shadow.header->slot_high = slots[i] + 1;
  }
  if (error)
    Syscall(SYS_close, (uptr)fd);
  return error;
}

} // namespace pagetide
