//===- plugin.cpp - Every access of a program, as QEMU makes it -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin for qemu-x86_64. It writes down which granules the program touches
// in each period, how, and by which instructions. A period ends when the
// runtime stores to its __pagetide_boundaries. The plugin knows nothing else
// about the runtime, except that GS points at shadows. compare.py compares its
// output with the trace of the same run. It shares no code with Pagetide, on
// purpose.
//
// Arguments (NAME=VALUE):
//   out      file to write; a forked child appends its number
//   modules  what is instrumented, and where things are in it (elf_ranges.py)
//   shift    log2 of a granule
//   layout   rw, access or write: what a store through GS says
//   cells    log2 of a granule's cells of each kind (precision near: not 0)
//   width    bytes of a cell: 1, or 4 where it names a site
//
//===----------------------------------------------------------------------===//

#include "qemu_plugin.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "modules.h"
#include "syscalls.h"

namespace {

using namespace oracle;

//===- What is written down -----------------------------------------------===//

/// Ways in which a granule is touched: reads have even bits, writes the next.
enum Way : u32 {
  kInstrumented = 0,  ///< by instrumented code, and none of the next two
  kStack = 2,         ///< by instrumented code, in a thread's stack
  kConstant = 4,      ///< by instrumented code, in what code generation made
  kPlain = 6,         ///< by other code
  kRuntime = 8,       ///< by the runtime, on a thread of the program
  kKernel = 10,       ///< by the kernel, for a system call
  kMark = 12,         ///< no access: its mark
  kMay = 14,          ///< no access: its mark, if there was none
  kStackPointer = 16, ///< kStack, but not by push, call or a frame's register
  /// kInstrumented, by a load under a mask: QEMU 7.2 reads the whole vector,
  /// where a processor reads the elements that the mask chooses. Explains an
  /// entry of the trace, but demands none.
  kMasked = 18,
};
constexpr u32 kWays = 10;

/// One granule, as one thread touched it in one period.
struct Record {
  u64 granule;
  u32 ways;             ///< bit Way, or Way + 1
  u32 codes[2 * kWays]; ///< for each, the first instruction that did
};

struct Group { ///< of records, in the file
  u32 period, tid, records, reserved;
};

/// An instruction that touches memory.
struct Code {
  u64 pc;
  u32 index; ///< in `codes`
  bool instrumented;
  bool runtime;
  bool frame;          ///< push, call, ret, or through rsp or rbp
  bool thread_pointer; ///< reads the thread pointer or the stack guard
  bool atomic; ///< a store of it stands for a load too: QEMU reports one
  bool masked; ///< by a vector of booleans
  bool may;    ///< a mark by compare-and-exchange
  std::string bytes, text;
  /// The last load and store noted, so that most accesses are done with at
  /// once: period, thread, granule.
  std::atomic<u64> last[2];
};

//===- Settings -----------------------------------------------------------===//

std::string out_path;
pid_t first_pid;
u32 shift = 12;
u32 cells_shift = 0;
u64 cell_bytes = 1;
enum class Layout { kRw, kAccess, kWrite } layout = Layout::kRw;

std::mutex lock; ///< of all that is not a thread's own

std::set<u32> strangers; ///< marks made by the runtime's own threads

//===- Threads and periods ------------------------------------------------===//

/// 0: nothing is recorded yet; otherwise the running period + 1.
std::atomic<u32> epoch{0};
std::atomic<u32> recordings{0};  ///< begun
std::atomic<u64> stray_marks{0}; ///< stores through GS beside all shadows

/// What one thread touched. Only the thread itself uses it, until the end.
class Thread {
public:
  explicit Thread(unsigned vcpu) : vcpu_(vcpu) { table_.resize(1024); }

  void note(u64 granule, u32 way, u32 code) {
    const u32 now = epoch.load(std::memory_order_acquire);
    if (!now)
      return;
    if (now != epoch_)
      finish();
    epoch_ = now;
    if (!tid_)
      tid_ = static_cast<u32>(::syscall(SYS_gettid));
    Record &record = find(granule);
    if (record.ways >> way & 1)
      return;
    record.ways |= 1u << way;
    record.codes[way] = code;
  }

