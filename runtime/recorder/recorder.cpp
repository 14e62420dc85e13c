//===- recorder.cpp - Periods: their clock, and what happens at their end -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/recorder.h"

#include "engines/audit_writes.h"
#include "engines/engine.h"
#include "periods/page_hash.h"
#include "periods/period_pool.h"
#include "periods/settled.h"
#include "periods/watch.h"
#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/page_vec.h"
#include "platform/proc_maps.h"
#include "recorder/callback_thread.h"
#include "recorder/checksums.h"
#include "shadow/mark_checks.h"
#include "threads/service_thread.h"
#include "threads/slot_requests.h"
#include "threads/thread_start.h"
#include "trace/control_client.h"
#include "trace/trace_encode.h"
#include "trace/trace_writer.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

using namespace trace;
using shadow_file::kMaxSlots;
using shadow_file::kOrphanSlot;

//===- Requests -----------------------------------------------------------===//

namespace {
enum class Op : u32 {
  kNone,
  kStart,
  kStop,
  kSetPeriod,
  kPeriodEnd,
  kFlush,
  kQuery,
  kCollect,
  kEndOfHandlers,
  kEndOfProgram,
  kRepeat,
};

/// Who has the request: it goes round, or back and forth for a callback.
enum Turn : u32 { kIdle, kRecorder, kCallerRunsCallback, kAnswered };

struct Request {
  Op op;
  u32 slot; ///< of the thread that asks
  u32 turn;
  int result;
  // Arguments and answers, by op.
  u64 number;
  uptr address, bytes;
  pagetide_run *runs;
  uptr capacity, count;
  EndReason reason;
  const pagetide_period *period;
  long call;
  uptr call_arguments[5];
};
} // namespace

/// Held by the thread whose request is under way.
static Lock request_lock;
static Request request;
static RecordConfig config;
static u32 recording; // as other threads see it

bool Recording() { return LoadAcquire(&recording); }

static bool MayRequest() { return !self.in_request && InServedProcess(); }

/// Something has ended the recorder's thread: see ServiceHooks.
static void OnRecorderGone() {
  StoreRelease(&recording, 0);
  StoreRelease(&request.turn, kIdle);
}

/// Sends `request`, filled in by the caller, who holds the lock.
static int Send(Op op, u64 *saved_signals) {
  request.op = op;
  request.slot = CurrentSlot();
  request.result = PAGETIDE_OK;
  StoreRelease(&request.turn, kRecorder);
  WakeRecorder();
  for (u32 turn; (turn = LoadAcquire(&request.turn)) != kAnswered;) {
    if (turn != kCallerRunsCallback) {
      if (!WaitForRecorder(&request.turn, turn))
        return PAGETIDE_NOT_RECORDING;
      continue;
    }
    // The program's own code: it gets its own signal mask back for the while.
    u64 blocked = 0;
    Syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (uptr)saved_signals,
            (uptr)&blocked, 8);
    RunCallback(*request.period);
    Syscall(SYS_rt_sigprocmask, 2, (uptr)&blocked, 0, 8);
    if (self.left_request) { // and the program went on: exec failed, say
      self.left_request = false;
      request_lock.Acquire();
      return PAGETIDE_OK;
    }
    StoreRelease(&request.turn, kRecorder);
    WakeRecorder();
  }
  request.op = Op::kNone;
  StoreRelease(&request.turn, kIdle);
  return request.result;
}

/// Runs fill(request), sends, runs take(request), with the lock held and
/// signals blocked: a handler that ends the program must not find the lock
/// held by its own thread.
template <typename Fill, typename Take>
static int Ask(Op op, Fill fill, Take take) {
  if (!MayRequest())
    return PAGETIDE_BUSY;
  if (EnsureRecorder())
    return RecorderHasGone() ? PAGETIDE_NOT_RECORDING : PAGETIDE_NO_MEMORY;
  u64 all = signals_to_block, saved = 0;
  Syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (uptr)&all, (uptr)&saved, 8);
  request_lock.Acquire();
  self.in_request = true;
  fill(request);
  int result = Send(op, &saved);
  take(request);
  self.in_request = false;
  request_lock.Release();
  Syscall(SYS_rt_sigprocmask, 2, (uptr)&saved, 0, 8);
  return result;
}

static void Nothing(Request &) {}

