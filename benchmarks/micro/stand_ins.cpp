//===- stand_ins.cpp - What the measured parts of the runtime call --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rest of the runtime is not here: it would intercept the benchmark's own
// calls. In its place there is a process with one thread, no trace and no
// recorder's thread.

#include "engines/audit_writes.h"
#include "platform/bailout.h"
#include "platform/deadly_calls.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/page_vec.h"
#include "platform/program_memory.h"
#include "platform/raw_thread.h"
#include "shadow/mark_checks.h"
#include "threads/slots.h"
#include "threads/unregistered.h"
#include "trace/pending_frames.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace pagetide {

static void print_message(const char *format, va_list arguments) {
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
}

void Fatal(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
  va_end(arguments);
  std::abort();
}

void Info(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
  va_end(arguments);
}

void BailOut(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
  va_end(arguments);
  std::abort();
}

bool UnderSystemCallFilter() { return false; }
const char *KnownDeadlyCall() { return nullptr; }

bool IsMapped(uptr, uptr) { return true; }

const Flags &GetFlags() {
  static const Flags kFlags = [] {
    Flags defaults = {};
    // The thread that marks is the one that collects: it is never seen blocked,
    // and has written all that it will. Nothing is to be carried on.
    defaults.settle = 0;
    return defaults;
  }();
  return kFlags;
}

// As in mark_checks.cpp, where it costs the snapshot two locked instructions.
static u64 takes;
TakingMarks::TakingMarks() { __atomic_fetch_add(&takes, 1, __ATOMIC_SEQ_CST); }
TakingMarks::~TakingMarks() { __atomic_fetch_add(&takes, 1, __ATOMIC_SEQ_CST); }

// No threads but the benchmark's own.
void ListUnregisteredThreads(PageVec<u32> &) {}
void ExpectUnregisteredThreads() {}
void FreeSlot(u32) {}
void ObserveThreadEnd(u32) {}
void RememberThreadArea(u32) {}

// Nobody but the benchmark's own thread releases periods.
bool WaitForRawThread(const RawThread &, const u32 *, u32) { return true; }

} // namespace pagetide