  /// Puts what there is of the period aside.
  void finish() {
    if (records_.empty())
      return;
    groups_.push_back({epoch_ - 1, tid_, static_cast<u32>(records_.size()), 0});
    finished_.insert(finished_.end(), records_.begin(), records_.end());
    records_.clear();
    table_.assign(table_.size(), 0);
  }

  /// Writes it all, and says which codes it names.
  void write(FILE *file, std::vector<bool> &named) const {
    for (const Record &record : finished_)
      for (u32 way = 0; way < 2 * kWays; ++way)
        if (record.ways >> way & 1 && way / 2 != kKernel / 2)
          named[record.codes[way]] = true;
    const Record *next = finished_.data();
    for (const Group &group : groups_) {
      std::fwrite(&group, sizeof(group), 1, file);
      std::fwrite(next, sizeof(Record), group.records, file);
      next += group.records;
    }
  }

  unsigned vcpu() const { return vcpu_; }

  bool of_runtime = false; ///< the recorder's thread, or the writer's

  // The system call under way.
  u64 call[6] = {};
  std::int64_t call_number = -1;

private:
  Record &find(u64 granule) {
    if (records_.size() * 2 > table_.size()) {
      table_.assign(table_.size() * 4, 0);
      for (u32 i = 0; i < records_.size(); ++i)
        *place_of(records_[i].granule) = i + 1;
    }
    u32 *place = place_of(granule);
    if (!*place) {
      records_.push_back({granule, 0, {}});
      *place = static_cast<u32>(records_.size());
    }
    return records_[*place - 1];
  }
  u32 *place_of(u64 granule) {
    for (u64 i = granule * 0x9e3779b97f4a7c15u >> 20;; ++i) {
      u32 &place = table_[i & (table_.size() - 1)];
      if (!place || records_[place - 1].granule == granule)
        return &place;
    }
  }

  unsigned vcpu_;
  u32 tid_ = 0, epoch_ = 0;
  std::vector<Record> records_; ///< of the running period
  std::vector<u32> table_;      ///< of their numbers + 1, by granule
  std::vector<Group> groups_;
  std::vector<Record> finished_;
};

constexpr unsigned kMaxThreads = 4096;
std::atomic<Thread *> threads[kMaxThreads]; ///< by vCPU
std::vector<Thread *> all_threads;

void on_thread(qemu_plugin_id_t, unsigned vcpu) {
  if (vcpu >= kMaxThreads)
    die("too many threads", std::to_string(vcpu));
  auto *thread = new Thread(vcpu);
  std::lock_guard hold(lock);
  all_threads.push_back(thread);
  threads[vcpu] = thread;
}

//===- Accesses -----------------------------------------------------------===//

std::atomic<bool> stack_known{false};

/// The first store of a process is a push of the loader's start.
void learn_main_stack(u64 address) {
  std::lock_guard hold(lock);
  if (stack_known)
    return;
  for (const Mapping &mapping : read_maps())
    if (address >= mapping.begin && address < mapping.end)
      stacks.add({mapping.begin, mapping.end});
  stack_known = true;
}

/// Whether all of a granule is touched in the same way by one instruction.
bool is_uniform(u64 granule) {
  u64 begin = granule << shift, end = (granule + 1) << shift;
  if (constants.touches(begin, end))
    return false;
  const Range *stack = stacks.find(begin);
  return stack ? end <= stack->end : !stacks.touches(begin, end);
}

u32 way_of(const Code &code, u64 address, bool store) {
  if (code.runtime)
    return kRuntime;
  if (!code.instrumented)
    return kPlain;
  if (stacks.find(address))
    return kStack;
  if (code.thread_pointer || constants.find(address))
    return kConstant;
  return code.masked && !store ? kMasked : kInstrumented;
}

void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, u64 address,
               void *user) {
  Code &code = *static_cast<Code *>(user);
  const u32 store = qemu_plugin_mem_is_store(info);
  const u64 last = address + (u64{1} << qemu_plugin_mem_size_shift(info)) - 1;
  const u64 granule = address >> shift;
  const u64 key = u64{epoch.load(std::memory_order_relaxed)} << 44 ^
                  u64 { vcpu } << 36 ^ granule;
  if (granule == last >> shift &&
      code.last[store].load(std::memory_order_relaxed) == key)
    return;
  if (!stack_known && store)
    learn_main_stack(address);
  if (!epoch)
    return;
  Thread &thread = *threads[vcpu];
  if (thread.of_runtime || shadows.find(address))
    return;
  for (u64 g = granule; g <= last >> shift; ++g) {
    u64 first = std::max(address, g << shift);
    u32 way = way_of(code, first, store);
    thread.note(g, way + store, code.index);
    if (code.atomic)
      thread.note(g, way, code.index);
    if (way == kStack && !code.frame)
      thread.note(g, kStackPointer + store, code.index);
  }
  if (granule == last >> shift && is_uniform(granule))
    code.last[store].store(key, std::memory_order_relaxed);
}

