//===- api.cpp - The C API ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// include/pagetide/pagetide.h documents these functions. Here they check their
// arguments and pass them on.

#include "pagetide/cut_copies.h"
#include "pagetide/pagetide.h"
#include "shadow/marking.h"

#include "periods/watch.h"
#include "platform/exports.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "recorder/recording.h"
#include "recorder/requests.h"
#include "shadow/shadow.h"
#include "startup/init.h"
#include "startup/late_start.h"
#include "startup/loaded_modules.h"
#include "threads/suspend_marks.h"

using namespace pagetide;

/// The runtime may be loaded in a program without instrumented code. Then there
/// is nothing to record, unless an engine that needs no marks is active.
#define PAGETIDE_NEED_CONTROL()                                                \
  do {                                                                         \
    if (!ControlReady())                                                       \
      return PAGETIDE_NOT_RECORDING;                                           \
  } while (0)

/// A program without instrumented code may mark by hand. It gets a shadow of
/// the default layout when it begins to record. Returns a pagetide_status.
static int EnsureShadow() {
  if (const char *why = WhyMarksStayOff()) {
    Warning("marks are off and cannot be switched on: %s.\n", why);
    return PAGETIDE_UNSUPPORTED;
  }
  SwitchMarksOn(/*late=*/true);
  if (ControlReady())
    return PAGETIDE_OK;
  AdmitModule({abi::kVersion, (u32)abi::Layout::kRw, abi::kDefaultGranuleShift,
               abi::kDefaultGranuleShift, 0},
              "");
  EnsureSecondPhase();
  return PAGETIDE_OK;
}

PAGETIDE_EXPORT int __pagetide_api_start(const pagetide_config *config) {
  if (int status = EnsureShadow())
    return status;
  if (!config)
    return RequestStart(ConfigFromFlags());
  if (config->size < sizeof(pagetide_config) || !IsPeriod(config->period_ns) ||
      config->checksum < 0 || config->checksum > PAGETIDE_CHECKSUM_ACCESSED ||
      config->unstable < 0 || config->unstable > PAGETIDE_UNSTABLE_CUT)
    return PAGETIDE_INVALID;
  RecordConfig wanted = ConfigFromFlags(); // with its control socket
  wanted.period_ns = config->period_ns;
  wanted.per_thread = config->per_thread;
  wanted.checksum = (trace::ChecksumMode)config->checksum;
  wanted.unstable = (trace::UnstablePolicy)config->unstable;
  if (SetTracePath(wanted, config->trace_path))
    return PAGETIDE_INVALID;
  return RequestStart(wanted);
}

PAGETIDE_EXPORT int __pagetide_api_stop(void) {
  PAGETIDE_NEED_CONTROL();
  return RequestStop();
}

PAGETIDE_EXPORT int __pagetide_api_set_period(uint64_t ns) {
  PAGETIDE_NEED_CONTROL();
  if (!IsPeriod(ns))
    return PAGETIDE_INVALID;
  return RequestSetPeriod(ns);
}

PAGETIDE_EXPORT int __pagetide_api_period_end(void) {
  PAGETIDE_NEED_CONTROL();
  return RequestPeriodEnd(trace::kPeriodDriven);
}

PAGETIDE_EXPORT int __pagetide_api_copy_at_cut_v1(CopyRequest *request) {
  PAGETIDE_NEED_CONTROL();
  if (!EngineCan().cut)
    return PAGETIDE_UNSUPPORTED;
  if (!request)
    return PAGETIDE_OK;
  if (request->granule != uptr{1} << shadow.unit_shift)
    return PAGETIDE_INVALID;
  return RequestCopies(*request);
}

PAGETIDE_EXPORT int __pagetide_api_on_period(pagetide_callback callback,
                                             void *user) {
  if (int status = EnsureShadow())
    return status;
  return RequestCallback(callback, user);
}

PAGETIDE_EXPORT int __pagetide_api_watch(const void *address, size_t bytes) {
  if (int status = EnsureShadow())
    return status;
  return Watch((uptr)address, bytes);
}

PAGETIDE_EXPORT int __pagetide_api_unwatch(const void *address, size_t bytes) {
  if (int status = EnsureShadow())
    return status;
  return Unwatch((uptr)address, bytes);
}

PAGETIDE_EXPORT int __pagetide_api_query(const void *address, size_t bytes) {
  PAGETIDE_NEED_CONTROL();
  return RequestQuery((uptr)address, bytes);
}

PAGETIDE_EXPORT int __pagetide_api_collect(const void *address, size_t bytes,
                                           pagetide_run *runs, size_t capacity,
                                           size_t *count) {
  PAGETIDE_NEED_CONTROL();
  if (!count || (capacity && !runs))
    return PAGETIDE_INVALID;
  uptr found = 0;
  int status = RequestCollect((uptr)address, bytes, runs, capacity, &found);
  *count = found;
  return status;
}

PAGETIDE_EXPORT int __pagetide_api_mark(const void *address, size_t bytes,
                                        int kind) {
  PAGETIDE_NEED_CONTROL();
  if (!ShadowReady())
    return PAGETIDE_UNSUPPORTED;
  if (!InShadowedRange((uptr)address, bytes))
    return PAGETIDE_INVALID;
  if (kind == PAGETIDE_READ)
    MarkRead((uptr)address, bytes);
  else
    MarkWrite((uptr)address, bytes);
  return PAGETIDE_OK;
}

PAGETIDE_EXPORT int __pagetide_api_leave_out(int change) {
  PAGETIDE_NEED_CONTROL();
  if (!ShadowReady())
    return PAGETIDE_UNSUPPORTED;
  if (SuspendMarks(change))
    return PAGETIDE_OK;
  return change < 0 ? PAGETIDE_INVALID : PAGETIDE_NO_MEMORY;
}

PAGETIDE_EXPORT int __pagetide_api_flush(void) {
  PAGETIDE_NEED_CONTROL();
  return RequestFlush();
}
