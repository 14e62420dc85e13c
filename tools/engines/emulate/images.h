//===- images.h - Which code in QEMU is instrumented ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/abi.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pagetide::emulation {

/// Guest addresses.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool holds(std::uint64_t address) const {
    return address - begin < end - begin;
  }
};

/// A file with code that the program has mapped.
struct Image {
  std::string path;
  std::uint64_t code_offset = 0; ///< in the file, of `code`
  Range code;
  Range memory;                        ///< all its segments
  std::optional<abi::ModuleInfo> note; ///< it is instrumented
  std::uint64_t marks_on = 0;          ///< the byte that its functions test
  std::uint64_t boundaries = 0;        ///< it is the runtime, and counts there
};

/// The image of an instruction; null if it is in none. What is returned stays.
const Image *image_at(std::uint64_t pc);
/// Whether the program may write this address. Constants have no such page.
bool is_writable(std::uint64_t address);
/// Whether it is the runtime's own, which instrumented code may read.
bool is_of_runtime(std::uint64_t address);
/// The mapping with this address; empty if there is none.
Range mapping_at(std::uint64_t address);
/// The program has changed what is mapped.
void forget_mappings();

} // namespace pagetide::emulation