int RequestStart(const RecordConfig &wanted) {
  return Ask(
      Op::kStart,
      [&](Request &) {
        if (!Recording())
          config = wanted;
      },
      Nothing);
}
int RequestStop() { return Ask(Op::kStop, Nothing, Nothing); }
int RequestSetPeriod(u64 ns) {
  // The one call that a callback may make: it needs no answer.
  if (self.in_request) {
    if (!Recording())
      return PAGETIDE_NOT_RECORDING;
    __atomic_store_n(&config.period_ns, ns, __ATOMIC_RELEASE);
    return PAGETIDE_OK;
  }
  return Ask(Op::kSetPeriod, [&](Request &r) { r.number = ns; }, Nothing);
}
int RequestPeriodEnd(u32 flags) {
  return Ask(Op::kPeriodEnd, [&](Request &r) { r.number = flags; }, Nothing);
}
int RequestFlush() { return Ask(Op::kFlush, Nothing, Nothing); }
int RequestQuery(uptr address, uptr bytes) {
  return Ask(
      Op::kQuery,
      [&](Request &r) {
        r.address = address;
        r.bytes = bytes;
      },
      Nothing);
}
int RequestCollect(uptr address, uptr bytes, pagetide_run *runs, uptr capacity,
                   uptr *count) {
  return Ask(
      Op::kCollect,
      [&](Request &r) {
        r.address = address;
        r.bytes = bytes;
        r.runs = runs;
        r.capacity = capacity;
        r.count = 0;
      },
      [&](Request &r) { *count = r.count; });
}

void EndOfHandlers() {
  if (Recording() && GetFlags().kernel_writes)
    Ask(Op::kEndOfHandlers, Nothing, Nothing);
}

/// A callback ends the program, or makes it another: the recorder goes on as if
/// it had returned, and the period is written.
static void LeaveRequest() {
  u64 all = signals_to_block, saved = 0;
  Syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (uptr)&all, (uptr)&saved, 8);
  if (!LeaveCallback() && !self.left_request) {
    StoreRelease(&request.turn, kRecorder);
    WakeRecorder();
    for (u32 turn; (turn = LoadAcquire(&request.turn)) != kAnswered;)
      FutexWait(&request.turn, turn);
    request.op = Op::kNone;
    StoreRelease(&request.turn, kIdle);
    request_lock.Release();
    self.left_request = true;
  }
  Syscall(SYS_rt_sigprocmask, 2, (uptr)&saved, 0, 8);
}

void EndOfProgram(EndReason reason) {
  const bool recording = Recording();
  if (recording && !InServedProcess())
    return; // a child of vfork
  ReportMarkChecks();
  if (!recording)
    return;
  const bool in_callback = self.in_request;
  if (in_callback) {
    LeaveRequest();
    self.in_request = false;
  }
  Ask(Op::kEndOfProgram, [&](Request &r) { r.reason = reason; }, Nothing);
  self.in_request = in_callback;
}

//===- For debuggers and oracles ------------------------------------------===//

/// Counts that a watchpoint, or a simulator, may observe: recordings begun in
/// this process, and periods ended. Each is stored to once the marks of the
/// time before have been taken, and before a thread that ended the period runs
/// on.
extern "C" {
struct PagetideBoundaries {
  volatile u64 begun, ended;
};
__attribute__((
    visibility("default"))) PagetideBoundaries __pagetide_boundaries = {0, 0};
}

void RepeatOnRecorder(long number, uptr a, uptr b, uptr c, uptr d, uptr e) {
  if (!RecorderRuns() || !InServedProcess())
    return; // there is no recorder, or this is a child by vfork
  if (self.in_request) {
    Warning("the program changes its rights in a callback, where the "
            "recorder's threads cannot follow: they keep the former ones.\n");
    return;
  }
  Ask(
      Op::kRepeat,
      [&](Request &r) {
        r.call = number;
        const uptr arguments[] = {a, b, c, d, e};
        internal_memcpy(r.call_arguments, arguments, sizeof(arguments));
      },
      Nothing);
}

//===- State of the recorder's thread -------------------------------------===//

namespace {
struct State {
  const Engine *engine;
  u64 next_end; ///< when the clock ends the open period
  u64 overruns; ///< scheduled ends missed in the open period
  u64 mappings_time;
  MappingList mappings, looked_up;
  PageVec<u8> frames; ///< for the next period's frames_before
  bool tracing;
  /// The trace says that the program ended, by exec or abort. It may go on.
  bool said_end;
  int control; ///< connection to `pagetide record`, or -1
  char trace_path[4096];
  u64 seen_generation[kMaxSlots];
  u64 alive_check_time;
  bool told_shared;
  bool told_beyond;
  bool told_mappings; ///< that they cannot be read
  bool leaving;       ///< the program's exit handlers have run
  PageVec<GranuleRange> watched;
  u32 period_flags; ///< of the period that is being ended
};
} // namespace

