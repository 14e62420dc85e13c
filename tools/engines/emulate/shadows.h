//===- shadows.h - Where a process in QEMU marks its accesses -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/emulate/emulation.h"

#include <atomic>
#include <cstdint>

namespace pagetide::emulation {

/// Makes the memory file and introduces this process to record. Every process
/// does so once: a fork's child has no part in its parent's shadows. False
/// if that failed; errno says why.
bool open_shadows();

/// True once in each child of fork.
bool take_forked();

/// A thread is being made for this vCPU, and will attach.
void expect(unsigned vcpu);
/// How many have not yet.
unsigned expected_threads();

/// The marks of all threads, unless these count apart.
std::uint8_t *shadow_of_process();

/// The shadow of the calling thread, which runs as this vCPU. It is made when
/// the thread touches memory for the first time.
std::uint8_t *attach(unsigned vcpu);
/// The vCPU's thread touches nothing any more.
void detach(unsigned vcpu);

/// QEMU numbers threads from 0 on, and uses numbers again. Linux has no more
/// threads than that (PID_MAX_LIMIT). Null: it is not attached.
inline constexpr unsigned kMaxVcpus = 1U << 22;
extern std::uint8_t *shadow_of_vcpu[kMaxVcpus];

inline std::uint8_t *shadow_of(unsigned vcpu) {
  std::uint8_t *shadow = shadow_of_vcpu[vcpu];
  return shadow ? shadow : attach(vcpu);
}

/// The mark is stored after the access, by the thread that made it. What is
/// marked already stays as it is: then the store of the first mark stands for
/// both accesses, and whoever takes it takes it after both.
inline void mark_cell(std::uint8_t *cell) {
  const std::atomic_ref<std::uint8_t> mark(*cell);
  if (mark.load(std::memory_order_relaxed) != abi::kCellMarked)
    mark.store(abi::kCellMarked, std::memory_order_release);
}

inline std::uint8_t *cell_of(std::uint8_t *shadow, std::uint64_t granule,
                             bool write) {
  return shadow + granule * abi::cells_per_index(kLayout) +
         (write ? abi::write_cell(kLayout) : abi::read_cell(kLayout));
}

/// Calls visit(cell) for the granules of a range. Leaves out what lies beyond
/// the address space.
template <typename Visit>
void for_each_cell(std::uint8_t *shadow, std::uint64_t address,
                   std::uint64_t bytes, bool write, Visit visit) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << abi::kAddressBits;
  if (bytes == 0 || address >= kEnd)
    return;
  const std::uint64_t last =
      address + (bytes < kEnd - address ? bytes : kEnd - address) - 1;
  for (std::uint64_t granule = address >> kShift; granule <= last >> kShift;
       ++granule)
    visit(cell_of(shadow, granule, write));
}

inline void mark_range(std::uint8_t *shadow, std::uint64_t address,
                       std::uint64_t bytes, bool write) {
  for_each_cell(shadow, address, bytes, write, mark_cell);
}

} // namespace pagetide::emulation
