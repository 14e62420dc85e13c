//===- marked_copies.cpp - Which function a marked copy belongs to --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/marked_copies.h"

#include "platform/dynamic_symbols.h"

#include <link.h>

// glibc has it since 2.35. NOLINTNEXTLINE(readability-redundant-declaration)
extern "C" __attribute__((weak)) int _dl_find_object(void *,
                                                     dl_find_object *) noexcept;

namespace pagetide {
namespace {

template <typename T> T LoadAt(uptr address) {
  T value;
  __builtin_memcpy(&value, (const void *)address, sizeof(value));
  return value;
}

//===- Where the code at an address begins --------------------------------===//

/// The table for unwinding that linkers make: where functions begin, sorted.
struct FrameTable {
  u8 version, pointer_encoding, count_encoding, table_encoding;
  s32 frames;
  u32 count;
  struct {
    s32 begin; ///< relative to the table
    s32 description;
  } entries[];
};
constexpr u8 kTableOfLinkers[] = {1, 0x1b, 0x03, 0x3b};

/// Where the function at `address` begins, and its marked copy too; 0 if no
/// table says.
uptr BeginOfCode(const FrameTable &table, uptr address) {
  if (__builtin_memcmp(&table, kTableOfLinkers, sizeof(kTableOfLinkers)) != 0)
    return 0;
  const uptr base = (uptr)&table;
  uptr low = 0, high = table.count;
  while (low < high) {
    const uptr middle = (low + high) / 2;
    if (base + (uptr)(sptr)table.entries[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return 0;
  const uptr begin = base + (uptr)(sptr)table.entries[low - 1].begin;
  // length, id, begin, size: with begin and size of four bytes, as usual
  const uptr description =
      base + (uptr)(sptr)table.entries[low - 1].description;
  const uptr field = description + 8;
  if (field + (uptr)(sptr)LoadAt<s32>(field) != begin)
    return 0;
  return address < begin + LoadAt<u32>(field + 4) ? begin : 0;
}

//===- Whose entry leads there --------------------------------------------===//

/// Where the test at the beginning of a function (pass/EntryTest.cpp) jumps to;
/// 0 if there is none.
uptr TargetOfTest(uptr code) {
  if (LoadAt<u32>(code) == 0xfa1e0ff3) // endbr64
    code += 4;
  if (LoadAt<u16>(code) == 0x3d80 && LoadAt<u8>(code + 6) == 0 &&
      LoadAt<u16>(code + 7) == 0x850f) // cmpb $0, ...; jne
    return code + 13 + (uptr)(sptr)LoadAt<s32>(code + 9);
  constexpr uptr kBehindFarTest = 38; // two distances, from the function
  if ((LoadAt<u32>(code) & 0xffffff) == 0x1d8d4c && // leaq function, %r11
      LoadAt<u32>(code + 34) == 0xe3ff413e)         // jmpq *%r11
    return code + 7 + (uptr)(sptr)LoadAt<s32>(code + 3) +
           LoadAt<u64>(code + kBehindFarTest + 8);
  return 0;
}

} // namespace

bool FindCopiedFunction(uptr address, CopiedFunction &found) {
  dl_find_object file;
  if (!_dl_find_object || _dl_find_object((void *)address, &file) ||
      !file.dlfo_eh_frame)
    return false;
  found.copy = BeginOfCode(*(const FrameTable *)file.dlfo_eh_frame, address);
  if (!found.copy)
    return false;
  const link_map &map = *file.dlfo_link_map;
  const DynamicSymbols names(map);
  if (!names.symbols || !names.strings)
    return false;
  const uptr count = names.Count();
  for (uptr i = 0; i < count; ++i) {
    const ElfW(Sym) &symbol = names.symbols[i];
    // What a test is made of must lie within the function.
    constexpr uptr kLongestTest = 64;
    const uptr function = map.l_addr + symbol.st_value;
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
        symbol.st_shndx == SHN_UNDEF ||
        function + kLongestTest > (uptr)file.dlfo_map_end ||
        TargetOfTest(function) != found.copy)
      continue;
    found.symbol = &symbol;
    found.name = names.strings + symbol.st_name;
    found.function = function;
    return true;
  }
  return false;
}

} // namespace pagetide
