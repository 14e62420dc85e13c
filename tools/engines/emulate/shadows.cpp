//===- shadows.cpp - Where a process in QEMU marks its accesses -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/shadows.h"

#include "engines/emulate/link.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace pagetide::emulation {

namespace {

std::mutex lock; ///< of slots, and of the table of vCPUs
Header *header = nullptr;
std::uint32_t slot_of_vcpu[kMaxVcpus]; ///< of those that are attached
bool is_expected[kMaxVcpus];
std::atomic<unsigned> expected = 0;
unsigned used_vcpus = 0; ///< no more were attached

std::uint8_t *shadow_at(std::uint32_t slot) {
  return reinterpret_cast<std::uint8_t *>(header) + offset_of_slot(slot);
}

/// A child of fork has nothing of this memory.
bool use_memory(void *mapped, std::uint64_t bytes, std::uint32_t slots) {
  if (mapped == MAP_FAILED || ::madvise(mapped, bytes, MADV_DONTFORK) != 0)
    return false;
  header = static_cast<Header *>(mapped);
  header->magic = kMagic;
  header->version = kVersion;
  header->slots = slots;
  header->slot[0].state = SlotState::kLive;
  return true;
}

/// The program goes on, and its marks go nowhere.
void go_on_unrecorded(int error) {
  if (!record_has_gone(error))
    complain("process " + std::to_string(::getpid()) +
             " is not recorded: it cannot have shadows, or not reach record: " +
             std::strerror(error));
  const std::uint64_t bytes = offset_of_slot(1);
  if (!use_memory(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
                  bytes, 1))
    ::abort();
}

bool forked = false;

void before_fork() { lock.lock(); }
void after_fork_in_parent() { lock.unlock(); }
void after_fork_in_child() {
  lock.unlock();
  forked = true;
  // The thread attaches anew; there are no others.
  std::fill_n(shadow_of_vcpu, used_vcpus, nullptr);
  std::fill_n(is_expected, used_vcpus, false);
  expected = 0;
  if (!open_shadows())
    go_on_unrecorded(errno);
}

/// A free slot for the calling thread; slot 0 if there is none.
std::uint32_t take_slot() {
  for (std::uint32_t slot = 1; slot < header->slots; ++slot) {
    if (header->slot[slot].state.load(std::memory_order_acquire) !=
        SlotState::kFree)
      continue;
    header->slot[slot].tid = static_cast<std::uint32_t>(::syscall(SYS_gettid));
    header->slot[slot].state.store(SlotState::kLive, std::memory_order_release);
    return slot;
  }
  return 0;
}

} // namespace

std::uint8_t *shadow_of_vcpu[kMaxVcpus];

bool open_shadows() {
  static const bool kHooked =
      ::pthread_atfork(before_fork, after_fork_in_parent,
                       after_fork_in_child) == 0;
  if (!kHooked)
    return false;
  const std::uint32_t slots = settings.by_thread ? kMaxSlots : 1;
  const std::uint64_t bytes = offset_of_slot(slots);
  const int fd = static_cast<int>(::syscall(
      SYS_memfd_create, "pagetide-emulate", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (fd < 0)
    return false;
  const bool opened =
      ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 &&
      ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0 &&
      use_memory(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, fd, 0),
                 bytes, slots) &&
      tell(MessageKind::kHello, "", fd);
  const int error = errno;
  ::close(fd);
  errno = error;
  return opened;
}

std::uint8_t *shadow_of_process() { return shadow_at(0); }

bool take_forked() { return std::exchange(forked, false); }

void expect(unsigned vcpu) {
  const std::lock_guard hold(lock);
  used_vcpus = std::max(used_vcpus, vcpu + 1);
  is_expected[vcpu] = true;
  ++expected;
}
unsigned expected_threads() { return expected; }

/// It has attached, or ends before.
static void expect_no_more(unsigned vcpu) {
  if (std::exchange(is_expected[vcpu], false))
    --expected;
}

std::uint8_t *attach(unsigned vcpu) {
  const std::lock_guard hold(lock);
  expect_no_more(vcpu);
  slot_of_vcpu[vcpu] = take_slot();
  return shadow_of_vcpu[vcpu] = shadow_at(slot_of_vcpu[vcpu]);
}

void detach(unsigned vcpu) {
  const std::lock_guard hold(lock);
  expect_no_more(vcpu);
  if (!shadow_of_vcpu[vcpu])
    return;
  shadow_of_vcpu[vcpu] = nullptr;
  // Slot 0 is not one thread's.
  if (slot_of_vcpu[vcpu] != 0)
    header->slot[slot_of_vcpu[vcpu]].state.store(SlotState::kEnded,
                                                 std::memory_order_release);
}

} // namespace pagetide::emulation
