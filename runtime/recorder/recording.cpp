//===- recording.cpp - The beginning and end of a recording ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/recording.h"

#include "cuts/cut.h"
#include "cuts/cut_kernel_writes.h"
#include "engines/audit_writes.h"
#include "engines/chosen_engine.h"
#include "pagetide/pagetide.h"
#include "periods/settled.h"
#include "periods/staging.h"
#include "periods/watch.h"
#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/program_memory.h"
#include "recorder/mappings_watch.h"
#include "recorder/requests.h"
#include "recorder/schedule.h"
#include "recorder/slot_service.h"
#include "recorder/windows.h"
#include "shadow/mark_switches.h"
#include "shadow/shadow.h"
#include "threads/service_thread.h"
#include "trace/control_client.h"
#include "trace/pending_frames.h"
#include "trace/site_frames.h"
#include "trace/trace_encode.h"
#include "trace/trace_file.h"
#include "trace/trace_folder.h"
#include "trace/trace_header.h"
#include "trace/trace_writer.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/personality.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

using namespace trace;
using shadow_file::RecordingState;

//===- What to record -----------------------------------------------------===//

/// Marks tell granules apart, and nothing finer. The other engines know pages
/// of the kernel.
static bool CanReport(u32 unit_shift) {
  if (EngineCan().any_granule)
    return !unit_shift || unit_shift >= shadow.granule_shift;
  return !unit_shift || unit_shift == shadow.granule_shift;
}

[[noreturn]] static void DieTooFine(u32 unit_shift) {
  if (!EngineCan().any_granule)
    Fatal("option granularity: engines other than marks know only pages of %u "
          "bytes. Leave the option out.\n",
          1u << shadow.granule_shift);
  Fatal("option granularity: %u bytes are less than the granule of this "
        "program's build, which has %u. Ask for that or more, or build the "
        "program with -fpagetide-granule=%u (2^%u bytes).\n",
        1u << unit_shift, 1u << shadow.granule_shift, unit_shift, unit_shift);
}

/// What option unstable means for a recording with these other settings.
static UnstablePolicy PolicyFromFlags(const RecordConfig &config) {
  // A cut takes some milliseconds of processor time.
  constexpr u64 kMinCutPeriodNs = 100 * kNsPerMs;
  const FlagUnstable &option = GetFlags().unstable;
  // A filter may end the process for a call that only cuts make.
  const bool cut = option.is_auto && config.checksum != ChecksumMode::kNone &&
                   config.period_ns >= kMinCutPeriodNs && EngineCan().cut &&
                   !UnderSystemCallFilter();
  return cut ? UnstablePolicy::kCut : option.policy;
}

RecordConfig ConfigFromFlags() {
  const Flags &flags = GetFlags();
  RecordConfig config = {};
  config.period_ns = flags.period;
  config.per_thread = flags.per_thread;
  config.checksum = flags.checksum;
  config.unstable = PolicyFromFlags(config);
  config.checksum_relative = flags.checksum_relative;
  config.unit_shift = flags.granularity;
  config.window_ns = flags.window;
  config.every_ns = flags.every;
  if (!CanReport(config.unit_shift))
    DieTooFine(config.unit_shift);
  switch (int error = SetTracePath(config, flags.trace_path)) {
  case 0:
    break;
  case ENAMETOOLONG:
    Fatal("option trace_path: the name is too long: %s. Give a shorter one.\n",
          flags.trace_path);
  default:
    Fatal("option trace_path: %s is relative to the working directory, which "
          "has no path (%s). Give an absolute one.\n",
          flags.trace_path, DescribeErrno(error));
  }
  if (internal_strlen(flags.control) >= sizeof(config.control))
    Fatal("option control: the socket's name is too long: %s. Set TMPDIR to a "
          "shorter path.\n",
          flags.control);
  internal_strncpy(config.control, flags.control, sizeof(config.control) - 1);
  return config;
}

/// Room for the suffix that CreateTraceFile may append.
static constexpr uptr kSuffixRoom = 32;