PAGETIDE_RECORDER_STATE static State state;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> peeked_words;
PAGETIDE_RECORDER_STATE static PageSet peeked_set;

//===- Threads coming and going -------------------------------------------===//

static void NoteThreadEvent(ThreadEvent event, u32 tid, u64 time,
                            const char *name) {
  // All at once: half a frame must not stay there (bailout.h).
  constexpr uptr kMostBytes = 256;
  state.frames.reserve(state.frames.size() + kMostBytes);
  uptr frame = BeginPendingFrame(state.frames, FrameType::kThreads);
  Encoder encoder(state.frames);
  encoder.Varint(1);
  encoder.Byte((u8)event);
  encoder.Varint(tid);
  encoder.Varint(time);
  encoder.String(name);
  EndPendingFrame(state.frames, frame);
}

/// The thread's name as ps shows it; empty where it is gone.
static void ReadThreadName(u32 tid, char *name, uptr bytes) {
  char path[64];
  internal_snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
  name[0] = 0;
  uptr fd = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path, O_RDONLY);
  if (Failed(fd))
    return;
  uptr n = Syscall(SYS_read, fd, (uptr)name, bytes - 1);
  Syscall(SYS_close, fd);
  name[Failed(n) ? 0 : n] = 0;
  if (char *newline = internal_strchr(name, '\n'))
    *newline = 0;
}

static void ObserveThreadStart(u32 slot) {
  const SlotEntry &entry = shadow.slots[slot];
  if (slot == kOrphanSlot || state.seen_generation[slot] == entry.generation)
    return;
  state.seen_generation[slot] = entry.generation;
  char name[32];
  ReadThreadName(entry.tid, name, sizeof(name));
  NoteThreadEvent(ThreadEvent::kStart, entry.tid, entry.start_ns, name);
}

void ObserveThreadEnd(u32 slot) {
  if (!recording)
    return;
  ObserveThreadStart(slot);
  RememberThreadArea(slot);
  const SlotEntry &entry = shadow.slots[slot];
  NoteThreadEvent(ThreadEvent::kEnd, entry.tid, entry.end_ns, "");
}

static void ObserveThreads(u64 now) {
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot)
    if (LoadAcquire(&shadow.slots[slot].state) == (u32)SlotState::kLive)
      ObserveThreadStart(slot);
  if (now - state.alive_check_time < 100 * kNsPerMs)
    return;
  state.alive_check_time = now;
  RetireDeadThreads();
}

//===- Mappings -----------------------------------------------------------===//

static void LookAtMappings(u64 now, bool at_once) {
  if (!at_once && now - state.mappings_time < GetFlags().mappings)
    return;
  state.mappings_time = now;
  if (int error = ReadMappings(state.looked_up, ScratchRange)) {
    if (!state.told_mappings) {
      Reason text;
      internal_snprintf(text.text, sizeof(text.text),
                        "the list of mappings cannot be read from "
                        "/proc/thread-self/maps: %s",
                        DescribeErrno(error));
      if (GetFlags().on_failure == OnFailure::kStop)
        WarnOrStop("%s.\n", text.text);
      if (state.tracing)
        EncodeNote(state.frames, now, OpenPeriod().index, NoteCode::kLost,
                   text.text);
    }
    state.told_mappings = true;
    return;
  }
  if (state.looked_up.beyond && !state.told_beyond) {
    state.told_beyond = true;
    Warning(
        "the program has mapped memory at 0x%llx, by a bare system call: no "
        "shadow covers addresses of more than 47 bits. What it does there "
        "is not recorded, and its marks can damage other memory.\n",
        state.looked_up.beyond);
    if (state.tracing)
      EncodeNote(state.frames, now, OpenPeriod().index, NoteCode::kLost,
                 "accesses to memory mapped beyond 47 bits");
  }
  if (SameMappings(state.looked_up, state.mappings))
    return;
  state.mappings.entries.swap(state.looked_up.entries);
  state.mappings.names.swap(state.looked_up.names);
  if (state.tracing)
    EncodeMappings(state.frames, now, state.mappings);
}

