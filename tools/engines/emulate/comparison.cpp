//===- comparison.cpp - Marks against the accesses that they stand for ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/comparison.h"

#include "engines/emulate/guest_memory.h"
#include "engines/emulate/images.h"
#include "engines/emulate/link.h"
#include "engines/emulate/shadows.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pagetide::emulation {

namespace {

//===- Code ---------------------------------------------------------------===//

/// An instruction that touches memory.
struct Code {
  const Image *image = nullptr;
  std::uint64_t pc = 0;
  bool demands = false; ///< the pass must have marked what it accesses
  bool is_mark = false;
  bool may = false; ///< a mark of what is only possible
  bool locked = false;
};

/// Accesses of code generation: frames, the linker's stubs, the head of the
/// thread's control block. The contract leaves them out.
bool is_generated(const std::string &text) {
  const auto has = [&](const char *part) {
    return text.find(part) != std::string::npos;
  };
  for (const char *word : {"push", "pop", "call", "ret", "leave", "enter"})
    if (text.starts_with(word))
      return true;
  return has("(%rsp") || (has("jmp") && has("(%rip)")) || has("%fs:0x28") ||
         has("%fs:(0)") || has("%fs:0,") || has("%fs:0x0");
}

Code *code_of(const qemu_plugin_insn *insn, bool locked) {
  auto *const code = new Code; // QEMU keeps it for as long as the process lives
  code->pc = qemu_plugin_insn_vaddr(insn);
  code->image = image_at(code->pc);
  code->locked = locked;
  if (!code->image)
    return code;
  char *const disassembled = qemu_plugin_insn_disas(insn);
  const std::string text = disassembled ? disassembled : "";
  std::free(disassembled);
  code->is_mark = text.find("%gs:") != std::string::npos;
  code->may = text.find("cmpxchg") != std::string::npos;
  code->demands = code->image->note && !code->is_mark && !is_generated(text);
  return code;
}

//===- What was found -----------------------------------------------------===//

std::mutex lock; ///< of all but atomics, and what is a thread's own

enum class Fault { kLost, kClaimed };
/// Of a page, how it was accessed, and the instruction.
using Key = std::tuple<Fault, const Image *, std::uint64_t /*pc*/,
                       std::uint64_t /*granule*/, bool /*write*/>;
struct Times {
  std::uint64_t first_period, last_period, stretches;
};
std::map<Key, Times> faults;
constexpr std::size_t kMaxFaults = 1U << 16;

/// Marks of the runtime: what it does for the program may take several calls.
std::map<std::pair<std::uint64_t, bool>, const Code *> runtime_marks;

std::atomic<bool> active = false; ///< the program is recorded
std::atomic<std::uint64_t> periods = 0;
std::atomic<std::uint64_t> compared = 0; ///< pages x stretches, each kind
std::atomic<const Image *> settings_of = nullptr; ///< whose note all agree on

std::atomic<const std::vector<Range> *> shadows{new std::vector<Range>};
std::vector<Range> stacks, stack_mappings;
bool main_stack_known = false;

void add_fault(Fault fault, const Code &code, std::uint64_t granule, bool write,
               std::uint64_t now) {
  const std::lock_guard hold(lock);
  if (faults.size() >= kMaxFaults)
    return;
  Times &times = faults
                     .try_emplace({fault, code.image, code.pc, granule, write},
                                  Times{now, now, 0})
                     .first->second;
  times.last_period = now;
  ++times.stretches;
}

//===- Threads ------------------------------------------------------------===//

/// Stretches in which each kind was last marked and accessed: reads, writes.
struct Page {
  std::uint32_t marked[2] = {};
  std::uint32_t accessed[2] = {};
};

struct Thread {
  std::unordered_map<std::uint64_t, Page> pages;
  struct Mark {
    const Code *code;
    std::uint64_t granule;
    bool write;
    std::uint32_t stretch;
    std::uint64_t period;
  };
  std::vector<Mark> marks;   ///< of instrumented code, in this stretch
  std::vector<Mark> claimed; ///< not accessed, in the last stretches
  std::uint64_t compared = 0;
  std::uint32_t stretch = 1;
  /// A signal handler has returned, which made calls of its own between mark
  /// and access.
  bool after_signal = false;
  bool of_runtime = false; ///< the recorder's own