/// An access by the runtime's code: it may be a boundary.
void on_runtime_access(unsigned vcpu, qemu_plugin_meminfo_t info, u64 address,
                       void *user) {
  if (qemu_plugin_mem_is_store(info)) {
    u64 at = address - boundaries;
    if (at == 0) {
      ++recordings;
      epoch = 1;
    } else if (at == 8) {
      ++epoch;
    }
  }
  on_access(vcpu, info, address, user);
}

/// Code marks cell number `cell` of its thread's shadow.
void note_mark(unsigned vcpu, Code &code, u64 cell) {
  u32 store = 0;
  if (layout == Layout::kRw) {
    store = cell & 1;
    cell /= 2;
  } else if (layout == Layout::kWrite) {
    store = 1;
  }
  const u64 key = u64{epoch.load(std::memory_order_relaxed)} << 44 ^
                  u64 { vcpu } << 36 ^ cell;
  if (code.last[store].load(std::memory_order_relaxed) == key)
    return;
  Thread &thread = *threads[vcpu];
  if (thread.of_runtime) { // which must make none
    std::lock_guard hold(lock);
    strangers.insert(code.index);
  }
  // A mark in the last of a granule's cells may mean the next granule.
  const u64 granule = cell >> cells_shift;
  const bool in_last = cells_shift && (cell + 1) >> cells_shift != granule;
  thread.note(granule, (code.may || in_last ? kMay : kMark) + store,
              code.index);
  if (in_last)
    thread.note(granule + 1, kMay + store, code.index);
  code.last[store].store(key, std::memory_order_relaxed);
}

/// A store through GS. One of two bytes marks a read and a write.
void on_mark(unsigned vcpu, qemu_plugin_meminfo_t info, u64 address,
             void *user) {
  if (!qemu_plugin_mem_is_store(info) || !epoch)
    return;
  const Range *slot = shadows.find(address);
  if (!slot) { // of code that is left out
    ++stray_marks;
    return;
  }
  const u64 first = (address - slot->begin) / cell_bytes;
  const u64 bytes = u64{1} << qemu_plugin_mem_size_shift(info);
  for (u64 at = 0; at < bytes; at += cell_bytes)
    note_mark(vcpu, *static_cast<Code *>(user), first + at / cell_bytes);
}

//===- Code ---------------------------------------------------------------===//

std::unordered_map<u64, Code *> code_at;
std::vector<Code *> codes; ///< all, by index