//===- The end of a period ------------------------------------------------===//

static void AnswerSlot();
static void AnswerRepeat();

static void GiveToCallback(PeriodResult &result, bool on_caller) {
  const pagetide_period &period = DescribePeriod(result, state.mappings);
  if (on_caller) {
    request.period = &period;
    StoreRelease(&request.turn, kCallerRunsCallback);
    FutexWakeAll(&request.turn);
  } else if (!StartCallbackElsewhere(period)) {
    return;
  }
  for (;;) {
    u32 seen = RecorderWakes();
    AnswerSlot(); // the callback may create threads
    if (!on_caller)
      AnswerRepeat(); // or wait for a thread that changes its rights
    if (on_caller ? LoadAcquire(&request.turn) == kRecorder : CallbackDone())
      return;
    RecorderSleep(seen);
  }
}

void NoteLost(const char *what) {
  if (state.tracing)
    EncodeNote(state.frames, MonotonicNs(), OpenPeriod().index, NoteCode::kLost,
               what);
}

static void StopRecording(const char *why = nullptr);

/// Says why there is nothing more, to the user and in the trace; the caller
/// stops.
static void GiveUp(const char *why) {
  WarnOrStop("%s Recording ends here.\n", why);
  if (state.tracing)
    EncodeNote(state.frames, MonotonicNs(), OpenPeriod().index, NoteCode::kLost,
               why);
}

static void SayIfReadingRefused() {
  int error = TakeReadingRefused();
  if (!error)
    return;
  WarnOrStop("pages cannot be read for their checksums: %s. They are called "
             "unreadable. A system call filter may forbid process_vm_readv and "
             "memfd_create; allow one of them.\n",
             DescribeErrno(error));
  if (state.tracing)
    EncodeNote(state.frames, MonotonicNs(), OpenPeriod().index, NoteCode::kLost,
               "checksums: the system forbids reading the program's pages");
}

/// Ends the open period. `last` is an End frame to write behind it, or null.
static void EndPeriod(u32 flags, bool on_caller, const EndReason *last) {
  if (state.tracing)
    EndWithTraceWriter();
  const u64 now = MonotonicNs();
  const bool callback = HasCallback();
  const bool hash = config.checksum != ChecksumMode::kNone;
  ObserveThreads(now);
  LookAtMappings(now, last != nullptr || WatchingKernelWrites());
  if (WatchingKernelWrites())
    // Before the marks are taken: what was written until now was marked before.
    CollectKernelWrites(OpenPeriod().index, state.leaving, state.mappings,
                        state.frames);
  // Where nobody reads pages at a period's end, a thread has until the next
  // end to settle.
  // A thread that waits for its request is between no mark and its access.
  const bool asked = LoadAcquire(&request.turn) == kRecorder;
  if (asked)
    SettleSlot(request.slot);
  bool ok = hash || callback || CarryUnsettled(0);
  ok = state.engine->collect(true) && ok;
  __pagetide_boundaries.ended = __pagetide_boundaries.ended + 1;
  if (asked)
    SettleSlot(request.slot);
  PeriodEntry &entry = ClosePeriod(now, flags, state.overruns);
  state.overruns = 0;

  PeriodResult *result = NewPeriodResult();
  result->entry = entry;
  bool watching = WatchedRegions(state.watched);
  BuildPageSet(entry, config.per_thread, watching ? &state.watched : nullptr,
               result->set);
  if (hash)
    ok = HashPeriod(*state.engine, config.checksum, config.unstable, *result) &&
         ok;
  else if (callback)
    ok = CarryUnsettled(GetFlags().settle_wait) && ok;
  if (hash)
    SayIfReadingRefused();
  if (callback)
    GiveToCallback(*result, on_caller);
  if (!ok)
    GiveUp("The page sets of one period exceed the staging area. Raise option "
           "staging_mib, or shorten the period.");
  result->frames_before.swap(state.frames);
  state.frames.clear();
  if (last || !ok)
    EncodeEnd(result->frames_after, MonotonicNs(),
              ok ? *last : EndReason::kFailed, 0);
  if (state.tracing) {
    QueuePeriod(result);
  } else {
    ReleasePeriod(result->entry);
    RecyclePeriodResult(result);
  }
  if (!ok)
    StopRecording();
}