  /// Most accesses are as the one before by the same instruction.
  struct Last {
    const Code *code = nullptr;
    std::uint64_t granule = 0;
    std::uint32_t stretch = 0;
    bool write = false;
    bool operator==(const Last &) const = default;
  };
  static constexpr std::size_t kLast = 1U << 12;
  std::vector<Last> last = std::vector<Last>(kLast);

  bool is_new(const Code &code, std::uint64_t granule, bool write) {
    Last &place =
        last[(reinterpret_cast<std::uintptr_t>(&code) / sizeof(Code) * 2 +
              write) %
             kLast];
    const Last now = {&code, granule, stretch, write};
    if (place == now)
      return false;
    place = now;
    return true;
  }
};
thread_local Thread thread;

abi::ModuleInfo info() { return *settings_of.load()->note; }
unsigned granule_shift() { return info().granule_shift; }
abi::Layout layout() {
  return abi::plain_layout(static_cast<abi::Layout>(info().layout));
}

/// Signal handlers end no stretch: but they are seen when they return. So what
/// is claimed waits for a while.
void keep_claims(std::uint32_t until) {
  std::erase_if(thread.claimed, [&](const Thread::Mark &mark) {
    if (mark.stretch > until)
      return false;
    add_fault(Fault::kClaimed, *mark.code, mark.granule, mark.write,
              mark.period);
    return true;
  });
}

bool was_accessed(const Page &page, bool write) {
  return page.accessed[write] == thread.stretch ||
         (layout() == abi::Layout::kAccess &&
          page.accessed[!write] == thread.stretch);
}

void end_stretch(bool signal_handler_returns) {
  Thread &t = thread;
  for (const Thread::Mark &mark : t.marks)
    if (!was_accessed(t.pages[mark.granule], mark.write))
      t.claimed.push_back(mark);
  t.marks.clear();
  constexpr std::uint32_t kWaits = 64;
  if (signal_handler_returns)
    t.claimed.clear();
  else if (t.stretch > kWaits)
    keep_claims(t.stretch - kWaits);
  t.after_signal = signal_handler_returns;
  ++t.stretch;
  compared += std::exchange(t.compared, 0);
}

//===- Accesses -----------------------------------------------------------===//

/// Whether the contract says nothing of it: stacks, constants, Pagetide's own.
bool is_outside(const Code &code, std::uint64_t address) {
  if (address == code.image->marks_on || !is_writable(address) ||
      is_of_runtime(address))
    return true;
  const std::lock_guard hold(lock);
  return std::ranges::any_of(
      stacks, [&](const Range &stack) { return stack.holds(address); });
}

void look_at(const Code &code, std::uint64_t address, std::uint64_t granule,
             bool write) {
  Thread &t = thread;
  if (!t.is_new(code, granule, write) ||
      (!write && layout() == abi::Layout::kWrite))
    return;
  Page &page = t.pages[granule];
  page.accessed[write] = t.stretch;
  if (!code.demands)
    return;
  ++t.compared;
  const std::uint32_t marked = page.marked[write];
  if (marked != t.stretch && !(t.after_signal && marked) &&
      !is_outside(code, address)) {
    add_fault(Fault::kLost, code, granule, write, periods);
  }
}

void on_one_access(unsigned vcpu, const Code &code, std::uint64_t address,
                   std::uint64_t bytes, bool write) {
  mark_range(shadow_of(vcpu), address, bytes, write);
  if (!active || thread.of_runtime)
    return;
  const unsigned shift = granule_shift();
  for (std::uint64_t granule = address >> shift;
       granule <= (address + bytes - 1) >> shift; ++granule)
    look_at(code, std::max(address, granule << shift), granule, write);
}

/// The runtime counts what it begins and ends.
void look_for_boundary(const Image &runtime, std::uint64_t address) {
  if (address == runtime.boundaries)
    active = settings_of.load() != nullptr;
  else if (address == runtime.boundaries + sizeof(std::uint64_t))
    ++periods;
}

/// The loader's first push.
void learn_main_stack(std::uint64_t address) {
  const std::lock_guard hold(lock);
  if (!std::exchange(main_stack_known, true))
    stacks.push_back(mapping_at(address));
}

void on_access(unsigned vcpu, qemu_plugin_meminfo_t kind, std::uint64_t address,
               void *user) {
  const Code &code = *static_cast<const Code *>(user);
  const bool write = qemu_plugin_mem_is_store(kind);
  const std::uint64_t bytes = std::uint64_t{1}
                              << qemu_plugin_mem_size_shift(kind);
  if (!main_stack_known && write)
    learn_main_stack(address);
  if (write && code.image && code.image->boundaries)
    look_for_boundary(*code.image, address);
  on_one_access(vcpu, code, address, bytes, write);
  if (code.locked && write)
    on_one_access(vcpu, code, address, bytes, false);
}

//===- Marks --------------------------------------------------------------===//

void mark_page(const Code &code, std::uint64_t granule, bool write, bool may) {
  Thread &t = thread;
  if (!t.is_new(code, granule, write))
    return;
  Page &page = t.pages[granule];
  page.marked[write] = t.stretch;
  if (layout() == abi::Layout::kAccess)
    page.marked[!write] = t.stretch;
  if (may || granule == abi::kCoveredAddress)
    return;
  if (code.image->note)
    return t.marks.push_back({&code, granule, write, t.stretch, periods});
  const std::lock_guard hold(lock);
  runtime_marks.try_emplace({granule, write}, &code);
}

/// A mark in the last of a granule's cells may mean the next granule.
void mark_cell_number(const Code &code, std::uint64_t cell) {
  const abi::ModuleInfo module = info();
  const unsigned kinds = abi::cells_per_index(layout());
  const bool write = cell % kinds == abi::write_cell(layout());
  const std::uint64_t index = cell / kinds;
  const unsigned cells_shift = module.granule_shift - module.cell_shift;
  const std::uint64_t granule = index >> cells_shift;
  const bool doubtful =
      cells_shift != 0 && (index + 1) >> cells_shift != granule;
  mark_page(code, granule, write, code.may || doubtful);
  if (doubtful)
    mark_page(code, granule + 1, write, true);
}

void on_mark(unsigned, qemu_plugin_meminfo_t kind, std::uint64_t address,
             void *user) {
  if (!active || thread.of_runtime || !qemu_plugin_mem_is_store(kind))
    return;
  for (const Range &shadow : *shadows.load()) {
    if (!shadow.holds(address))
      continue;
    const std::uint64_t bytes =
        abi::cell_bytes(static_cast<abi::Layout>(info().layout));
    const std::uint64_t stored = std::uint64_t{1}
                                 << qemu_plugin_mem_size_shift(kind);
    for (std::uint64_t at = 0; at < stored; at += bytes)
      mark_cell_number(*static_cast<const Code *>(user),
                       (address - shadow.begin + at) / bytes);
    return;
  }
}

//===- System calls -------------------------------------------------------===//

void remove(std::vector<Range> &ranges, Range gone) {
  std::erase_if(ranges, [&](const Range &range) {
    return range.begin < gone.end && gone.begin < range.end;
  });
}

bool is_shadow_file(std::uint64_t fd) {
  char name[64] = {};
  const std::string link =
      "/proc/thread-self/fd/" + std::to_string(static_cast<int>(fd));
  return ::readlink(link.c_str(), name, sizeof(name) - 1) > 0 &&
         std::strncmp(name, "/memfd:pagetide-shadow", 22) == 0;
}

void learn_mapping(const calls::u64 *arguments, std::uint64_t begin) {
  const Range range = {begin, begin + arguments[1]};
  const std::uint64_t flags = arguments[3];
  const std::lock_guard hold(lock);
  remove(stacks, range);
  remove(stack_mappings, range);
  if (flags & MAP_STACK && flags & MAP_ANONYMOUS)
    stack_mappings.push_back(range);
  if (!(flags & MAP_ANONYMOUS) && is_shadow_file(arguments[4])) {
    auto *const all = new std::vector<Range>(*shadows.load()); // some may read
    remove(*all, range);                                       // the old one
    all->push_back(range);
    shadows = all;
  }
}

/// A thread's stack ends where it begins, in a mapping made for it.
void learn_stack(std::uint64_t end) {
  const std::lock_guard hold(lock);
  for (const Range &mapping : stack_mappings)
    if (mapping.holds(end - 1))
      stacks.push_back({mapping.begin, end});
}

const char *word(Fault fault) {
  return fault == Fault::kLost ? "lost" : "claimed";
}

} // namespace