int SetTracePath(RecordConfig &config, const char *path) {
  config.trace_path[0] = 0;
  if (!path || !*path)
    return 0;
  uptr used = 0;
  if (path[0] != '/') {
    uptr n =
        Syscall(SYS_getcwd, (uptr)config.trace_path, sizeof(config.trace_path));
    if (Failed(n))
      return ErrnoOf(n) == ERANGE ? ENAMETOOLONG : ErrnoOf(n);
    if (config.trace_path[0] != '/') { // "(unreachable)...", beyond a chroot
      config.trace_path[0] = 0;
      return ENOENT;
    }
    used = internal_strlen(config.trace_path);
    config.trace_path[used++] = '/';
  }
  uptr bytes = internal_strlen(path) + 1;
  if (used + bytes + kSuffixRoom > sizeof(config.trace_path)) {
    config.trace_path[0] = 0;
    return ENAMETOOLONG;
  }
  internal_memcpy(config.trace_path + used, path, bytes);
  return 0;
}

const char *WhyNoWindows(const control::Request &asked) {
  if (!asked.window_ns)
    return nullptr;
  if (!IsPeriod(asked.window_ns) || asked.every_ns <= asked.window_ns)
    return "a window is at least 1 ms, and shorter than the time from one to "
           "the next";
  return nullptr;
}

const char *WhyRefused(const control::Request &asked) {
  if (ControlReady() && Recording())
    return "it is being recorded already";
  if (!IsPeriod(asked.period_ns))
    return kPeriodTooShort;
  if (const char *why = WhyNoWindows(asked))
    return why;
  if (asked.window_ns && ControlReady() && !AllSwitchWhileRunning())
    return kNoWindows;
  if (asked.checksum > (u32)ChecksumMode::kAccessed ||
      asked.unstable > (u32)UnstablePolicy::kCut)
    return "its runtime does not know this kind of checksum";
  if (asked.says & control::kSaysGranularity && asked.unit_shift &&
      (asked.unit_shift < abi::kMinGranuleShift ||
       asked.unit_shift > abi::kMaxGranuleShift))
    return "its runtime does not know this granularity";
  if (asked.trace_path[0] != '/')
    return "the trace's path is not absolute";
  return internal_strlen(asked.trace_path) + 1 + kSuffixRoom >
                 sizeof(RecordConfig::trace_path)
             ? "the trace's path is too long"
             : nullptr;
}

RecordConfig ConfigForControl(const control::Request &asked) {
  const Flags &own = GetFlags();
  RecordConfig config = {};
  config.period_ns =
      asked.says & control::kSaysPeriod ? asked.period_ns : own.period;
  config.per_thread = asked.says & control::kSaysPerThread
                          ? asked.per_thread != 0
                          : own.per_thread;
  config.checksum = asked.says & control::kSaysChecksum
                        ? (ChecksumMode)asked.checksum
                        : own.checksum;
  config.unstable = asked.says & control::kSaysUnstable
                        ? (UnstablePolicy)asked.unstable
                        : PolicyFromFlags(config);
  config.checksum_relative = asked.says & control::kSaysChecksumRelative
                                 ? asked.checksum_relative != 0
                                 : own.checksum_relative;
  config.unit_shift = asked.says & control::kSaysGranularity ? asked.unit_shift
                                                             : own.granularity;
  const bool says_window = asked.says & control::kSaysWindow;
  config.window_ns = says_window ? asked.window_ns : own.window;
  config.every_ns = says_window ? asked.every_ns : own.every;
  SetTracePath(config, asked.trace_path);
  return config;
}

const char *WhyNotStarted(int status) {
  switch (status) {
  case PAGETIDE_OK:
    return nullptr;
  case PAGETIDE_UNSUPPORTED:
    return "its build or its engine cannot record that: checksums of written "
           "pages need layout rw or write, sets by thread need marks, and the "
           "granularity must not be below the build's granule";
  case PAGETIDE_IO:
    return "its trace cannot be created; its standard error says why";
  default:
    return "memory or another limit of the system keeps it from recording; its "
           "standard error says which";
  }
}

//===- The trace ----------------------------------------------------------===//

static FileHeader HeaderOfTrace(u64 now) {
  FileHeader header = MakeHeader(now);
  header.checksum_mode = record_config.checksum;
  header.unstable_policy = record_config.unstable;
  if (record_config.per_thread)
    header.flags |= kHeaderPerThread;
  if (record_config.checksum_relative)
    header.flags |= kHeaderRelativeHashes;
  header.period_ns = record_config.period_ns;
  return header;
}

