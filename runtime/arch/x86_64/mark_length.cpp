//===- mark_length.cpp - Which instructions are marks ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arch/signals.h"

namespace pagetide {

uptr MarkLength(const u8 *code) {
  const u8 *p = code;
  bool relative_to_gs = false;
  bool wide_operand = false;
  for (;; ++p) { // prefixes
    if (*p == 0x65)
      relative_to_gs = true;
    else if (*p == 0x66)
      wide_operand = true;
    else if (*p != 0x67)
      break;
  }
  if (!relative_to_gs)
    return 0;
  if ((*p & 0xf0) == 0x40) // REX
    ++p;
  const u8 opcode = *p++;
  uptr immediate;
  switch (opcode) {
  case 0x88: // mov m8, r8
  case 0x89: // mov m, r
    immediate = 0;
    break;
  case 0xc6: // mov m8, imm8
    immediate = 1;
    break;
  case 0xc7: // mov m, imm
    immediate = wide_operand ? 2 : 4;
    break;
  default:
    return 0;
  }
  const u8 modrm = *p++;
  const u8 mode = modrm >> 6, base = modrm & 7;
  if (mode == 3 || (immediate && (modrm >> 3 & 7) != 0))
    return 0;
  uptr displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;
  if (base == 4) { // a scale-index-base byte
    if (mode == 0 && (*p & 7) == 5)
      displacement = 4;
    ++p;
  } else if (mode == 0 && base == 5) {
    displacement = 4;
  }
  return (uptr)(p - code) + displacement + immediate;
}

} // namespace pagetide