void compare_instruction(qemu_plugin_insn *insn, bool locked) {
  Code *const code = code_of(insn, locked);
  if (code->image && code->image->note && !settings_of)
    settings_of = code->image;
  qemu_plugin_register_vcpu_mem_cb(insn, code->is_mark ? on_mark : on_access,
                                   QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                   code);
}

void compare_call(std::int64_t number, const calls::u64 *arguments) {
  if (active && !thread.of_runtime)
    end_stretch(number == SYS_rt_sigreturn);
  if (number == SYS_prctl && arguments[0] == PR_SET_NAME &&
      string_at(arguments[1], 16).starts_with("pagetide"))
    thread.of_runtime = true;
  if (number == SYS_clone && arguments[0] & CLONE_VM && arguments[1] != 0)
    learn_stack(arguments[1]);
}

void compare_return(std::int64_t number, const calls::u64 *arguments,
                    std::uint64_t result) {
  switch (number) {
  case SYS_mmap:
    learn_mapping(arguments, result);
    [[fallthrough]];
  case SYS_munmap:
  case SYS_mprotect:
  case SYS_mremap:
  case SYS_brk:
    forget_mappings();
    break;
  default:
    break;
  }
}

void compare_forked() {
  // The parent's other threads are not here, and its findings are its own.
  faults.clear();
  runtime_marks.clear();
  thread = Thread();
  active = false;
  periods = compared = 0;
  forget_mappings();
}

