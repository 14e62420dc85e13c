//===- guest_memory.h - The memory of the program in QEMU -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pagetide::emulation {

/// The program's address 0 in this process. QEMU chooses it before it
/// translates code.
extern std::uint64_t guest_base;

/// While this lives, the calling thread's marks (interceptors/call_memory.h) go
/// to this shadow.
class MarksOf {
public:
  explicit MarksOf(std::uint8_t *shadow);
  ~MarksOf();
  MarksOf(const MarksOf &) = delete;
};

/// A string of the program, at most `most` bytes; marks nothing.
std::string string_at(std::uint64_t address, std::uint64_t most = 1U << 20);
/// A vector of strings that ends with 0; nothing if it cannot be read. At
/// address 0 it is empty.
std::optional<std::vector<std::string>> strings_at(std::uint64_t address);

} // namespace pagetide::emulation