/// Schedules the next end after `from`.
static void Schedule(u64 from) {
  u64 period = __atomic_load_n(&config.period_ns, __ATOMIC_ACQUIRE);
  constexpr u64 kNever = 0; // also where the sum wraps: beyond five centuries
  state.next_end = period && from + period > from ? from + period : kNever;
}

/// Whether the program, said to have ended, has marked anything since.
static bool GoesOn() {
  const u64 granules = u64{1}
                       << (abi::kAddressBits - shadow.module.granule_shift);
  peeked_words.clear();
  state.engine->peek({0, granules}, peeked_words);
  return !peeked_words.empty();
}

/// The clock says so. Ends that passed while we were late are overruns: they
/// lengthened this period.
static void EndTimedPeriod(u64 now) {
  u64 period = __atomic_load_n(&config.period_ns, __ATOMIC_ACQUIRE);
  u64 due = state.next_end;
  if (period) {
    u64 missed = (now - due) / period;
    state.overruns += missed;
    due += missed * period;
  }
  // An exec may take its time: nothing follows the End frame meanwhile.
  if (state.said_end && !GoesOn()) {
    ++state.overruns;
    return Schedule(due);
  }
  state.said_end = false;
  EndPeriod(0, false, nullptr);
  Schedule(due);
}

//===- Beginning and ending -----------------------------------------------===//

static void EncodeProcess(PageVec<u8> &frames) {
  uptr frame = BeginPendingFrame(frames, FrameType::kProcess);
  Encoder encoder(frames);
  char text[4096];
  uptr n = Syscall(SYS_readlinkat, (uptr)AT_FDCWD,
                   (uptr) "/proc/thread-self/exe", (uptr)text, sizeof(text));
  encoder.String(text, Failed(n) ? 0 : n);
  // The command line: each argument ends with a zero.
  PageVec<char> arguments;
  uptr fd = Syscall(SYS_openat, (uptr)AT_FDCWD,
                    (uptr) "/proc/thread-self/cmdline", O_RDONLY);
  if (!Failed(fd)) {
    constexpr uptr kMost = 1 << 20; // what a trace has room to tell
    while (arguments.size() < kMost &&
           !Failed(n = Syscall(SYS_read, fd, (uptr)text, sizeof(text))) && n)
      for (uptr i = 0; i < n; ++i)
        arguments.push_back(text[i]);
    Syscall(SYS_close, fd);
  }
  u64 count = 0;
  for (char c : arguments)
    count += c == 0;
  encoder.Varint(count);
  const char *argument = arguments.data();
  for (u64 i = 0; i < count; ++i) {
    encoder.String(argument);
    argument += internal_strlen(argument) + 1;
  }
  arguments.Free();
  encoder.String(FlagsAsText());
  encoder.String(state.engine->name);
  encoder.String(PAGETIDE_VERSION);
  EndPendingFrame(frames, frame);
}

static FileHeader MakeHeader(u64 now) {
  FileHeader header = {};
  internal_memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version_major = kVersionMajor;
  header.version_minor = kVersionMinor;
  header.header_bytes = sizeof(header);
  header.layout = (u32)shadow.layout;
  header.cell_shift = (u8)shadow.cell_shift;
  header.granule_shift = (u8)shadow.module.granule_shift;
  header.checksum_mode = config.checksum;
  header.unstable_policy = config.unstable;
  header.flags =
      (config.per_thread ? kHeaderPerThread : 0) |
      (shadow.module.flags & abi::kModuleSkipsConstants ? kHeaderSkipsConstants
                                                        : 0);
  header.pid = ServedProcess();
  header.parent_pid = (u32)Syscall(SYS_getppid);
  header.page_bytes = 4096;
  header.monotonic_ns = now;
  header.realtime_ns = RealtimeNs();
  header.period_ns = config.period_ns;
  return header;
}

