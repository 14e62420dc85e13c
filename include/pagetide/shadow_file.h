//===- shadow_file.h - What a dead program leaves behind ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of the memfd that holds a process's shadow and the page sets not
// yet written to its trace, and the message by which the process hands that
// memfd to `pagetide record`. Shared by the runtime, which fills it, and the
// harvester in `pagetide record`, which reads it after the process died. It is
// not a file format: both sides come from one build, and refuse another version
// than theirs.
//
//   0               ShadowHeader
//   slots_table     SlotEntry[kMaxSlots]
//   watch tables    WatchedRange[2][kMaxWatched]
//   chunks          StagingChunk[chunk_count]   a ring, see below
//   slots           shadow of slot 0, of slot 1, ...  (slot_bytes each, sparse)
//
// Every mark is, at every instant, in at least one of: the shadow of a slot, a
// staging chunk of a period not yet written, the trace. The recorder stages a
// word of the shadow before it clears it, and releases chunks only after the
// period's frames were handed to the kernel. A SIGKILL between two
// instructions therefore loses nothing; x86's store order makes it so.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_SHADOW_FILE_H
#define PAGETIDE_SHADOW_FILE_H

#include <cstdint>

namespace pagetide::shadow_file {

inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::uint64_t kMagic = 0x574F444148535450; // "PTSHADOW"

inline constexpr std::uint32_t kMaxSlots = 2048;
/// Slot 0 belongs to threads that have none of their own: raw clones of such
/// threads, threads in their last instructions. Threads for which none is left
/// share it or the last ones that fit into the address space, which stay free.
inline constexpr std::uint32_t kFallbackSlot = 0;

/// Periods staged and not yet written, the open one included.
inline constexpr std::uint32_t kMaxPendingPeriods = 64;

enum class SlotState : std::uint32_t {
  kFree = 0,    ///< its shadow is clear
  kLive = 1,    ///< a thread marks into it
  kRetired = 2, ///< its thread has ended; marks may be left in it
};

/// A range that libc or the kernel may be writing on behalf of a thread's call,
/// marked only when the call returns. bytes == 0: none.
struct InFlightRange {
  std::uint64_t address;
  std::uint64_t bytes;
};
/// A thread has one range of each kind: they may lie far apart, and all that
/// lies in a range is held for unstable.
enum class InFlightKind : std::uint32_t {
  kBuffer = 0,    ///< of calls that move memory
  kObject = 1,    ///< a mutex, a semaphore and the like that it waits for
  kCondition = 2, ///< the condition that it waits for, with the mutex above
};
inline constexpr std::uint32_t kInFlightKinds = 3;

struct SlotEntry {     // 128 bytes, two cache lines
  std::uint32_t state; ///< SlotState
  std::uint32_t tid;   ///< 0 for the fallback slot
  std::uint64_t start_ns;
  std::uint64_t end_ns;     ///< 0 while live
  std::uint64_t generation; ///< counts the threads that had this slot
  std::uint32_t process;    ///< pid; not the header's for a clone with CLONE_VM
                            ///< and without CLONE_THREAD
  std::uint32_t reserved[7];
  std::uint64_t inflight_call; ///< the process's own: its innermost such call
  InFlightRange inflight[kInFlightKinds];
  std::uint64_t reserved_end;
};
static_assert(sizeof(SlotEntry) == 128);

/// Only granules in a watched range are reported, if any range was ever
/// watched. There are two tables: a change fills the one not in use.
inline constexpr std::uint32_t kMaxWatched = 65536;
struct WatchedRange { // granules: address >> granule_shift
  std::uint64_t begin;
  std::uint64_t end;
};
/// ShadowHeader::watch: 0 if everything is reported; otherwise this bit, the
/// number of ranges, and above them which table holds them (sorted, disjoint).
inline constexpr std::uint64_t kWatching = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kWatchSecondTable = std::uint64_t{1} << 62;

struct PeriodEntry { // staged period number p stands at p % kMaxPendingPeriods
  std::uint64_t index;
  std::uint64_t start_ns;
  std::uint64_t end_ns; ///< 0 while open
  std::uint64_t overruns;
  std::uint64_t first_chunk; ///< ring counters: [first_chunk, end_chunk)
  std::uint64_t end_chunk;
  std::uint32_t flags; ///< trace::PeriodFlags
  std::uint32_t reserved;
};

struct ShadowHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t pid;
  std::uint32_t layout; ///< abi::Layout
  std::uint32_t cell_shift;
  std::uint32_t granule_shift;
  std::uint32_t per_thread; ///< 1: the trace has sections by thread
  std::uint64_t slot_table_offset;
  std::uint64_t watch_tables_offset;
  std::uint64_t chunks_offset;
  std::uint64_t chunk_count;
  std::uint64_t slots_offset;
  std::uint64_t slot_bytes;

