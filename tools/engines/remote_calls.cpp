//===- remote_calls.cpp - System calls made in another process ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/remote_calls.h"

#include "engines/process_facts.h"
#include "support/failure.h"
#include "support/unique_fd.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>

namespace pagetide::tools {

namespace {

// Results that the kernel keeps to itself (include/linux/errno.h).
constexpr long kRestartSys = -512, kRestartNoIntr = -513, kRestartNoHand = -514,
               kRestartBlock = -516;
constexpr std::uint64_t kNoCall = ~std::uint64_t{0};
constexpr std::uint64_t kCallBytes = 2; // of the instruction

enum class Timeout { kNone, kMilliseconds, kPointer };

/// Calls that fail with EINTR although no signal has come, if a stop meets them
/// while they wait. The register has the longest time to wait.
struct InterruptedCall {
  long number;
  Timeout timeout;
  unsigned long long user_regs_struct::*where;
};
constexpr InterruptedCall kInterruptedCalls[] = {
    {SYS_epoll_wait, Timeout::kMilliseconds, &user_regs_struct::r10},
    {SYS_epoll_pwait, Timeout::kMilliseconds, &user_regs_struct::r10},
    {441 /*epoll_pwait2*/, Timeout::kPointer, &user_regs_struct::r10},
    {SYS_semop, Timeout::kNone, nullptr},
    {SYS_semtimedop, Timeout::kPointer, &user_regs_struct::r10},
    {SYS_msgrcv, Timeout::kNone, nullptr},
    {SYS_msgsnd, Timeout::kNone, nullptr},
    {SYS_read, Timeout::kNone, nullptr}, // of inotify
    {SYS_rt_sigtimedwait, Timeout::kPointer, &user_regs_struct::rdx},
    {SYS_io_getevents, Timeout::kPointer, &user_regs_struct::r8},
};

[[noreturn]] void fail_thread(pid_t tid, const char *what) {
  throw Failure(fmt::format("{} of thread {}: {}; the program goes on "
                            "unchanged",
                            what, tid, std::strerror(errno)));
}

/// The address of a system call instruction in the thread's vdso.
std::uint64_t find_call_instruction(pid_t tid) {
  constexpr std::uint8_t kCall[] = {0x0f, 0x05};
  const std::optional<Mappings> mappings = mappings_of(tid);
  const UniqueFd memory(
      ::open(fmt::format("/proc/{}/mem", tid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!mappings || !memory)
    fail_thread(tid, "looking at the memory");
  for (const Mapping &mapping : mappings->mappings) {
    if (mapping.name != "[vdso]")
      continue;
    std::vector<std::uint8_t> code(mapping.bytes);
    if (::pread(memory.get(), code.data(), code.size(),
                static_cast<off_t>(mapping.start)) !=
        static_cast<ssize_t>(code.size()))
      fail_thread(tid, "reading the vdso");
    const auto found = std::ranges::search(code, kCall);
    if (!found.empty())
      return mapping.start +
             static_cast<std::uint64_t>(found.begin() - code.begin());
  }
  throw Failure(fmt::format("thread {} has no vdso with a system call (boot "
                            "option vdso=0?); take --engine soft-dirty",
                            tid));
}

/// Sets the registers so that an interrupted call begins again without the
/// kernel's help.
void step_back(user_regs_struct &registers) {
  const auto result = static_cast<long>(registers.rax);
  if (static_cast<long>(registers.orig_rax) < 0)
    return;
  if (result == kRestartSys || result == kRestartNoIntr ||
      result == kRestartNoHand)
    registers.rax = registers.orig_rax;
  else if (result == kRestartBlock)
    registers.rax = SYS_restart_syscall;
  else
    return;
  registers.rip -= kCallBytes;
  registers.orig_rax = kNoCall;
}

} // namespace

bool begin_call_again(user_regs_struct &registers, std::uint64_t elapsed_ms) {
  if (static_cast<long>(registers.rax) != -EINTR)
    return false;
  const auto *const call = std::ranges::find(
      kInterruptedCalls, static_cast<long>(registers.orig_rax),
      &InterruptedCall::number);
  if (call == std::end(kInterruptedCalls))
    return false;
  if (call->timeout == Timeout::kPointer && registers.*call->where != 0)
    return false;
  if (call->timeout == Timeout::kMilliseconds) {
    const auto left = static_cast<std::int32_t>(registers.*call->where);
    if (left > 0)
      registers.*call->where =
          static_cast<std::uint64_t>(std::max<std::int64_t>(
              left - static_cast<std::int64_t>(elapsed_ms), 0));
  }
  // Unless a handler runs: then the call fails with EINTR as it should.
  registers.rax = static_cast<std::uint64_t>(kRestartNoHand);
  return true;
}

RemoteCalls::RemoteCalls(pid_t tid, From from) : tid_(tid) {
  instruction_ = find_call_instruction(tid);
  if (from == From::kExec)
    run_to_stop();
  if (::ptrace(PTRACE_GETREGS, tid_, nullptr, &saved_) != 0 ||
      ::ptrace(static_cast<__ptrace_request>(PTRACE_GETSIGMASK), tid_,
               sizeof(saved_mask_), &saved_mask_) != 0)
    fail_thread(tid_, "reading the registers");
  std::uint64_t all = ~std::uint64_t{0};
  if (::ptrace(static_cast<__ptrace_request>(PTRACE_SETSIGMASK), tid_,
               sizeof(all), &all) != 0)
    fail_thread(tid_, "blocking the signals");
  saved_all_ = true;
  begin_call_again(saved_, 0);
  step_back(saved_);
}

RemoteCalls::~RemoteCalls() {
  if (saved_all_)
    restore();
}

void RemoteCalls::restore() {
  ::ptrace(PTRACE_SETREGS, tid_, nullptr, &saved_);
  ::ptrace(static_cast<__ptrace_request>(PTRACE_SETSIGMASK), tid_,
           sizeof(saved_mask_), &saved_mask_);
  for (const int signal : swallowed_)
    ::kill(tid_, signal);
}

/// Continues to the next stop at the begin or the end of a system call.
void RemoteCalls::run_to_stop() {
  while (true) {
    if (::ptrace(PTRACE_SYSCALL, tid_, nullptr, nullptr) != 0)
      fail_thread(tid_, "continuing");
    // An end must stay for the loop that waits for all threads.
    siginfo_t info = {};
    while (::waitid(P_PID, static_cast<id_t>(tid_), &info,
                    WEXITED | WSTOPPED | WNOWAIT | __WALL) != 0)
      if (errno != EINTR)
        fail_thread(tid_, "waiting");
    const int event = info.si_status >> 8;
    const bool stopped =
        info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED;
    if (!stopped || event == PTRACE_EVENT_EXIT) {
      saved_all_ = false; // nothing to restore
      throw Failure(fmt::format("thread {} ended", tid_));
    }
    int status = 0;
    ::waitpid(tid_, &status, __WALL);
    if (status >> 8 == (SIGTRAP | 0x80))
      return;
    if (event == 0) // SIGSTOP, which cannot be blocked
      swallowed_.push_back(WSTOPSIG(status));
  }
}

long RemoteCalls::call(long number, std::array<std::uint64_t, 5> arguments) {
  user_regs_struct registers = saved_;
  registers.rip = instruction_;
  registers.rax = static_cast<std::uint64_t>(number);
  registers.orig_rax = kNoCall;
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.r10 = arguments[3];
  registers.r8 = arguments[4];
  if (::ptrace(PTRACE_SETREGS, tid_, nullptr, &registers) != 0)
    fail_thread(tid_, "setting the registers");
  run_to_stop(); // at its begin
  run_to_stop(); // at its end
  if (::ptrace(PTRACE_GETREGS, tid_, nullptr, &registers) != 0)
    fail_thread(tid_, "reading the registers");
  return static_cast<long>(registers.rax);
}

} // namespace pagetide::tools
