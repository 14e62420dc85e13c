//===- plugin.cpp - Marks what a program in QEMU accesses -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin for qemu-x86_64. Each access is marked, once it has been made, in
// the shadow of its thread. What system calls read and write is marked at their
// return, by the tables that the runtime has.
//
// Arguments (NAME=VALUE): socket, of record; thread=1: threads count apart;
// compared=DIRECTORY: the program's marks are compared (comparison.h).

#include "engines/emulate/comparison.h"
#include "engines/emulate/guest_memory.h"
#include "engines/emulate/link.h"
#include "engines/emulate/programs.h"
#include "engines/emulate/qemu_plugin.h"
#include "engines/emulate/shadows.h"
#include "interceptors/raw_calls.h"

#include <sched.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <vector>

namespace pagetide::emulation {

namespace {

bool comparing() { return !settings.compared.empty(); }

constexpr int kCannotRecord = 125; ///< as record itself

//===- Accesses -----------------------------------------------------------===//

void mark_access(unsigned vcpu, qemu_plugin_meminfo_t info,
                 std::uint64_t address, bool write) {
  mark_range(shadow_of(vcpu), address,
             std::uint64_t{1} << qemu_plugin_mem_size_shift(info), write);
}

/// What QEMU says of a kind of access. It has some twenty kinds, and functions
/// that tell what their numbers mean. Most of the time goes into on_access, so
/// it looks the last ones up here.
struct Kind {
  explicit Kind(std::uint64_t packed = 0) : packed(packed) {}
  Kind(qemu_plugin_meminfo_t info, std::uint64_t more_bytes, bool write)
      : packed(info | more_bytes << 32 | std::uint64_t{write} << 40) {}

  bool is(qemu_plugin_meminfo_t info) const {
    return static_cast<std::uint32_t>(packed) == info;
  }
  std::uint64_t more_bytes() const { return packed >> 32 & 0xff; }
  std::uint64_t write() const { return packed >> 40; }