  std::uint64_t watch; ///< see kWatching

  std::uint32_t recording; ///< 1 between start and stop
  std::uint32_t slot_high; ///< slots [0, slot_high) were ever used
  /// System calls under way of threads without a slot of their own.
  std::uint64_t fallback_calls_in_flight;

  /// Periods [periods_written, open_period) are complete and staged;
  /// open_period is being collected.
  std::uint64_t periods_written;
  std::uint64_t open_period;

  /// Chunks of the ring in use: [chunk_tail, chunk_head). Chunk number c
  /// stands at index (c - chunk_base) % chunk_count. chunk_base moves up to
  /// chunk_head when the ring is empty, so that the same few pages of memory
  /// serve every period.
  std::uint64_t chunk_base;
  std::uint64_t chunk_head;
  std::uint64_t chunk_tail;

  PeriodEntry periods[kMaxPendingPeriods];
};

enum class ChunkKind : std::uint32_t {
  kMarks = 0,   ///< this period's marks
  kCarried = 1, ///< words carried from an earlier period (see the contract)
};

/// Eight cells of a thread's shadow. In staging chunks granules have one cell
/// of each kind also where they have several in the shadow (precision near):
/// what these say together.
struct StagedWord {
  std::uint64_t word;  ///< byte offset into the shadow, over 8
  std::uint64_t value; ///< the eight cells, lowest address in the lowest byte
};

/// A page: in a per-thread recording each thread that ends has at least one.
inline constexpr std::uint32_t kChunkBytes = 4096;

struct StagingChunk {
  std::uint64_t period; ///< PeriodEntry::index
  std::uint32_t tid;    ///< 0 unless the recording is per thread
  std::uint32_t kind;   ///< ChunkKind
  /// Raised after a record is whole and before its word is cleared in the
  /// shadow.
  std::uint32_t count;
  std::uint32_t reserved[11];
  StagedWord words[(kChunkBytes - 64) / sizeof(StagedWord)];
};
static_assert(sizeof(StagingChunk) == kChunkBytes);
inline constexpr std::uint32_t kWordsPerChunk =
    sizeof(StagingChunk::words) / sizeof(StagedWord);

/// Address space set aside for the ring; option staging_mib takes part of it.
inline constexpr std::uint64_t kMaxStagingBytes = std::uint64_t{4} << 30;

//===----------------------------------------------------------------------===//
// The control socket
//===----------------------------------------------------------------------===//

/// `pagetide record` listens on a SOCK_SEQPACKET Unix socket named in the
/// runtime's option `control`. Each process that records connects once and
/// sends a Hello with two descriptors (SCM_RIGHTS): the memfd, then the trace
/// (-1 is not possible: with no output only the memfd is sent and
/// trace_bytes is 0). It keeps the connection until it dies or calls exec.
struct Hello {
  std::uint64_t magic; ///< kMagic
  std::uint32_t version;
  std::uint32_t pid;
  std::uint32_t trace_bytes; ///< length of trace_path; 0: no trace
  char trace_path[4096];
};

enum class NoticeKind : std::uint32_t {
  kRefused = 1,     ///< the runtime has ended the process
  kUnrecorded = 2,  ///< the process runs, but cannot be recorded
  kOtherRecord = 3, ///< it is a `pagetide record` or `audit` of its own
};

/// Sent to the control socket, without descriptors, by a process that
/// `pagetide record` would otherwise miss without knowing why.
struct Notice {
  std::uint64_t magic; ///< kNoticeMagic
  std::uint32_t version;
  std::uint32_t pid;
  NoticeKind kind;
  std::uint32_t name_bytes;
  char name[1024]; ///< the program, as it was started
};
inline constexpr std::uint64_t kNoticeMagic = 0x454349544F4E5450; // "PTNOTICE"

} // namespace pagetide::shadow_file

#endif // PAGETIDE_SHADOW_FILE_H