/// Whether address space randomisation was off when the program was executed.
static bool HasFixedAddresses() {
  constexpr uptr kOnlyAsk = 0xffffffff; // changes nothing
  const uptr result = Syscall(SYS_personality, kOnlyAsk);
  return !Failed(result) && (result & ADDR_NO_RANDOMIZE);
}

static char why_no_trace[4096];

const char *WhyNoTrace() { return why_no_trace; }

/// At the start of a program that `pagetide record` started, whoever asked says
/// it, together with what becomes of the program.
static int CannotTrace(const char *format, ...) {
  va_list args;
  va_start(args, format);
  FormatText(why_no_trace, sizeof(why_no_trace), format, args);
  va_end(args);
  if (!record_config.asker_tells)
    Warning("%s\n", why_no_trace);
  return PAGETIDE_IO;
}

/// Creates the trace and starts its writer. `parent_trace`: see StartRecording.
static int StartTrace(u64 now, const char *parent_trace) {
  SetTracing(false);
  int fd = -1;
  if (record_config.trace_path[0]) {
    const u64 keep = GetFlags().keep_traces;
    const int error = keep ? CreateTraceInFolder(record_config.trace_path, keep,
                                                 recorder_state.trace_path, &fd)
                           : CreateTraceFile(record_config.trace_path,
                                             recorder_state.trace_path, &fd);
    if (keep && error == EBUSY)
      return CannotTrace(
          "cannot create the trace %s: the folder may hold %llu traces (option "
          "keep_traces), and all are being written. The process is not "
          "recorded. Raise the option (pagetide target add --keep).",
          record_config.trace_path, keep);
    if ((error == EACCES || error == EPERM) && RightsAreToldOf())
      return PAGETIDE_IO;
    if (error)
      return CannotTrace("cannot create the trace %s: %s. Choose another path "
                         "with option trace_path (pagetide record -o).",
                         record_config.trace_path, DescribeErrno(error));
    Reason why;
    const bool started = Attempt(why, [&] {
      EncodeRunId(PendingFrames());
      EncodeProcess(PendingFrames(), EngineCan().name);
      if (parent_trace)
        EncodeNote(PendingFrames(), now, 0, NoteCode::kForked, parent_trace);
      if (HasFixedAddresses())
        EncodeNote(PendingFrames(), now, 0, NoteCode::kInfo,
                   "addresses are not randomised");
      StartTraceWriter(fd, recorder_state.trace_path, HeaderOfTrace(now),
                       PendingFrames());
    });
    PendingFrames().clear();
    if (!started) {
      // Remove the empty trace. CreateTraceFile made a new file: it is ours.
      Syscall(SYS_unlinkat, (uptr)AT_FDCWD, (uptr)recorder_state.trace_path, 0);
      Syscall(SYS_close, (uptr)fd);
      return CannotTrace("cannot write the trace %s: %s.",
                         recorder_state.trace_path, why.text);
    }
    SetTracing(true);
  }
  if (record_config.control[0]) {
    recorder_state.control =
        ConnectToRecord(record_config.control, RecorderMemfd(), fd,
                        Tracing() ? recorder_state.trace_path : "");
    if (recorder_state.control < 0 && Tracing())
      EncodeNote(PendingFrames(), now, 0, NoteCode::kInfo,
                 "`pagetide record` could not be reached: if the process is "
                 "killed, nobody completes this trace");
  }
  return PAGETIDE_OK;
}

static void CannotWatchKernelWrites(const char *missing) {
  Warning("option kernel_writes: the kernel cannot report which pages are "
          "written: %s. The trace lacks them, and cuts have only what was "
          "marked. It needs Linux 6.7 and userfaultfd; otherwise leave the "
          "option out.\n",
          missing);
  EncodeNote(PendingFrames(), MonotonicNs(), OpenPeriod().index,
             NoteCode::kLost,
             "the kernel cannot report which pages are written");
}

/// 0: the build's granule. The table of watched regions is in units too.
static void SetReportedUnit(u32 shift) {
  LockWatch();
  SetUnit(shift ? shift : shadow.granule_shift);
  UnlockWatch();
  RepublishWatch();
}