void write_comparison() {
  if (!thread.of_runtime)
    end_stretch(false);
  keep_claims(thread.stretch);
  const std::lock_guard hold(lock);
  if (!settings_of)
    return;
  // Who writes last knows the most, should exec have failed before.
  static std::string path;
  for (unsigned n = 0; path.empty(); ++n) {
    std::string free = settings.compared + "/" + std::to_string(::getpid()) +
                       "." + std::to_string(n);
    if (::access(free.c_str(), F_OK) != 0)
      path = free;
  }
  std::ofstream file(path, std::ios::trunc);
  file << "of " << ::getpid() << ' ' << periods << ' ' << compared << ' '
       << granule_shift() << '\n';
  std::uint8_t *const everyone = shadow_of_process();
  for (const auto &[page, code] : runtime_marks) {
    bool accessed = false;
    for (const bool write : {false, true})
      if (write == page.second || layout() == abi::Layout::kAccess)
        for_each_cell(everyone, page.first << granule_shift(),
                      std::uint64_t{1} << granule_shift(), write,
                      [&](const std::uint8_t *cell) { accessed |= *cell; });
    if (!accessed)
      faults.try_emplace(
          {Fault::kClaimed, code->image, code->pc, page.first, page.second},
          Times{0, 0, 1});
  }
  for (const auto &[key, times] : faults) {
    const auto &[fault, image, pc, granule, write] = key;
    // The recording had ended.
    if (times.first_period >= periods)
      continue;
    const bool either =
        fault == Fault::kClaimed && layout() == abi::Layout::kAccess;
    file << word(fault) << ' '
         << (either  ? "accessed"
             : write ? "written"
                     : "read")
         << ' ' << (granule << granule_shift()) << ' ' << times.first_period
         << ' ' << times.last_period << ' ' << times.stretches << ' '
         << pc - image->code.begin + image->code_offset << ' ' << image->path
         << '\n';
  }
}

} // namespace pagetide::emulation
