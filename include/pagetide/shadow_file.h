//===- shadow_file.h - What a dead program leaves behind ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of the memfd that holds a process's shadow and the page sets that
// are not yet in its trace. Also the messages that the process sends to
// `pagetide record`; one of them hands over that memfd. The runtime fills the
// memfd. The harvester in `pagetide record` reads it after the process has
// died. It is not a file format: both sides come from one build, and refuse
// another version than theirs.
//
//   0               ShadowHeader
//   slots_table     SlotEntry[kMaxSlots]
//   watch tables    WatchedRange[2][kMaxWatched]
//   chunks          StagingChunk[chunk_count]   a ring, see below
//   slots           shadow of slot 0, of slot 1, ...  (slot_bytes each, sparse)
//
// At every instant, every mark is in the shadow of a slot, in a staging chunk
// of a period that is not yet written, or in the trace. The recorder stages a
// word of the shadow before it clears it. It releases chunks only after the
// kernel has the period's frames. x86 makes stores visible in their order. So a
// SIGKILL between two instructions loses nothing.

#ifndef PAGETIDE_SHADOW_FILE_H
#define PAGETIDE_SHADOW_FILE_H

#include <cstdint>

namespace pagetide::shadow_file {

inline constexpr std::uint32_t kVersion = 6;
inline constexpr std::uint64_t kMagic = 0x574F444148535450; // "PTSHADOW"

inline constexpr std::uint32_t kMaxSlots = 2048;
/// Slot 0 belongs to threads that have no slot of their own: raw clones of such
/// threads, and threads in their last instructions. When no slot is left,
/// further threads share slot 0 or the last slots that fit into the address
/// space.
inline constexpr std::uint32_t kFallbackSlot = 0;

/// Periods that are staged and not yet written, including the open one.
inline constexpr std::uint32_t kMaxPendingPeriods = 64;

enum class SlotState : std::uint32_t {
  kFree = 0,    ///< its shadow is clear
  kLive = 1,    ///< a thread marks into it
  kRetired = 2, ///< its thread has ended; marks may be left in it
};

/// A range that libc or the kernel may be writing for a thread's call. It is
/// marked only when the call returns. bytes == 0: none.
struct InFlightRange {
  std::uint64_t address;
  std::uint64_t bytes;
};
/// A thread has one range of each kind, because they may be far apart:
/// everything in a range counts as unstable.
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

/// If any range was ever watched, only units in watched ranges are reported.
/// There are two tables. A change fills the one that is not in use.
inline constexpr std::uint32_t kMaxWatched = 65536;
struct WatchedRange { // units: address >> unit_shift
  std::uint64_t begin;
  std::uint64_t end;
};
/// ShadowHeader::watch is 0 if everything is reported. Otherwise it has this
/// bit, the number of ranges, and a bit that says which table holds them
/// (sorted, disjoint).
inline constexpr std::uint64_t kWatching = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kWatchSecondTable = std::uint64_t{1} << 62;

struct PeriodEntry { // period number p is at p % kMaxPendingPeriods
  std::uint64_t index;
  std::uint64_t start_ns;
  std::uint64_t end_ns; ///< 0 while open
  std::uint64_t overruns;
  std::uint64_t first_chunk; ///< ring counters: [first_chunk, end_chunk)
  std::uint64_t end_chunk;
  std::uint32_t flags; ///< trace::PeriodFlags
  std::uint32_t reserved;
};

enum class RecordingState : std::uint32_t {
  kNone = 0, ///< not begun, or the runtime could not go on
  kRuns = 1, ///< between start and stop
  // The last period that ended was the recording's last one.
  kExited = 2,
  kStopped = 3,
};

struct ShadowHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t pid;
  std::uint32_t layout; ///< abi::Layout, a plain one: what staged marks say
  std::uint32_t cell_shift;
  std::uint32_t granule_shift;
  std::uint32_t per_thread; ///< 1: the trace has sections by thread
  std::uint32_t with_sites; ///< 1: cells hold ids of sites (abi::has_sites)
  /// log2 bytes of what the recording reports; not below granule_shift.
  std::uint32_t unit_shift;
  std::uint64_t slot_table_offset;
  std::uint64_t watch_tables_offset;
  std::uint64_t chunks_offset;
  std::uint64_t chunk_count;
  std::uint64_t slots_offset;
  std::uint64_t slot_bytes;

  std::uint64_t watch; ///< see kWatching

  std::uint32_t recording; ///< RecordingState
  std::uint32_t slot_high; ///< slots [0, slot_high) were ever used
  /// How many system calls of threads without a slot of their own are under
  /// way.
  std::uint64_t fallback_calls_in_flight;

  /// Periods [periods_written, open_period) are complete and staged;
  /// open_period is being collected.
  std::uint64_t periods_written;
  std::uint64_t open_period;

