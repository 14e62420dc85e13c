//===- pagemap_entry.h - What /proc/PID/pagemap says of a page --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits are those of Documentation/admin-guide/mm/pagemap.rst.

#ifndef PAGETIDE_PAGEMAP_ENTRY_H
#define PAGETIDE_PAGEMAP_ENTRY_H

#include <cstdint>

namespace pagetide::kernel {

struct PagemapEntry {
  std::uint64_t bits = 0;

  constexpr bool has(unsigned bit) const { return bits >> bit & 1; }
  constexpr bool is_present() const { return has(63); }
  constexpr bool is_swapped() const { return has(62); } ///< or being moved
  constexpr bool is_of_file() const { return has(61); } ///< or shared memory
  constexpr bool is_guard() const { return has(58); }   ///< Linux 6.15
  constexpr bool is_exclusive() const { return has(56); }
  constexpr bool is_dirty() const { return has(55); } ///< soft-dirty
  constexpr bool exists() const { return is_present() || is_swapped(); }
  /// 0: not for this user to know.
  constexpr std::uint64_t frame() const {
    return bits & ((std::uint64_t{1} << 55) - 1);
  }
};

} // namespace pagetide::kernel

#endif // PAGETIDE_PAGEMAP_ENTRY_H
