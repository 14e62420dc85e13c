//===- abi.h - What instrumented code and the runtime agree on ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only header shared by the pass and the runtime. It says where the shadow
// of an address is, what a mark stores there, and how a module tells the
// runtime how it was built.
//
//   application address A (47 bits)
//     cell index      = A >> cell_shift
//     shadow of a load  = base + index * cells_per_index(layout)
//     shadow of a store = base + index * cells_per_index(layout)
//                              + write_cell(layout)
//
//   base is the x86-64 GS segment base of the thread that runs the mark. Every
//   thread has a shadow of its own, so two threads never write one cache line.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_ABI_H
#define PAGETIDE_ABI_H

#include <cstdint>

namespace pagetide::abi {

/// Raised whenever code built by an older pass can no longer run on a newer
/// runtime. It is part of the name of the module constructor's callee, so that
/// a mismatch is a link error, and part of ModuleInfo, so that a mismatch that
/// still links is an error at start.
inline constexpr std::uint32_t kVersion = 1;
inline constexpr const char kModuleInitName[] = "__pagetide_module_init_v1";

/// User addresses on x86-64 with four-level paging.
inline constexpr unsigned kAddressBits = 47;

/// LLVM's address space for GS-relative accesses on x86.
inline constexpr unsigned kShadowAddressSpace = 256;

/// log2 of the bytes one cell stands for.
inline constexpr unsigned kMinGranuleShift = 6;
inline constexpr unsigned kMaxGranuleShift = 21;
inline constexpr unsigned kDefaultGranuleShift = 12;

/// What the cells of the shadow say. One layout a process: the runtime refuses
/// a module whose layout, cell or granule differs from the first module's.
enum class Layout : std::uint32_t {
  kRw = 0,     ///< two cells an index: loads in the first, stores in the second
  kAccess = 1, ///< one cell: loads and stores alike
  kWrite = 2,  ///< one cell: stores only
};
inline constexpr std::uint32_t kLayoutCount = 3;

inline constexpr const char *kLayoutNames[kLayoutCount] = {"rw", "access",
                                                           "write"};

constexpr unsigned cells_per_index(Layout layout) {
  return layout == Layout::kRw ? 2 : 1;
}
constexpr unsigned read_cell(Layout) { return 0; }
constexpr unsigned write_cell(Layout layout) {
  return layout == Layout::kRw ? 1 : 0;
}
constexpr bool records_reads(Layout layout) { return layout != Layout::kWrite; }
/// True where a mark by a load can be told from a mark by a store.
constexpr bool tells_writes(Layout layout) { return layout != Layout::kAccess; }

/// Bytes of virtual shadow a thread needs.
constexpr std::uint64_t shadow_bytes(Layout layout, unsigned cell_shift) {
  return (std::uint64_t{1} << (kAddressBits - cell_shift)) *
         cells_per_index(layout);
}

/// Cell values. A certain mark overwrites any other; a `may` mark is stored
/// only into an empty cell.
enum CellValue : std::uint8_t {
  kCellEmpty = 0,
  kCellMarked = 1, ///< the granule was accessed, or the access was attempted
  kCellMay = 2,    ///< a call that failed half way may have accessed it
};

/// What a module says of itself: the descriptor of its ELF note, and the
/// argument of its constructor's call. All fields little-endian.
struct ModuleInfo {
  std::uint32_t abi_version;
  std::uint32_t layout;        ///< a Layout
  std::uint32_t cell_shift;    ///< log2 bytes of a shadow cell
  std::uint32_t granule_shift; ///< log2 bytes reported; >= cell_shift
  std::uint32_t flags;         ///< ModuleFlags
};
static_assert(sizeof(ModuleInfo) == 20);

enum ModuleFlags : std::uint32_t {
  kModuleSkipsConstants = 1, ///< loads of constant globals are not marked
};

/// The note stands in section .note.pagetide of every instrumented object, so
/// that the runtime can learn layout and granule before any constructor runs,
/// and tools can tell an instrumented file. There is one note an object file;
/// all notes of a process must agree.
inline constexpr const char kNoteSection[] = ".note.pagetide";
inline constexpr const char kNoteName[] = "Pagetide"; // namesz 9, padded to 12
inline constexpr std::uint32_t kNoteType = 1;

struct ModuleNote {
  std::uint32_t name_bytes; ///< 9
  std::uint32_t info_bytes; ///< sizeof(ModuleInfo)
  std::uint32_t type;       ///< kNoteType
  char name[12];            ///< kNoteName, zero-padded
  ModuleInfo info;
};
static_assert(sizeof(ModuleNote) == 44);

/// Entry points that instrumented code calls (extern "C", defined by the
/// runtime, async-signal-safe and thread-safe unless said otherwise):
///
///   void  __pagetide_module_init_v1(const ModuleInfo *info);
///         from the module constructor; not async-signal-safe
///   void  __pagetide_mark_read(const void *p, size_t bytes);
///   void  __pagetide_mark_write(const void *p, size_t bytes);
///         mark every granule of [p, p+bytes); nothing where bytes is 0
///   void *__pagetide_memcpy(void *d, const void *s, size_t bytes);
///   void *__pagetide_memmove(void *d, const void *s, size_t bytes);
///   void *__pagetide_memset(void *d, int c, size_t bytes);
///         mark, then move, in steps of kRangeStep bytes
inline constexpr std::uint64_t kRangeStep = 64 * 1024;

/// What an access does, as a set of bits.
enum AccessBits : std::uint32_t {
  kAccessReads = 1,
  kAccessWrites = 2,
};

/// Entry points for finding faults of the pass (its option marks):
///
///   void __pagetide_access(const void *p, size_t bytes, uint32_t what);
///         marks every granule of [p, p+bytes)
///   uint64_t __pagetide_check_begin(void);
///         called before the marks that the checks which get its result are
///         about
///   void __pagetide_check(const void *p, size_t bytes, uint32_t what,
///                         uint64_t begin, const char *where);
///         says so where a granule of [p, p+bytes) is not marked, unless marks
///         were taken since the call of __pagetide_check_begin that returned
///         begin; where names the access for people

} // namespace pagetide::abi

#endif // PAGETIDE_ABI_H