Code *code_of(const qemu_plugin_insn *insn) {
  const u64 pc = qemu_plugin_insn_vaddr(insn);
  std::string bytes(static_cast<const char *>(qemu_plugin_insn_data(insn)),
                    qemu_plugin_insn_size(insn));
  Code *&code = code_at[pc];
  if (code && code->bytes == bytes)
    return code;
  const Mapping *mapping = find_placed(pc);
  if (!mapping) {
    place(pc);
    mapping = find_placed(pc);
  }
  code = new Code{};
  code->pc = pc;
  code->bytes = std::move(bytes);
  char *text = qemu_plugin_insn_disas(insn);
  code->text = text ? text : "";
  std::free(text);
  auto has = [&](const char *words) {
    return code->text.find(words) != std::string::npos;
  };
  auto begins = [&](const char *words) { return !code->text.rfind(words, 0); };
  code->index = static_cast<u32>(codes.size());
  auto module = mapping ? modules.find(mapping->path) : modules.end();
  code->runtime = module != modules.end() && module->second.boundaries;
  code->instrumented = instrumented.find(pc);
  code->frame = begins("push") || begins("pop") || begins("call") ||
                begins("ret") || has("(%rsp") || has("(%rbp");
  code->thread_pointer =
      has("%fs:0,") || has("%fs:(0)") || has("%fs:0x28") || has("%fs:40");
  code->atomic = begins("lock") || begins("xchg");
  code->masked = has("maskmov");
  code->may = has("cmpxchg");
  codes.push_back(code);
  return code;
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb *block) {
  std::lock_guard hold(lock);
  for (std::size_t i = 0; i < qemu_plugin_tb_n_insns(block); ++i) {
    qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
    if (reinterpret_cast<u64>(qemu_plugin_insn_haddr(insn)) !=
        qemu_plugin_insn_vaddr(insn))
      die("the guest's addresses are not the host's", "run without -B and -R");
    Code *code = code_of(insn);
    auto callback = on_access;
    if (code->text.find("%gs:") != std::string::npos)
      callback = on_mark;
    else if (code->runtime)
      callback = on_runtime_access;
    qemu_plugin_register_vcpu_mem_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, code);
  }
}

//===- System calls -------------------------------------------------------===//

/// What the kernel touched stands under the call's number.
void note_kernel(Thread &thread, u64 address, u64 bytes, bool write,
                 std::int64_t number) {
  if (!address || !bytes || bytes > u64{1} << 40)
    return;
  for (u64 g = address >> shift; g <= (address + bytes - 1) >> shift; ++g)
    thread.note(g, kKernel + write, static_cast<u32>(number));
}

void on_system_call(qemu_plugin_id_t, unsigned vcpu, std::int64_t number, u64 a,
                    u64 b, u64 c, u64 d, u64 e, u64 f, u64, u64) {
  Thread &thread = *threads[vcpu];
  const u64 call[6] = {a, b, c, d, e, f};
  std::copy(call, call + 6, thread.call);
  thread.call_number = number;
  if (number == SYS_prctl && a == PR_SET_NAME &&
      !std::strncmp(reinterpret_cast<const char *>(b), "pagetide", 8))
    thread.of_runtime = true;
  if (number == SYS_sigaltstack && a) {
    const auto &stack = *reinterpret_cast<const stack_t *>(a);
    const u64 begin = reinterpret_cast<u64>(stack.ss_sp);
    std::lock_guard hold(lock);
    if (!(stack.ss_flags & SS_DISABLE))
      stacks.add({begin, begin + stack.ss_size});
  }
  if (number == SYS_clone && (a & CLONE_VM) && !(a & CLONE_VFORK) && b) {
    // The new thread's stack ends where it begins, in a mapping made for it.
    std::lock_guard hold(lock);
    if (const Range *mapping = stack_mappings.find(b - 1))
      stacks.add({mapping->begin, b});
  }
}

bool is_shadow_file(u64 fd) {
  char link[64], name[256];
  std::snprintf(link, sizeof(link), "/proc/thread-self/fd/%d",
                static_cast<int>(fd));
  ssize_t n = readlink(link, name, sizeof(name) - 1);
  name[n < 0 ? 0 : n] = 0;
  return !std::strncmp(name, "/memfd:pagetide-shadow", 22);
}

