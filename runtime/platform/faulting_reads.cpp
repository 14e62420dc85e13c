//===- faulting_reads.cpp - Read memory that may not be there -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/faulting_reads.h"

#include "platform/fork_reset.h"

#include <signal.h>
#include <sys/syscall.h>

namespace pagetide {

namespace {
struct FaultingReader {
  u32 pid;
  bool reads;
  void *way_out[5]; ///< as __builtin_setjmp fills it
};
/// As the kernel has it.
struct Action {
  void (*handler)(int);
  u64 flags;
  void (*restorer)();
  u64 mask;
};
} // namespace

PAGETIDE_RECORDER_STATE static FaultingReader readers[kMaxFaultingReaders];

static bool avoided;

void AvoidFaultingReads() { StoreRelease(&avoided, true); }

bool AvoidsFaultingReads() { return LoadAcquire(&avoided); }

static void OnFault(int) {
  const u32 pid = GetPidRaw();
  for (FaultingReader &reader : readers)
    if (reader.pid == pid && reader.reads)
      __builtin_longjmp(reader.way_out, 1);
  Syscall(SYS_exit_group, 1); // a defect of the runtime: the recorder goes on
}

constexpr uptr kFaults[] = {SIGSEGV, SIGBUS};

void BecomeFaultingReader(u32 number) {
  readers[number] = {GetPidRaw(), false, {}};
  // The kernel asks for a restorer, but the handler does not return.
  constexpr u64 kSaRestorer = 0x04000000;
  const Action action = {OnFault, SA_NODEFER | kSaRestorer, nullptr, 0};
  u64 faults = 0;
  for (const uptr signal : kFaults) {
    Syscall(SYS_rt_sigaction, signal, (uptr)&action, 0, sizeof(u64));
    faults |= u64{1} << (signal - 1);
  }
  Syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (uptr)&faults, 0, sizeof(u64));
}

// Not inlined: __builtin_setjmp keeps no registers, so a caller could lose what
// it holds in them.
__attribute__((noinline)) bool ReadIfThere(u32 number, void (*read)(void *),
                                           void *argument) {
  FaultingReader &reader = readers[number];
  const bool there = !__builtin_setjmp(reader.way_out);
  if (there) {
    __atomic_store_n(&reader.reads, true, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    read(argument);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  __atomic_store_n(&readers[number].reads, false, __ATOMIC_RELAXED);
  return there;
}

} // namespace pagetide