  std::uint64_t packed; ///< as one word: threads share the table
};

std::atomic<std::uint64_t> kinds[128] = {};

std::atomic<std::uint64_t> &kind_of(qemu_plugin_meminfo_t info) {
  return kinds[(info >> 4 & 0x1f) | (info >> 11 & 0x60)];
}

[[gnu::noinline]] void on_new_access(unsigned vcpu, qemu_plugin_meminfo_t info,
                                     std::uint64_t address) {
  const bool write = qemu_plugin_mem_is_store(info);
  kind_of(info) =
      Kind(info, (std::uint64_t{1} << qemu_plugin_mem_size_shift(info)) - 1,
           write)
          .packed;
  mark_access(vcpu, info, address, write);
}

void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address,
               void *) {
  const Kind kind(kind_of(info).load(std::memory_order_relaxed));
  std::uint8_t *const shadow = shadow_of_vcpu[vcpu];
  const std::uint64_t granule = address >> kShift;
  const std::uint64_t last = address + kind.more_bytes();
  constexpr std::uint64_t kEnd = std::uint64_t{1} << abi::kAddressBits;
  if (!kind.is(info) || !shadow || last >> kShift != granule || last >= kEnd)
      [[unlikely]]
    return on_new_access(vcpu, info, address);
  static_assert(abi::read_cell(kLayout) == 0 && abi::write_cell(kLayout) == 1);
  mark_cell(shadow + granule * abi::cells_per_index(kLayout) + kind.write());
}

/// Of a locked instruction QEMU reports one store if the program has threads.
void on_locked_access(unsigned vcpu, qemu_plugin_meminfo_t info,
                      std::uint64_t address, void *) {
  mark_access(vcpu, info, address, true);
  mark_access(vcpu, info, address, false);
}

/// Whether the instruction reads and writes in one step: it has a LOCK prefix,
/// or exchanges with memory.
bool is_locked(const std::uint8_t *code, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    switch (code[i]) {
    case 0xf0: // LOCK
    case 0x86: // XCHG
    case 0x87:
      return true;
    case 0x26: // other prefixes
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf2:
    case 0xf3:
      break;
    default:
      if ((code[i] & 0xf0) != 0x40) // REX
        return false;
    }
  return false;
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb *block) {
  for (std::size_t i = 0; i < qemu_plugin_tb_n_insns(block); ++i) {
    qemu_plugin_insn *const insn = qemu_plugin_tb_get_insn(block, i);
    if (const void *host = qemu_plugin_insn_haddr(insn))
      guest_base =
          reinterpret_cast<std::uint64_t>(host) - qemu_plugin_insn_vaddr(insn);
    const auto *code =
        static_cast<const std::uint8_t *>(qemu_plugin_insn_data(insn));
    const bool locked = is_locked(code, qemu_plugin_insn_size(insn));
    if (comparing())
      compare_instruction(insn, locked);
    else
      qemu_plugin_register_vcpu_mem_cb(
          insn, locked ? on_locked_access : on_access, QEMU_PLUGIN_CB_NO_REGS,
          QEMU_PLUGIN_MEM_RW, nullptr);
  }
}

//===- System calls -------------------------------------------------------===//

/// In a child of fork, QEMU's list of vCPUs still has those of the parent. A
/// new thread may get the number of one of them, and then QEMU fails an
/// assertion. QEMU's own hook for the end of a vCPU mends this. It looks at
/// nothing but the number in QEMU's structure, wherever that is: all words here
/// are that number.
void forget_other_vcpus(qemu_plugin_id_t id, unsigned own) {
  static std::vector<unsigned> others;
  others.clear();
  qemu_plugin_vcpu_for_each(
      id, [](qemu_plugin_id_t, unsigned vcpu) { others.push_back(vcpu); });
  constexpr std::size_t kMoreThanACpuState = 1U << 16;
  std::vector<unsigned> words(kMoreThanACpuState);
  for (const unsigned vcpu : others) {
    if (vcpu == own)
      continue;
    std::ranges::fill(words, vcpu);
    qemu_plugin_vcpu_exit_hook(words.data());
  }
}

/// QEMU forks although another thread may have the lock under which threads are
/// made. The child then has it for ever, and cannot make a thread. So one
/// thread at a time makes threads and processes, and a process is made when all
/// threads have begun: a new one takes that lock too.
std::mutex making;

bool makes_task(std::int64_t number) {
  return number == SYS_clone || number == SYS_fork || number == SYS_vfork;
}

void begin_making(std::int64_t number, std::uint64_t flags) {
  making.lock();
  const bool makes_thread =
      number == SYS_clone && flags & CLONE_VM && !(flags & CLONE_VFORK);
  while (!makes_thread && expected_threads() != 0) {
    making.unlock();
    ::sched_yield();
    making.lock();
  }
}

/// The call that a thread is in. A thread makes one at a time.
struct Call {
  std::int64_t number = -1;
  calls::u64 arguments[6] = {};
};
thread_local Call call;

void on_call(qemu_plugin_id_t, unsigned vcpu, std::int64_t number,
             std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
             std::uint64_t e, std::uint64_t f, std::uint64_t, std::uint64_t) {
  call = {number, {a, b, c, d, e, f}};
  shadow_of(vcpu); // also of a thread that has touched no memory
  if (comparing())
    compare_call(number, call.arguments);
  if (makes_task(number)) {
    begin_making(number, a);
  } else if (number == kEndPeriodCall) {
    tell(MessageKind::kEndPeriod, "", -1, /*answered=*/true);
  } else if (number == SYS_execve) {
    if (comparing())
      write_comparison();
    const MarksOf marks(shadow_of(vcpu));
    before_execve(a, b, c);
  }
}

void on_return(qemu_plugin_id_t id, unsigned vcpu, std::int64_t number,
               std::int64_t result) {
  if (call.number != number)
    return; // a new thread begins in the middle of one
  if (makes_task(number))
    making.unlock();
  if (take_forked()) {
    forget_other_vcpus(id, vcpu);
    if (comparing())
      compare_forked();
  }
  const MarksOf marks(shadow_of(vcpu));
  constexpr std::int64_t kMaxErrno = 4095;
  const bool failed = result < 0 && result >= -kMaxErrno;
  if (failed)
    errno = static_cast<int>(-result);
  const auto &arguments = call.arguments;
  if (comparing() && !failed)
    compare_return(number, arguments, static_cast<std::uint64_t>(result));
  calls::DidCall(number, failed ? -1 : result, arguments);
  // The kernel stores the new thread's number for its maker.
  if (number == SYS_clone && !failed && arguments[0] & CLONE_PARENT_SETTID)
    calls::MarkWrite(arguments[2], sizeof(int));
}

//===- Begin and end ------------------------------------------------------===//

void on_thread(qemu_plugin_id_t, unsigned vcpu) {
  if (vcpu < kMaxVcpus)
    return expect(vcpu);
  complain("more threads than Linux can have; the program was ended");
  std::_Exit(kCannotRecord);
}
void on_thread_end(qemu_plugin_id_t, unsigned vcpu) { detach(vcpu); }

void on_exit(qemu_plugin_id_t, void *) {
  if (comparing())
    write_comparison();
  tell(MessageKind::kLastLook, "", -1, /*answered=*/true);
}

bool read_argument(std::string_view argument) {
  constexpr std::string_view kSocket = "socket=", kThread = "thread=",
                             kCompared = "compared=";
  if (argument.starts_with(kSocket))
    settings.socket = argument.substr(kSocket.size());
  else if (argument.starts_with(kThread))
    settings.by_thread = argument.substr(kThread.size()) == "1";
  else if (argument.starts_with(kCompared))
    settings.compared = argument.substr(kCompared.size());
  else
    return false;
  return true;
}

} // namespace

} // namespace pagetide::emulation

int qemu_plugin_version = 1;

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *, int argc,
                        char **argv) {
  using namespace pagetide::emulation;
  for (int i = 0; i < argc; ++i)
    if (!read_argument(argv[i])) {
      complain(std::string("the plugin has no argument ") + argv[i]);
      return -1;
    }
  remember_command_line();
  if (!open_shadows()) {
    if (record_has_gone(errno))
      run_without_qemu();
    complain(std::string("engine emulate cannot begin, so the program was not "
                         "started: no shadows, or no way to record: ") +
             std::strerror(errno));
    std::_Exit(kCannotRecord);
  }
  qemu_plugin_register_vcpu_init_cb(id, on_thread);
  qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}