/// Creates the trace and starts its writer. `parent_trace` not null: the
/// process is a fork of the one that writes it.
static int StartTrace(u64 now, const char *parent_trace) {
  state.tracing = false;
  int fd = -1;
  if (config.trace_path[0]) {
    if (int error = CreateTraceFile(config.trace_path, state.trace_path, &fd)) {
      Warning("cannot create the trace %s: %s. Name another with trace_path "
              "(pagetide record -o).\n",
              config.trace_path, DescribeErrno(error));
      return PAGETIDE_IO;
    }
    Reason why;
    const bool started = Attempt(why, [&] {
      EncodeProcess(state.frames);
      if (parent_trace)
        EncodeNote(state.frames, now, 0, NoteCode::kForked, parent_trace);
      StartTraceWriter(fd, state.trace_path, MakeHeader(now), state.frames);
    });
    state.frames.clear();
    if (!started) {
      // No trace rather than one of nothing; the name was new, so it is ours.
      Syscall(SYS_unlinkat, (uptr)AT_FDCWD, (uptr)state.trace_path, 0);
      Syscall(SYS_close, (uptr)fd);
      Warning("cannot write the trace %s: %s.\n", state.trace_path, why.text);
      return PAGETIDE_IO;
    }
    state.tracing = true;
  }
  if (config.control[0]) {
    state.control = ConnectToRecord(config.control, RecorderMemfd(), fd,
                                    state.tracing ? state.trace_path : "");
    if (state.control < 0 && state.tracing)
      EncodeNote(state.frames, now, 0, NoteCode::kInfo,
                 "`pagetide record` could not be reached: nobody completes "
                 "this trace if the process is killed");
  }
  return PAGETIDE_OK;
}

static void CannotWatchKernelWrites(const char *missing) {
  Warning("the kernel cannot tell which pages are written (option "
          "kernel_writes): %s. The trace is made without that.\n",
          missing);
  EncodeNote(state.frames, MonotonicNs(), OpenPeriod().index, NoteCode::kLost,
             "the kernel cannot tell which pages are written");
}

static const Engine &ChosenEngine() {
  switch (GetFlags().engine) {
  case EngineKind::kUffd:
    return UffdEngine();
  case EngineKind::kMprotect:
    return MprotectEngine();
  case EngineKind::kMarks:
    break;
  }
  return ShadowEngine();
}

static int StartRecording(const char *parent_trace) {
  if (recording)
    return PAGETIDE_BUSY;
  if (config.checksum == ChecksumMode::kWritten &&
      !abi::tells_writes(shadow.layout))
    return PAGETIDE_UNSUPPORTED;
  if (config.per_thread && GetFlags().engine != EngineKind::kMarks)
    return PAGETIDE_UNSUPPORTED;
  if (config.unstable == UnstablePolicy::kStop &&
      GetFlags().engine == EngineKind::kMprotect)
    return PAGETIDE_UNSUPPORTED;
  state.engine = &ChosenEngine();
  state.control = -1;
  state.frames.clear();
  state.told_shared = state.told_mappings = false;
  for (u64 &generation : state.seen_generation)
    generation = 0;
  state.mappings.entries.clear();
  ForgetWriters();
  shadow.header->per_thread = config.per_thread;
  shadow.header->chunk_count =
      (GetFlags().staging_mib << 20) / shadow_file::kChunkBytes;
  u64 now = MonotonicNs();
  ResetStaging(0, now);
  if (const char *missing = state.engine->start()) {
    Warning("engine %s cannot record process %u: the system lacks %s.\n",
            state.engine->name, ServedProcess(), missing);
    return PAGETIDE_UNSUPPORTED;
  }
  __pagetide_boundaries.begun = __pagetide_boundaries.begun + 1;
  // The header must be right before record may harvest by it.
  StoreRelease(&shadow.header->recording, 1);
  if (int status = StartTrace(now, parent_trace)) {
    StoreRelease(&shadow.header->recording, 0);
    state.engine->stop();
    return status;
  }
  state.overruns = 0;
  state.said_end = false;
  LookAtMappings(now, true);
  if (GetFlags().kernel_writes && state.tracing)
    if (const char *missing = StartKernelWrites(state.mappings))
      CannotWatchKernelWrites(missing);
  Schedule(now);
  StoreRelease(&recording, 1);
  Info("recording%s%s, period %llu us\n", state.tracing ? " to " : "",
       state.tracing ? state.trace_path : "", config.period_ns / 1000);
  return PAGETIDE_OK;
}

/// `why` not null: it ends before its time, and the trace is to say so.
static void StopRecording(const char *why) {
  StopKernelWrites();
  if (state.engine)
    state.engine->stop();
  StopTraceWriter(why);
  StoreRelease(&shadow.header->recording, 0);
  StoreRelease(&recording, 0);
  if (state.control >= 0)
    Syscall(SYS_close, (uptr)state.control);
  state.control = -1;
  state.tracing = false;
  Info("recording ended\n");
}

//===- Slots --------------------------------------------------------------===//