  /// Chunks of the ring in use: [chunk_tail, chunk_head). Chunk number c is at
  /// index (c - chunk_base) % chunk_count. When the ring is empty, chunk_base
  /// becomes chunk_head, so that the same few pages of memory serve every
  /// period.
  std::uint64_t chunk_base;
  std::uint64_t chunk_head;
  std::uint64_t chunk_tail;

  PeriodEntry periods[kMaxPendingPeriods];

  /// 1: this process or a forked child has told the user that it has too few
  /// rights to reach record, or to make its trace.
  std::uint32_t told_unreachable;
};

enum class ChunkKind : std::uint32_t {
  kMarks = 0,   ///< this period's marks
  kCarried = 1, ///< words carried from an earlier period (see the contract)
  /// Words of a shadow whose cells hold ids of sites, as they are there. Their
  /// marks are staged too. These chunks have the thread's tid in every
  /// recording.
  kSites = 2,
};

/// Eight cells of a thread's shadow. In staging chunks units always have one
/// cell of each kind. If they have several in the shadow, that cell says what
/// these say together (abi::for_each_unit_word).
struct StagedWord {
  std::uint64_t word;  ///< byte offset into the shadow / 8
  std::uint64_t value; ///< the eight cells, lowest address in the lowest byte
};

/// One page, because in a per-thread recording each thread that ends has at
/// least one chunk.
inline constexpr std::uint32_t kChunkBytes = 4096;

struct StagingChunk {
  std::uint64_t period; ///< PeriodEntry::index
  std::uint32_t tid;    ///< 0 unless the recording is per thread, or kSites
  std::uint32_t kind;   ///< ChunkKind
  /// Raised when a record is complete, before its word is cleared in the
  /// shadow.
  std::uint32_t count;
  std::uint32_t reserved[11];
  StagedWord words[(kChunkBytes - 64) / sizeof(StagedWord)];
};
static_assert(sizeof(StagingChunk) == kChunkBytes);
inline constexpr std::uint32_t kWordsPerChunk =
    sizeof(StagingChunk::words) / sizeof(StagedWord);

/// Address space reserved for the ring. Option staging_mib uses a part of it.
inline constexpr std::uint64_t kMaxStagingBytes = std::uint64_t{4} << 30;

//===----------------------------------------------------------------------===//
// The control socket
//===----------------------------------------------------------------------===//

/// `pagetide record` listens on a SOCK_SEQPACKET Unix socket named in the
/// runtime's option `control`. Each process that records connects once and
/// sends a Hello with two descriptors (SCM_RIGHTS): the memfd, then the trace.
/// Without a trace it sends only the memfd, and trace_bytes is 0. It keeps the
/// connection until it dies or calls exec.
struct Hello {
  std::uint64_t magic; ///< kMagic
  std::uint32_t version;
  std::uint32_t pid;
  /// 1: record has chosen the engine, so an instrumented process of the run
  /// takes the name of this one's trace.
  std::uint32_t gives_way;
  std::uint32_t trace_bytes; ///< length of trace_path; 0: no trace
  char trace_path[4096];
};

enum class NoticeKind : std::uint32_t {
  kRefused = 1,     ///< the runtime has ended the process
  kUnrecorded = 2,  ///< the process runs, but cannot be recorded
  kOtherRecord = 3, ///< it is itself a `pagetide record` or `audit`
  kOwnOptions = 4,  ///< it has options of its own, without record's
};

/// A process that `pagetide record` would miss without knowing why sends this
/// to the control socket, without descriptors.
struct Notice {
  std::uint64_t magic; ///< kNoticeMagic
  std::uint32_t version;
  std::uint32_t pid;
  NoticeKind kind;
  std::uint32_t name_bytes;
  char name[1024]; ///< the program, as it was started
};
inline constexpr std::uint64_t kNoticeMagic = 0x454349544F4E5450; // "PTNOTICE"

//===----------------------------------------------------------------------===//
// The options of a run
//===----------------------------------------------------------------------===//

/// `pagetide record` gives PAGETIDE_OPTIONS to its command. It also leaves them
/// in a file, for processes whose environment has lost them. The file is in
/// kRunDirectory followed by the user's number, a directory of mode 0700. Its
/// name is record's pid, a dot, and record's start time (/proc/PID/stat, field
/// 22), by which its descendants recognise it. It is there while the run lasts,
/// and record holds a lock on it (flock).
inline constexpr char kRunDirectory[] = "/tmp/pagetide-";
/// The file is shorter than this.
inline constexpr std::uint32_t kMaxRunOptionsBytes = 16384;

} // namespace pagetide::shadow_file

#endif // PAGETIDE_SHADOW_FILE_H
