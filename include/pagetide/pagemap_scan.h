//===- pagemap_scan.h - The kernel's account of written pages -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interfaces of Linux 6.7 that the packaged kernel headers may be too old to
// declare: asynchronous write protection by userfaultfd, and the PAGEMAP_SCAN
// request of /proc/PID/pagemap. Names and values are the kernel's.

#ifndef PAGETIDE_PAGEMAP_SCAN_H
#define PAGETIDE_PAGEMAP_SCAN_H

#include <cstdint>

namespace pagetide::kernel {

//===----------------------------------------------------------------------===//
// userfaultfd
//===----------------------------------------------------------------------===//

/// Flag of the system call: faults of the kernel are ignored, so no privilege
/// is needed. Asynchronous protection never stops a thread, so the flag makes
/// no difference to it.
inline constexpr unsigned kUserModeOnly = 1; // UFFD_USER_MODE_ONLY

struct UffdApi {
  std::uint64_t api;
  std::uint64_t features;
  std::uint64_t ioctls;
};
inline constexpr std::uint64_t kUffdApiVersion = 0xAA;
enum UffdFeatures : std::uint64_t {
  kFeaturePagefaultFlagWp = 1u << 0,
  kFeatureEventRemap = 1u << 2,
  kFeatureWpHugetlbfsShmem = 1u << 12,
  kFeatureWpUnpopulated = 1u << 13,
  kFeatureWpAsync = 1u << 15,
};

struct UffdRegister {
  std::uint64_t start, bytes;
  std::uint64_t mode;
  std::uint64_t ioctls;
};
inline constexpr std::uint64_t kRegisterModeWp = 2;

struct UffdWriteProtect {
  std::uint64_t start, bytes;
  std::uint64_t mode;
};
inline constexpr std::uint64_t kWriteProtectModeWp = 1;

constexpr unsigned long io_read_write(unsigned type, unsigned number,
                                      unsigned long bytes) {
  return 3ul << 30 | bytes << 16 | type << 8 | number;
}
inline constexpr unsigned long kUffdIoApi =
    io_read_write(0xAA, 0x3F, sizeof(UffdApi));
inline constexpr unsigned long kUffdIoRegister =
    io_read_write(0xAA, 0x00, sizeof(UffdRegister));
inline constexpr unsigned long kUffdIoWriteProtect =
    io_read_write(0xAA, 0x06, sizeof(UffdWriteProtect));

//===----------------------------------------------------------------------===//
// PAGEMAP_SCAN
//===----------------------------------------------------------------------===//

enum PageCategories : std::uint64_t {
  kPageWpAllowed = 1u << 0, ///< its mapping is registered
  kPageWritten = 1u << 1,   ///< not write-protected
  kPageFile = 1u << 2,      ///< of a file, or shared; not a private copy
  kPagePresent = 1u << 3,
  kPageSwapped = 1u << 4,
  kPagePfnZero = 1u << 5, ///< the page of zeros: read, never written
};

struct PageRegion {
  std::uint64_t start, end;
  std::uint64_t categories;
};

enum ScanFlags : std::uint64_t {
  kScanWpMatching = 1u << 0, ///< protect what is reported, at the same moment
};

struct ScanArgument {
  std::uint64_t size; ///< sizeof(ScanArgument)
  std::uint64_t flags;
  std::uint64_t start, end;
  std::uint64_t walk_end; ///< out: how far it got
  std::uint64_t vector, vector_length;
  std::uint64_t max_pages;
  std::uint64_t category_inverted;
  std::uint64_t category_mask;
  std::uint64_t category_anyof_mask;
  std::uint64_t return_mask;
};
static_assert(sizeof(ScanArgument) == 96);
inline constexpr unsigned long kPagemapScan =
    io_read_write('f', 16, sizeof(ScanArgument));

} // namespace pagetide::kernel

#endif // PAGETIDE_PAGEMAP_SCAN_H
