//===- init.cpp - The second phase of start-up ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/init.h"

#include "arch/shadow_base.h"
#include "engines/chosen_engine.h"
#include "interceptors/child_environment.h"
#include "interceptors/period_by_calls.h"
#include "interceptors/real_functions.h"
#include "platform/environment.h"
#include "platform/errno_names.h"
#include "platform/messages.h"
#include "platform/notice.h"
#include "platform/options.h"
#include "platform/program_memory.h"
#include "recorder/recorder.h"
#include "recorder/recording.h"
#include "recorder/requests.h"
#include "shadow/shadow.h"
#include "startup/deadly_filter.h"
#include "startup/loaded_modules.h"
#include "startup/started_by_recorded.h"
#include "threads/service_thread.h"
#include "threads/thread_start.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

/// `record` has chosen the engine for a program without marks, which may only
/// start instrumented ones. It runs in any case.
static bool IsOptional() {
  return GetFlags().marks_first && !EngineCan().by_marks;
}

/// Recording was requested and cannot begin. By default the program does not
/// run then, so that nobody believes that the run was recorded. What a recorded
/// program starts runs in any case.
static void RefuseToStart(const char *why) {
  switch (GetFlags().on_failure) {
  case OnFailure::kContinue:
    Warning("the program runs unrecorded: %s.\n", why);
    return NotifyRecord(shadow_file::NoticeKind::kUnrecorded);
  case OnFailure::kRefuse:
    if (IsOptional() || IsStartedByRecorded())
      return RunUnrecorded(why);
    break;
  case OnFailure::kStop:
    break;
  }
  Fatal("the program was not started: %s.\n", why);
}

/// As RefuseToStart, if there can be no trace.
static void RefuseWithoutTrace(const char *why) {
  if (GetFlags().on_failure == OnFailure::kRefuse &&
      (IsOptional() || IsStartedByRecorded()))
    return RunUnrecorded(why);
  if (*why)
    Warning("%s\n", why);
  RefuseToStart("its trace cannot be written");
}

/// This process has no part in the recording that was requested.
static bool stays_unrecorded;

static bool RecordingIsAskedFor() {
  return !stays_unrecorded && (*GetFlags().trace_path || *GetFlags().control);
}

static void StartIfAsked() {
  if (!RecordingIsAskedFor())
    return;
  RecordConfig config = ConfigFromFlags();
  config.by_record = config.control[0] != 0;
  config.asker_tells = true;
  switch (int status = RequestStart(config)) {
  case PAGETIDE_OK:
    return;
  case PAGETIDE_UNSUPPORTED:
    if (!EngineCan().by_marks) // it printed why
      return RefuseToStart("its engine cannot work here");
    Fatal("checksum=written needs to know which pages were written, but this "
          "program was built with layout %s, which does not tell writes from "
          "reads. Use checksum=accessed, or build with -fpagetide-layout=%s.\n",
          abi::kLayoutNames[shadow.module.layout],
          shadow.with_sites ? "rw-site" : "rw");
  case PAGETIDE_IO:
    return RefuseWithoutTrace(WhyNoTrace());
  default:
    return RefuseToStart(pagetide_status_string(status));
  }
}

/// Tells the `pagetide record` above this process that the program was started
/// with other options than the run's. Empty ones leave it out on purpose.
static void NotifyOfOwnOptions() {
  const char *options = OptionsOfEnvironment();
  if (options && *options && !*GetFlags().control)
    NotifyRecord(shadow_file::NoticeKind::kOwnOptions);
}

/// Recording ends in a handler of exit, not with this library's destructors.
static bool preloaded;

static void AtQuickExit() { EndOfProgram(trace::EndReason::kExit); }

/// Prepares what the engine of a program without marks needs.
static void PrepareEngine() {
  if (EngineCan().by_marks)
    return;
  if (ShadowReady() && GetFlags().marks_first) {
    if (const char *library = NotesOfStart().library)
      Warning("%s is instrumented, and the program is not. Recorded are the "
              "marks, so nothing that code of the program itself accesses. "
              "Build it with pagetide-clang too.\n",
              library);
    return UseMarks();
  }
  if (ShadowReady()) {
    stays_unrecorded = true;
    return RefuseToStart("it is instrumented, so its marks tell more than the "
                         "engine asked for; record it without --engine, or "
                         "take a build that is not instrumented");
  }
  // The only marks are those of writes, one for each page of the system.
  const abi::ModuleInfo module = {abi::kVersion, (u32)abi::Layout::kWrite,
                                  abi::kDefaultGranuleShift,
                                  abi::kDefaultGranuleShift, 0};
  CreateControl(module);
}

void EnsureSecondPhase() {
  static u32 done;
  if (__atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
    return;
  // sanitizer_common's own errors end the program with its status, which is 0.
  AddDieCallback([] { Syscall(SYS_exit_group, kExitRefused); });
  SanitizerToolName = "Pagetide"; // for messages of sanitizer_common
  InitFlags();
  NotifyOfOwnOptions();
  InitChildEnvironment();
  PrepareEngine();
  InitCopies();
  InitRecorder();
  InitInterceptors();
  const bool can_record = !EnsureRecorder();
  if (!can_record && RecordingIsAskedFor())
    RefuseToStart("it cannot be recorded");
  if (ShadowReady())
    InitThreads();
  CountCallsOfThisThread();
  if (ShadowReady()) // these functions only read
    SetUpCallSites(abi::records_reads(shadow.layout) || calls_per_period);
  at_quick_exit(AtQuickExit);
  if (can_record)
    StartIfAsked();
}

/// Runs after every other destructor: all instrumented files need this library,
/// so the loader ends it after them.
__attribute__((destructor)) static void AtExit() {
  if (!preloaded)
    EndOfProgram(trace::EndReason::kExit);
}

//===- Without instrumented code ------------------------------------------===//

extern "C" int __cxa_atexit(void (*)(void *), void *, void *);

/// The constructors of libraries have run, the program's own are next.
static void StartUninstrumented() {
  if (!EngineIsNamed())
    return;
  InitFlags();
  if (EngineCan().by_marks)
    return;
  if (!ShadowReady() && !HasAddressSpace(ControlBytes())) {
    static const char kWhy[] =
        "a limit on address space (ulimit -v) leaves no room to record it";
    return IsOptional() ? RunUnrecorded(kWhy) : RefuseToStart(kWhy);
  }
  if (!ShadowReady() &&
      !FilterAllowsRecording(IsOptional() ? Wish::kOptionalEngine
                                          : Wish::kEngine))
    return;
  EnsureSecondPhase();
  if (EngineCan().by_marks) // it is instrumented, and marks come first
    return;
  // Nothing needs a preloaded library, so the loader would end it first. A
  // handler that is registered before the loader's own one runs after it.
  preloaded = !__cxa_atexit(
      [](void *) { EndOfProgram(trace::EndReason::kExit); }, nullptr, nullptr);
}

} // namespace pagetide

/// The entry point of every program that libc starts. It starts the runtime if
/// the library is preloaded and no module calls it.
extern "C" __attribute__((visibility("default"))) int
__libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                  void (*init)(), void (*fini)(), void (*loader_fini)(),
                  void *stack_end) {
  using namespace pagetide;
  StartUninstrumented();
  auto *real = (decltype(&__libc_start_main))ResolveReal("__libc_start_main");
  return real(main, argc, argv, init, fini, loader_fini, stack_end);
}
