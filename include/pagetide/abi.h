//===- abi.h - What instrumented code and the runtime agree on ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the shadow of an address is, what a mark stores there, and how a module
// tells the runtime how it was built. The pass and the runtime share two more
// headers: call_site_functions.def and trace_encoding.h.
//
//   application address A (47 bits)
//     cell index      = A >> cell_shift
//     shadow of a load  = base + cell_bytes(layout) *
//                                (index * cells_per_index(layout))
//     shadow of a store = base + cell_bytes(layout) *
//                                (index * cells_per_index(layout) +
//                                 write_cell(layout))
//
//   base is the x86-64 GS segment base of the thread that runs the mark, plus
//   kShadowBias. Every thread has a shadow of its own, so two threads never
//   write one cache line.

#ifndef PAGETIDE_ABI_H
#define PAGETIDE_ABI_H

#include <cstdint>

namespace pagetide::abi {

/// Raised when code that an older pass has built can no longer run on a newer
/// runtime. It is part of the name of the module constructor's callee, so that
/// a mismatch is a link error. It is part of ModuleInfo too, so that a mismatch
/// that still links is an error at start.
inline constexpr std::uint32_t kVersion = 6;
inline constexpr const char kModuleInitName[] = "__pagetide_module_init_v6";
inline constexpr const char kModuleExitName[] = "__pagetide_module_exit";

/// User addresses on x86-64 with four-level paging.
inline constexpr unsigned kAddressBits = 47;

/// LLVM's address space for GS-relative accesses on x86.
inline constexpr unsigned kShadowAddressSpace = 256;

/// Added to every mark's address, as its displacement. If the shadow of the
/// process's first thread is at this very address, that thread's GS base is 0,
/// and processors execute a mark in one step less. The largest such
/// displacement is 2^31 - 1. Below it are programs that are not
/// position-independent, their heap and MAP_32BIT.
inline constexpr std::uint64_t kShadowBias = 0x7fff0000;

/// log2 of the bytes for which one cell stands.
inline constexpr unsigned kMinGranuleShift = 6;
inline constexpr unsigned kMaxGranuleShift = 21;
inline constexpr unsigned kDefaultGranuleShift = 12;

/// What the cells of the shadow say. A process has one layout: the runtime
/// refuses a module if its layout, cell or granule differs from the first
/// module's.
enum class Layout : std::uint32_t {
  kRw = 0, ///< two cells per index: the first for loads, the second for stores
  kAccess = 1, ///< one cell: loads and stores alike
  kWrite = 2,  ///< one cell: stores only
  kSite = 3,   ///< as kAccess, and cells hold ids of sites, see there
  kRwSite = 4, ///< as kRw, and cells hold ids of sites
};
inline constexpr std::uint32_t kLayoutCount = 5;
/// Layouts whose cells hold no ids: those below this.
inline constexpr std::uint32_t kPlainLayoutCount = 3;

inline constexpr const char *kLayoutNames[kLayoutCount] = {
    "rw", "access", "write", "site", "rw-site"};

constexpr bool has_sites(Layout layout) {
  return layout == Layout::kSite || layout == Layout::kRwSite;
}
/// The layout whose cells say the same, except for sites.
constexpr Layout plain_layout(Layout layout) {
  return layout == Layout::kSite     ? Layout::kAccess
         : layout == Layout::kRwSite ? Layout::kRw
                                     : layout;
}
constexpr unsigned cells_per_index(Layout layout) {
  return plain_layout(layout) == Layout::kRw ? 2 : 1;
}
constexpr unsigned cell_bytes(Layout layout) {
  return has_sites(layout) ? 4 : 1;
}
constexpr unsigned read_cell(Layout) { return 0; }
constexpr unsigned write_cell(Layout layout) {
  return plain_layout(layout) == Layout::kRw ? 1 : 0;
}
constexpr bool records_reads(Layout layout) { return layout != Layout::kWrite; }
/// True if a mark by a load differs from a mark by a store.
constexpr bool tells_writes(Layout layout) {
  return plain_layout(layout) != Layout::kAccess;
}

/// Bytes of virtual shadow that a thread needs.
constexpr std::uint64_t shadow_bytes(Layout layout, unsigned cell_shift) {
  return (std::uint64_t{1} << (kAddressBits - cell_shift)) *
         cells_per_index(layout) * cell_bytes(layout);
}

/// Cell values. A certain mark overwrites any other. A `may` mark is stored
/// only into an empty cell. The snapshot relies on this: a mark can say more
/// than the one that it overwrites only if that is a `may` mark.
enum CellValue : std::uint8_t {
  kCellEmpty = 0,
  kCellMarked = 1, ///< the granule was accessed, or the access was attempted
  /// It may have been accessed: a call failed part of the way, or does not say
  /// what it touched.
  kCellMay = 2,
  kCellNear = 4, ///< in cells of kNearCellShift, see there
};

//===----------------------------------------------------------------------===//
// Layouts with sites: cells of four bytes
//===----------------------------------------------------------------------===//

/// A site is a place in the source that touches memory. Under a layout with
/// sites a cell is 0 (empty) or the id of a site, and a mark stores the id. So
/// a mark that overwrites another names another place, and says the same of the
/// granule. The precision is exact: each granule has one cell of each kind.
///
/// The pass makes ids of places' texts, by a hash, so that they depend on
/// nothing but the place. Ids from kFirstCallSite on are the runtime's: calls
/// of libc, by their return addresses. With kSiteMay a mark is only a possible
/// one. As other such marks it is stored into empty cells only.
inline constexpr std::uint32_t kSiteMay = 1U << 31;
inline constexpr std::uint32_t kFirstCallSite = 0x7fff0000;

/// The id of a site whose place has this hash.
constexpr std::uint32_t site_id(std::uint64_t hash) {
  const std::uint32_t id = static_cast<std::uint32_t>(hash) & ~kSiteMay;
  return id == 0 ? 1 : id < kFirstCallSite ? id : id & (kFirstCallSite >> 1);
}

/// A word of the shadow of a layout with sites has two cells. This says the
/// same in a word of the plain layout's shadow: cell number N is byte N there.
struct PlainWord {
  std::uint64_t word;
  std::uint64_t value;
};
constexpr PlainWord plain_word(std::uint64_t word, std::uint64_t sites) {
  const auto cell = [](std::uint32_t site) -> std::uint64_t {
    return site == 0 ? 0 : site & kSiteMay ? kCellMay : kCellMarked;
  };
  const std::uint64_t both = cell(static_cast<std::uint32_t>(sites)) |
                             cell(static_cast<std::uint32_t>(sites >> 32)) << 8;
  return {word / 4, both << 16 * (word % 4)};
}

/// Two words of sites, as one: of each cell the first certain site, or else the
/// first possible one.
constexpr std::uint64_t join_sites(std::uint64_t a, std::uint64_t b) {
  std::uint64_t joined = 0;
  for (unsigned shift = 0; shift < 64; shift += 32) {
    const auto of_a = static_cast<std::uint32_t>(a >> shift);
    const auto of_b = static_cast<std::uint32_t>(b >> shift);
    const bool takes_b =
        of_a == 0 || (of_a & kSiteMay && of_b != 0 && !(of_b & kSiteMay));
    joined |= std::uint64_t{takes_b ? of_b : of_a} << shift;
  }
  return joined;
}

//===----------------------------------------------------------------------===//
// Precision near: several cells per granule
//===----------------------------------------------------------------------===//

/// log2 of the bytes of a cell if granules have several cells. A near mark in
/// the cell of address A says that some of the 2^kNearCellShift bytes from A on
/// were accessed. These bytes are in that cell or the one after it. So a near
/// mark names its granule for certain, unless it is in the granule's last cell:
/// there it says "this granule or the next".
///
/// Certain marks (kCellMarked) are never made in a granule's last cell. They
/// are made in the even cell of the access's pair, or in the granule's first
/// cell. A near mark that overwrites one there says no less. And certain marks
/// never overwrite a near mark that may mean the next granule.
///
/// Why 2^8: with larger cells more accesses can share a mark, and the shadow is
/// smaller, but more marks are in a last cell.
inline constexpr unsigned kNearCellShift = 8;
/// Eight cells, a word of the shadow, must belong to one granule.
inline constexpr unsigned kMinNearGranuleShift = kNearCellShift + 3;

/// True for what a module may say: one cell per granule, or precision near.
constexpr bool is_precision(unsigned cell_shift, unsigned granule_shift) {
  return cell_shift == granule_shift || (cell_shift == kNearCellShift &&
                                         granule_shift >= kMinNearGranuleShift);
}

/// What a word of the shadow says about the granule to which its eight cells
/// belong, and about the next one. The marks are those of one index in a shadow
/// that has one cell per granule and kind (the first cell in the lowest byte).
struct GranuleMarks {
  std::uint64_t granule;
  std::uint32_t own;
  std::uint32_t next;
};

/// Those cells of word number \p word, as a mask of whole bytes, that are the
/// last ones of their granule: one of each kind, or none.
constexpr std::uint64_t last_cells(Layout layout, unsigned cells_shift,
                                   std::uint64_t word) {
  const unsigned kinds = cells_per_index(layout);
  const std::uint64_t end_index = (word + 1) * (8 / kinds);
  const bool has_last =
      (end_index & ((std::uint64_t{1} << cells_shift) - 1)) == 0;
  return has_last ? ~std::uint64_t{0} << (64 - 8 * kinds) : 0;
}

/// What word number \p word (byte offset into a shadow / 8) says if its value
/// is \p value and granules have 2^\p cells_shift cells of each kind.
constexpr GranuleMarks granule_marks(Layout layout, unsigned cells_shift,
                                     std::uint64_t word, std::uint64_t value) {
  const unsigned kinds = cells_per_index(layout);
  const std::uint64_t each = 0x0101010101010101;
  const std::uint64_t end_index = (word + 1) * (8 / kinds);
  const std::uint64_t last = last_cells(layout, cells_shift, word);
  const std::uint64_t near = value >> 2 & each;
  const std::uint64_t marked = (value & each) | (near & ~last);
  const std::uint64_t may = (value >> 1 & each) | (near & last);
  // Collect all cells of a kind in the word's lowest one.
  std::uint64_t own = marked * kCellMarked | may * kCellMay;
  own |= own >> 32;
  own |= own >> 16;
  if (kinds == 1)
    own |= own >> 8;
  GranuleMarks result = {
      (end_index - 1) >> cells_shift,
      static_cast<std::uint32_t>(own & ((1U << (8 * kinds)) - 1)),
      static_cast<std::uint32_t>((near & last) * kCellMay >> (64 - 8 * kinds))};
  // The address space's last granule has no next one.
  if ((result.granule + 1) << cells_shift >> (kAddressBits - kNearCellShift))
    result.next = 0;
  return result;
}

/// Translates a word of the shadow to words of a shadow that has one cell of
/// each kind per granule. Calls add(word number, value) for each of these: for
/// none if the word says nothing, and for two if a near mark may mean a granule
/// of the next one. Stops if add returns false, and returns what add returned
/// last.
template <typename Add>
constexpr bool for_each_granule_word(Layout layout, unsigned cells_shift,
                                     std::uint64_t word, std::uint64_t value,
                                     Add add) {
  if (cells_shift == 0)
    return add(word, value);
  const GranuleMarks marks = granule_marks(layout, cells_shift, word, value);
  const unsigned kinds = cells_per_index(layout);
  const std::uint64_t position = marks.granule * kinds; // of its first cell
  const std::uint64_t own = std::uint64_t{marks.own} << position % 8 * 8;
  const std::uint64_t next = std::uint64_t{marks.next}
                             << (position + kinds) % 8 * 8;
  if ((position + kinds) % 8 != 0)
    return !(own | next) || add(position / 8, own | next);
  return (!own || add(position / 8, own)) &&
         (!next || add(position / 8 + 1, next));
}

//===----------------------------------------------------------------------===//
// Units: what a recording reports, one granule or several
//===----------------------------------------------------------------------===//

/// Translates a word of a shadow that has one cell of each kind per granule. Of
/// the result each cell stands for 2^\p shift granules, and is the union of
/// theirs. It is part of word number `word >> shift`.
constexpr std::uint64_t join_granules(Layout layout, unsigned shift,
                                      std::uint64_t word, std::uint64_t value) {
  const unsigned kinds = cells_per_index(layout);
  const unsigned bits = 8 * kinds, per_word = 8 / kinds;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t joined = 0;
  for (unsigned i = 0; i < per_word; ++i) {
    const std::uint64_t unit = (word * per_word + i) >> shift;
    joined |= (value >> bits * i & mask) << unit % per_word * bits;
  }
  return joined;
}

/// Translates a word of the shadow to words that have one cell of each kind per
/// unit. A unit has 2^\p cells_shift cells of each kind. \p near: granules have
/// several cells. Otherwise as for_each_granule_word.
template <typename Add>
constexpr bool for_each_unit_word(Layout layout, unsigned cells_shift,
                                  bool near, std::uint64_t word,
                                  std::uint64_t value, Add add) {
  if (near)
    return for_each_granule_word(layout, cells_shift, word, value, add);
  if (cells_shift == 0)
    return add(word, value);
  return add(word >> cells_shift,
             join_granules(layout, cells_shift, word, value));
}

/// What a module says about itself, in its ELF note. All fields are
/// little-endian.
struct ModuleInfo {
  std::uint32_t abi_version;
  std::uint32_t layout;        ///< a Layout
  std::uint32_t cell_shift;    ///< log2 bytes of a shadow cell: granule_shift,
                               ///< or kNearCellShift and less than that
  std::uint32_t granule_shift; ///< log2 bytes reported; >= cell_shift
  std::uint32_t flags;         ///< ModuleFlags
};
static_assert(sizeof(ModuleInfo) == 20);

enum ModuleFlags : std::uint32_t {
  kModuleSkipsConstants = 1, ///< loads of constant globals are not marked
  kModuleOnDemand = 2,       ///< marks run only while its byte is not 0
  kModuleUsesApi = 4,        ///< refers to functions of pagetide.h
  kModuleWindows = 8,        ///< running functions test the byte too
};

/// In mode windows: where a thread changes to marked code, it marks a write of
/// this address, at which no program has memory (vm.mmap_min_addr).
inline constexpr std::uint64_t kCoveredAddress = 0;
/// The mark in words as they are staged: in the first one, its write's bits.
constexpr std::uint64_t covered_mask(Layout layout) {
  return std::uint64_t{0xff} << 8 * write_cell(layout);
}

/// In modes on-demand and windows: the hidden byte of a linked file that its
/// functions test. Whoever calls a function reaches the copy with marks if the
/// byte is not 0.
inline constexpr const char kMarksOnSymbol[] = "__pagetide_marks_on";

/// Every instrumented object file has this note, in section .note.pagetide.
/// From it the runtime learns layout and granule before any constructor runs,
/// and tools recognise an instrumented file. All notes of a process must agree.
/// A tool or a linker script may remove notes, or move them and not what they
/// refer to. So the module's constructor passes a copy elsewhere, the record.
inline constexpr const char kNoteSection[] = ".note.pagetide";
inline constexpr const char kNoteName[] = "Pagetide"; // namesz 9, padded to 12
inline constexpr std::uint32_t kNoteType = 1;

/// A hidden symbol of every instrumented object, in a comdat whose name ends in
/// settings_value(). Linkers keep one of several comdats that have one name. If
/// the settings differ, so do the names: linkers keep both, and report a
/// duplicate, with the names of both objects.
inline constexpr const char kSettingsSymbol[] =
    "__pagetide_layout_precision_and_granule_must_agree";

constexpr std::uint32_t settings_value(const ModuleInfo &info) {
  return info.abi_version << 24 | info.layout << 16 | info.cell_shift << 8 |
         info.granule_shift;
}

struct ModuleNote {
  std::uint32_t name_bytes; ///< 9
  std::uint32_t info_bytes; ///< of what follows the name
  std::uint32_t type;       ///< kNoteType
  char name[12];            ///< kNoteName, zero-padded
  ModuleInfo info;
  /// In the note: address of the record less that of this field. In the record:
  /// the same for the byte kMarksOnSymbol; 0 if there is no kModuleOnDemand.
  std::int32_t link;
};
static_assert(sizeof(ModuleNote) == 48);

inline std::uintptr_t linked_address(const ModuleNote &note) {
  const std::intptr_t here = reinterpret_cast<std::intptr_t>(&note.link);
  return static_cast<std::uintptr_t>(here + note.link);
}

/// The byte that the module of a record tests; null if it has none.
inline unsigned char *marks_on_byte(const ModuleNote &record) {
  return record.info.flags & kModuleOnDemand
             ? reinterpret_cast<unsigned char *>(linked_address(record))
             : nullptr;
}

/// Entry points that instrumented code calls (extern "C", defined by the
/// runtime, async-signal-safe and thread-safe unless said otherwise):
///
///   void  __pagetide_module_init_v6(const ModuleNote *record);
///         from the module constructor; not async-signal-safe
///   void  __pagetide_module_exit(const ModuleNote *record);
///         from the destructor of a module with kModuleOnDemand, likewise
///   void  __pagetide_mark_read(const void *p, size_t bytes);
///   void  __pagetide_mark_write(const void *p, size_t bytes);
///         mark every granule of [p, p+bytes); nothing if bytes is 0
///   void *__pagetide_memcpy(void *d, const void *s, size_t bytes, called);
///   void *__pagetide_memmove(void *d, const void *s, size_t bytes, called);
///   void *__pagetide_memset(void *d, int c, size_t bytes, called);
///         mark, then move, in steps of kRangeStep bytes
///   __pagetide_NAME(..., called), for each NAME in call_site_functions.def
///         does what libc's NAME does, and marks what that reads
///         `called` is what the linker and the loader have made of NAME in this
///         file, as integer argument number kCalledArgument (from 0). If it is
///         not libc's, that function is called, and of memcpy, memmove and
///         memset the ranges are marked first
///   __pagetide_NAME_at, for mark_read, mark_write, memcpy, memmove, memset
///   and access (below): under a layout with sites, with the id of the site as
///   one more argument, behind those of NAME
///   void  __pagetide_add_sites(const void *table, size_t bytes);
///   void  __pagetide_remove_sites(const void *table);
///         from the constructor and the destructor of a module with sites. The
///         table is the payload of a SiteTable frame (trace_format.h)
///   void *__pagetide_named_function(void *function);
///         for the address of one of these functions of libc, that of the
///         function to call instead; for any other address, that address
inline constexpr std::uint64_t kRangeStep = 64 * 1024;
inline constexpr unsigned kCalledArgument = 5; ///< register r9

/// Addresses among which are those of the functions in call_site_functions.def,
/// so that code knows without a call that a pointer is to none of them. The
/// runtime defines it as __pagetide_named_functions. No byte before the real
/// functions are known, and if none of them has anything to mark.
struct NamedFunctions {
  std::uintptr_t begin;
  std::uintptr_t bytes;
};
inline constexpr const char kNamedFunctionsSymbol[] =
    "__pagetide_named_functions";

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
///         called before the marks for which the checks that get its result
///         look
///   void __pagetide_check(const void *p, size_t bytes, uint32_t what,
///                         uint64_t begin, const char *where);
///         reports a granule of [p, p+bytes) that is not marked, unless marks
///         were taken since the call of __pagetide_check_begin that returned
///         `begin`; `where` names the access in the message

} // namespace pagetide::abi

#endif // PAGETIDE_ABI_H