/// No thread beyond the `own` ones so far gets a slot of its own.
static void SaySlotsRanOut(u32 own) {
  if (!recording || state.told_shared)
    return;
  state.told_shared = true;
  Warning("no shadow of its own is left for another thread (%u have one): "
          "further threads share some, and stand under thread 0.%s\n",
          own,
          shadow.cells_shift ? " Precision exact has room for sixteen times "
                               "as many."
                             : "");
  if (state.tracing)
    EncodeNote(state.frames, MonotonicNs(), OpenPeriod().index,
               NoteCode::kThreadsShared,
               "slots ran out: further threads stand under thread 0");
}

static void AnswerSlot() {
  AnswerSlotRequest(recording, {EmptyRetiredSlots, SaySlotsRanOut});
}

//===- Answers ------------------------------------------------------------===//

/// Granules that overlap the request's range. False where it is no range.
static bool RangeOfRequest(GranuleRange &range) {
  if (!request.bytes || !InShadowedRange(request.address, request.bytes))
    return false;
  const u32 shift = shadow.module.granule_shift;
  range = {request.address >> shift,
           ((request.address + request.bytes - 1) >> shift) + 1};
  return true;
}

static bool PeekRuns(GranuleRange &range) {
  if (!RangeOfRequest(range))
    return false;
  peeked_words.clear();
  state.engine->peek(range, peeked_words);
  BuildRuns(peeked_words, nullptr, peeked_set);
  return true;
}

static int AnswerQuery() {
  GranuleRange range;
  if (!PeekRuns(range))
    return PAGETIDE_INVALID;
  u32 flags = 0;
  for (const Run &run : peeked_set.runs)
    flags |= run.flags;
  return (int)flags;
}

static int AnswerCollect() {
  GranuleRange range;
  if (!PeekRuns(range))
    return PAGETIDE_INVALID;
  request.count = peeked_set.runs.size();
  if (request.count > request.capacity)
    return PAGETIDE_OK;
  if (!state.engine->take(range)) {
    request.count = 0;
    return PAGETIDE_NO_MEMORY;
  }
  const u32 shift = shadow.module.granule_shift;
  for (uptr i = 0; i < request.count; ++i) {
    const Run &run = peeked_set.runs[i];
    request.runs[i] = {run.granule << shift, run.length << shift, run.flags};
  }
  return PAGETIDE_OK;
}

static int AnswerEndOfProgram() {
  if (!recording)
    return PAGETIDE_NOT_RECORDING;
  EndPeriod(kPeriodFinal, false, &request.reason);
  if (!recording)
    return PAGETIDE_OK;
  if (state.tracing)
    DrainTraceWriter();
  // After exec that fails, or an abort that is caught, the program goes on.
  if (request.reason == EndReason::kExit) {
    StopRecording();
  } else {
    state.said_end = true;
    Schedule(MonotonicNs());
  }
  return PAGETIDE_OK;
}

/// On the recorder's thread and the writer's.
static void Repeat(void *) {
  const uptr *a = request.call_arguments;
  uptr result = Syscall(request.call, a[0], a[1], a[2], a[3], a[4]);
  if (!Failed(result))
    return;
  if (request.call == SYS_capset) {
    // Another thread of the program had other capabilities. None are needed.
    struct {
      u32 version, pid;
    } header = {0x20080522 /* _LINUX_CAPABILITY_VERSION_3 */, 0};
    const u32 none[6] = {};
    if (!Failed(Syscall(SYS_capset, (uptr)&header, (uptr)none)))
      return;
  }
  Fatal("the program has changed its rights (system call %ld), and the "
        "recorder's threads cannot do the same: %s.\n",
        request.call, DescribeErrno(ErrnoOf(result)));
}