/// What was marked before may still be about to be written. But who waits for
/// the recording has made its accesses, and so has the thread that forked.
static void SettleWhoeverWaits(bool in_child) {
  if (in_child)
    ForgetWriters();
  else if (RequestWaits())
    SettleSlot(request.slot);
}

int StartRecording(const char *parent_trace) {
  if (parent_trace) // nobody asked
    record_config.asker_tells = false;
  if (record_config.checksum == ChecksumMode::kWritten &&
      !abi::tells_writes(shadow.layout))
    return PAGETIDE_UNSUPPORTED;
  const engines::Capabilities &can = EngineCan();
  if ((record_config.per_thread && !can.per_thread) ||
      (record_config.unstable == UnstablePolicy::kCut && !can.cut))
    return PAGETIDE_UNSUPPORTED;
  if (!CanReport(record_config.unit_shift))
    return PAGETIDE_UNSUPPORTED;
  if (!parent_trace)
    membership = Membership::kNone;
  recorder_state.engine = &ChosenEngine();
  recorder_state.control = -1;
  PendingFrames().clear();
  RenewSlotWarning();
  ForgetThreads();
  ForgetMappings();
  ForgetSiteTables();
  ForgetWriters();
  ForgetKernelWrites();
  SetReportedUnit(record_config.unit_shift);
  shadow.header->per_thread = record_config.per_thread;
  shadow.header->chunk_count =
      (GetFlags().staging_mib << 20) / shadow_file::kChunkBytes;
  u64 now = MonotonicNs();
  ResetStaging(0, now);
  if (const char *missing = recorder_state.engine->start()) {
    Warning("engine %s cannot record process %u: the system lacks %s.\n",
            EngineCan().name, ServedProcess(), missing);
    return PAGETIDE_UNSUPPORTED;
  }
  // Before the trace's header, which says so.
  shadow.marks_late |= !record_config.window_ns && !MarksAreSwitchedOn();
  SettleWhoeverWaits(parent_trace != nullptr);
  CountRecordingBegun();
  // `pagetide record` may read the header from now on: it must be complete.
  StoreRelease(&shadow.header->recording, (u32)RecordingState::kRuns);
  if (int status = StartTrace(now, parent_trace)) {
    StoreRelease(&shadow.header->recording, (u32)RecordingState::kNone);
    recorder_state.engine->stop();
    return status;
  }
  recorder_state.began_ns = now;
  recorder_state.overruns = 0;
  recorder_state.announced_end = false;
  LookAtMappings(now, true);
  const bool for_cuts = record_config.checksum != ChecksumMode::kNone &&
                        record_config.unstable == UnstablePolicy::kCut;
  if (GetFlags().kernel_writes && (Tracing() || for_cuts))
    if (const char *missing = StartKernelWrites(KnownMappings(), for_cuts))
      CannotWatchKernelWrites(missing);
  BeginWindows(now, RequestWaits() ? request.slot : shadow_file::kFallbackSlot);
  Schedule(now);
  ObserveThreadEnds(true);
  SetRecording(true);
  Info("recording%s%s, period %llu us\n", Tracing() ? " to " : "",
       Tracing() ? recorder_state.trace_path : "",
       record_config.period_ns / 1000);
  return PAGETIDE_OK;
}

static void Stop(RecordingState state, const char *why) {
  EndWindows();
  StopKernelWrites();
  const bool rests = state != RecordingState::kExited && MayMarksRest();
  if (rests)
    LetMarksRest();
  if (recorder_state.engine)
    recorder_state.engine->stop();
  recorder_state.marks_rest = rests;
  StopTraceWriter(why);
  EndCuts();
  StoreRelease(&shadow.header->recording, (u32)state);
  SetRecording(false);
  ObserveThreadEnds(false);
  if (recorder_state.control >= 0)
    Syscall(SYS_close, (uptr)recorder_state.control);
  recorder_state.control = -1;
  SetTracing(false);
  Info("recording ended\n");
}

void StopRecording(const char *why) { Stop(RecordingState::kNone, why); }
void EndRecording(EndReason reason) {
  Stop(reason == EndReason::kExit ? RecordingState::kExited
                                  : RecordingState::kStopped,
       nullptr);
}

} // namespace pagetide