void on_system_call_return(qemu_plugin_id_t, unsigned vcpu, std::int64_t number,
                           std::int64_t result) {
  Thread &thread = *threads[vcpu];
  if (thread.call_number != number)
    return;
  const u64(&call)[6] = thread.call;
  const bool ok = result >= 0 || result < -4095;
  if (number == SYS_mmap && ok) {
    Range range = {static_cast<u64>(result),
                   static_cast<u64>(result) + call[1]};
    std::lock_guard hold(lock);
    stack_mappings.remove(range);
    stacks.remove(range);
    if ((call[3] & MAP_STACK) && (call[3] & MAP_ANONYMOUS))
      stack_mappings.add(range);
    if (!(call[3] & MAP_ANONYMOUS) && is_shadow_file(call[4]))
      shadows.add(range);
  } else if (number == SYS_munmap && ok) {
    std::lock_guard hold(lock);
    stack_mappings.remove({call[0], call[0] + call[1]});
    stacks.remove({call[0], call[0] + call[1]});
  }
  if (thread.of_runtime || !ok)
    return;
  oracle::decode_call(number, call, result,
                      [&](u64 address, u64 bytes, bool write) {
                        note_kernel(thread, address, bytes, write, number);
                      });
}

//===- The end ------------------------------------------------------------===//

void write_all() {
  std::string path = out_path;
  if (getpid() != first_pid)
    path += "." + std::to_string(getpid());
  FILE *file = std::fopen(path.c_str(), "we");
  if (!file)
    die("cannot write", path);
  std::vector<bool> named(codes.size());
  for (Thread *thread : all_threads) {
    thread->finish();
    thread->write(file, named);
  }
  bool failed = std::ferror(file);
  failed |= std::fclose(file) != 0;
  file = std::fopen((path + ".codes").c_str(), "we");
  if (!file || failed)
    die("cannot write", path);
  std::fprintf(file, "recordings %u\nperiods %u\nstray %" PRIu64 "\n",
               recordings.load(), epoch.load() ? epoch - 1 : 0,
               stray_marks.load());
  for (u32 stranger : strangers) {
    std::fprintf(file, "stranger %u\n", stranger);
    named[stranger] = true;
  }
  for (const Mapping &mapping : placed)
    std::fprintf(file, "placed %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n",
                 mapping.begin, mapping.end, mapping.offset,
                 mapping.path.c_str());
  for (const Mapping &mapping : read_maps())
    std::fprintf(file, "map %" PRIx64 " %" PRIx64 " %s\n", mapping.begin,
                 mapping.end, mapping.path.c_str());
  for (const Range &range : stacks.all())
    std::fprintf(file, "map %" PRIx64 " %" PRIx64 " [stack]\n", range.begin,
                 range.end);
  for (const Code *code : codes)
    if (named[code->index])
      std::fprintf(file, "code %u %" PRIx64 " %s\n", code->index, code->pc,
                   code->text.c_str());
  if (std::fclose(file))
    die("cannot write", path + ".codes");
}

void at_exit(qemu_plugin_id_t, void *) {
  std::lock_guard hold(lock);
  write_all();
}

} // namespace

int qemu_plugin_version = 1;

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *, int argc,
                        char **argv) {
  for (int i = 0; i < argc; ++i) {
    std::string argument = argv[i];
    std::size_t equals = argument.find('=');
    if (equals == std::string::npos)
      die("expected NAME=VALUE", argument);
    std::string name = argument.substr(0, equals);
    std::string value = argument.substr(equals + 1);
    if (name == "out")
      out_path = value;
    else if (name == "modules")
      read_modules(value);
    else if (name == "shift")
      shift = static_cast<u32>(std::atoi(value.c_str()));
    else if (name == "cells")
      cells_shift = static_cast<u32>(std::atoi(value.c_str()));
    else if (name == "width")
      cell_bytes = static_cast<u64>(std::atoi(value.c_str()));
    else if (name == "layout")
      layout = value == "rw"       ? Layout::kRw
               : value == "access" ? Layout::kAccess
                                   : Layout::kWrite;
    else
      die("there is no argument of this name", name);
  }
  if (out_path.empty() || modules.empty())
    die("missing", "out and modules");
  first_pid = getpid();
  qemu_plugin_register_vcpu_init_cb(id, on_thread);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_call_return);
  qemu_plugin_register_atexit_cb(id, at_exit, nullptr);
  return 0;
}