static int Answer() {
  if (request.op == Op::kRepeat) {
    Repeat(nullptr);
    RunOnTraceWriter(Repeat, nullptr);
    return PAGETIDE_OK;
  }
  if (!recording && request.op != Op::kStart)
    return PAGETIDE_NOT_RECORDING;
  switch (request.op) {
  case Op::kStart:
    return StartRecording(nullptr);
  case Op::kStop: {
    EndReason reason = EndReason::kStop;
    EndPeriod(kPeriodFinal, true, &reason);
    if (recording)
      StopRecording();
    return PAGETIDE_OK;
  }
  case Op::kSetPeriod:
    __atomic_store_n(&config.period_ns, request.number, __ATOMIC_RELEASE);
    Schedule(MonotonicNs());
    return PAGETIDE_OK;
  case Op::kPeriodEnd:
    EndPeriod((u32)request.number, true, nullptr);
    Schedule(MonotonicNs());
    return PAGETIDE_OK;
  case Op::kFlush:
    return !state.tracing || DrainTraceWriter() ? PAGETIDE_OK : PAGETIDE_IO;
  case Op::kQuery:
    return AnswerQuery();
  case Op::kCollect:
    return AnswerCollect();
  case Op::kEndOfHandlers:
    EndPeriod(0, true, nullptr);
    state.leaving = true;
    Schedule(MonotonicNs());
    return PAGETIDE_OK;
  case Op::kEndOfProgram:
    return AnswerEndOfProgram();
  case Op::kRepeat:
  case Op::kNone:
    break;
  }
  return PAGETIDE_INVALID;
}

//===- The thread ---------------------------------------------------------===//

/// In a forked child whose parent recorded: the trace to name in a note.
static char inherited_trace[4096];
static bool inherited;

static void AnswerRequest(int result) {
  request.result = result;
  StoreRelease(&request.turn, kAnswered);
  FutexWakeAll(&request.turn);
}

static void AnswerRepeat() {
  if (LoadAcquire(&request.turn) == kRecorder && request.op == Op::kRepeat)
    AnswerRequest(Answer());
}

/// Does one thing, if there is one to do.
static bool Work() {
  AnswerSlot();
  if (LoadAcquire(&request.turn) == kRecorder) {
    AnswerRequest(Answer());
    return true;
  }
  const u64 now = MonotonicNs();
  if (!recording || !state.next_end || now < state.next_end)
    return false;
  EndTimedPeriod(now);
  return true;
}

/// What was under way was left off: recording cannot go on.
static void Recover(const Reason &why) {
  const bool asked = LoadAcquire(&request.turn) == kRecorder;
  if (asked && request.op == Op::kStart)
    Warning("nothing can be recorded: %s.\n", why.text);
  else
    WarnOrStop("%s. Recording ends here.\n", why.text);
  Reason note;
  internal_snprintf(note.text, sizeof(note.text),
                    "recording ended before its time: %s", why.text);
  StopRecording(note.text);
  if (asked)
    AnswerRequest(request.op == Op::kStart ? PAGETIDE_IO : PAGETIDE_NO_MEMORY);
}

/// In a child, which begins to record where its parent did.
static void StartInChild() {
  Reason why;
  int status = PAGETIDE_OK;
  if (!Attempt(why, [&] { status = StartRecording(inherited_trace); })) {
    Recover(why);
    status = PAGETIDE_NO_MEMORY;
  }
  if (status && GetFlags().on_failure == OnFailure::kStop)
    WarnOrStop("process %u, a fork, cannot be recorded.\n", ServedProcess());
}

static void RunRecorder(void *) {
  if (inherited) {
    inherited = false;
    StartInChild();
  }
  for (;;) {
    u32 seen = RecorderWakes();
    Reason why;
    bool worked = false;
    if (!Attempt(why, [&] { worked = Work(); }))
      Recover(why);
    else if (!worked)
      RecorderSleep(seen, recording ? state.next_end : 0);
  }
}

void InitRecorder() {
  InitServiceThread({RunRecorder, RepublishWatch, OnRecorderGone});
}

//===- Fork ---------------------------------------------------------------===//

void LockRecorder(bool in_request) {
  if (!in_request)
    request_lock.Acquire();
  LockServiceThread();
  LockSlotRequests();
}

void UnlockRecorder(bool in_request) {
  UnlockSlotRequests();
  UnlockServiceThread();
  if (!in_request)
    request_lock.Release();
}

void RenewRecorderInChild() {
  inherited = recording;
  if (inherited)
    internal_strncpy(inherited_trace, state.trace_path,
                     sizeof(inherited_trace) - 1);
  RenewServiceThreadInChild();
  RenewSlotRequestsInChild();
  request_lock.Reset();
  request = {};
  recording = 0;
  self.in_request = false;
  if (!inherited)
    return; // started when something needs it
  // Fork returns in the child only when the child records: no instant of it
  // must be lost to a SIGKILL.
  if (EnsureRecorder()) {
    inherited = false; // a later try would begin in the middle
    return;
  }
  Ask(Op::kFlush, Nothing, Nothing);
}

} // namespace pagetide
