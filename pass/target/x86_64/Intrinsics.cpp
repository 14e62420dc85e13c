//===- Intrinsics.cpp - What x86's intrinsics touch -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The intrinsics of x86 that touch memory, as far as clang's headers use them.
// Most vector loads and stores are not intrinsics, or are generic ones
// (Accesses.cpp). Large families are recognised by their names. Single
// intrinsics are in a table.
//
// Two kinds are not described, and are reported. One is the xsave family: the
// processor decides at run time which bytes it moves. The other are tile loads
// and stores that take their shape from a configuration register.

#include "Accesses.h"
#include "target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace pagetide::target {
namespace {

constexpr AccessKind Read = AccessKind::Read;
constexpr AccessKind Write = AccessKind::Write;
constexpr AccessKind ReadWrite = AccessKind::ReadWrite;

//===----------------------------------------------------------------------===//
// Fixed numbers of bytes
//===----------------------------------------------------------------------===//

struct FixedOperand {
  Intrinsic::ID Id;
  unsigned Pointer; ///< which argument
  unsigned Bytes;
  unsigned Alignment;
  AccessKind Kind;
  unsigned Offset = 0;
};

/// An intrinsic with two such operands has two entries.
constexpr FixedOperand FixedOperands[] = {
    // The address to return to. The frame and the stack pointer are separate
    // stores.
    {Intrinsic::eh_sjlj_setjmp, 0, 8, 8, Write, /*Offset=*/8},
    {Intrinsic::eh_sjlj_longjmp, 0, 24, 8, Read}, // frame, address, stack
    {Intrinsic::init_trampoline, 0, 23, 1, Write},

    {Intrinsic::x86_sse_ldmxcsr, 0, 4, 1, Read},
    {Intrinsic::x86_sse_stmxcsr, 0, 4, 1, Write},
    {Intrinsic::x86_sse3_ldu_dq, 0, 16, 1, Read},
    {Intrinsic::x86_avx_ldu_dq_256, 0, 32, 1, Read},
    {Intrinsic::x86_mmx_movnt_dq, 0, 8, 1, Write},

    {Intrinsic::x86_fxsave, 0, 512, 16, Write},
    {Intrinsic::x86_fxsave64, 0, 512, 16, Write},
    {Intrinsic::x86_fxrstor, 0, 512, 16, Read},
    {Intrinsic::x86_fxrstor64, 0, 512, 16, Read},

    // It clears the 64-byte line of the address. A granule holds whole lines.
    {Intrinsic::x86_clzero, 0, 1, 1, Write},
    {Intrinsic::x86_directstore32, 0, 4, 1, Write},
    {Intrinsic::x86_directstore64, 0, 8, 1, Write},
    {Intrinsic::x86_movdir64b, 1, 64, 1, Read},
    {Intrinsic::x86_movdir64b, 0, 64, 64, Write},
    {Intrinsic::x86_enqcmd, 1, 64, 1, Read},
    {Intrinsic::x86_enqcmd, 0, 64, 64, Write},
    {Intrinsic::x86_enqcmds, 1, 64, 1, Read},
    {Intrinsic::x86_enqcmds, 0, 64, 64, Write},

    {Intrinsic::x86_wrssd, 1, 4, 4, Write},
    {Intrinsic::x86_wrssq, 1, 8, 8, Write},
    {Intrinsic::x86_wrussd, 1, 4, 4, Write},
    {Intrinsic::x86_wrussq, 1, 8, 8, Write},
    {Intrinsic::x86_rstorssp, 0, 8, 8, ReadWrite},
    {Intrinsic::x86_clrssbsy, 0, 8, 8, ReadWrite},
    {Intrinsic::x86_invpcid, 1, 16, 1, Read},

    // Handles of wrapped keys: 384 or 512 bits.
    {Intrinsic::x86_aesenc128kl, 1, 48, 1, Read},
    {Intrinsic::x86_aesdec128kl, 1, 48, 1, Read},
    {Intrinsic::x86_aesenc256kl, 1, 64, 1, Read},
    {Intrinsic::x86_aesdec256kl, 1, 64, 1, Read},
    {Intrinsic::x86_aesencwide128kl, 0, 48, 1, Read},
    {Intrinsic::x86_aesdecwide128kl, 0, 48, 1, Read},
    {Intrinsic::x86_aesencwide256kl, 0, 64, 1, Read},
    {Intrinsic::x86_aesdecwide256kl, 0, 64, 1, Read},

    {Intrinsic::x86_ldtilecfg, 0, 64, 1, Read},
    {Intrinsic::x86_ldtilecfg_internal, 0, 64, 1, Read},
    {Intrinsic::x86_sttilecfg, 0, 64, 1, Write},

    {Intrinsic::x86_cmpccxadd32, 0, 4, 4, ReadWrite},
    {Intrinsic::x86_cmpccxadd64, 0, 8, 8, ReadWrite},
    {Intrinsic::x86_aadd32, 0, 4, 4, ReadWrite},
    {Intrinsic::x86_aadd64, 0, 8, 8, ReadWrite},
    {Intrinsic::x86_aand32, 0, 4, 4, ReadWrite},
    {Intrinsic::x86_aand64, 0, 8, 8, ReadWrite},
    {Intrinsic::x86_aor32, 0, 4, 4, ReadWrite},
    {Intrinsic::x86_aor64, 0, 8, 8, ReadWrite},
    {Intrinsic::x86_axor32, 0, 4, 4, ReadWrite},
    {Intrinsic::x86_axor64, 0, 8, 8, ReadWrite},

    {Intrinsic::x86_vbcstnebf162ps128, 0, 2, 1, Read},
    {Intrinsic::x86_vbcstnebf162ps256, 0, 2, 1, Read},
    {Intrinsic::x86_vbcstnesh2ps128, 0, 2, 1, Read},
    {Intrinsic::x86_vbcstnesh2ps256, 0, 2, 1, Read},
    {Intrinsic::x86_vcvtneebf162ps128, 0, 16, 1, Read},
    {Intrinsic::x86_vcvtneebf162ps256, 0, 32, 1, Read},
    {Intrinsic::x86_vcvtneeph2ps128, 0, 16, 1, Read},
    {Intrinsic::x86_vcvtneeph2ps256, 0, 32, 1, Read},
    {Intrinsic::x86_vcvtneobf162ps128, 0, 16, 1, Read},
    {Intrinsic::x86_vcvtneobf162ps256, 0, 32, 1, Read},
    {Intrinsic::x86_vcvtneoph2ps128, 0, 16, 1, Read},
    {Intrinsic::x86_vcvtneoph2ps256, 0, 32, 1, Read},
};

/// Intrinsics that take an address and do not access the memory there.
constexpr Intrinsic::ID Untouching[] = {
    Intrinsic::x86_sse2_clflush,  Intrinsic::x86_clflushopt,
    Intrinsic::x86_clwb,          Intrinsic::x86_cldemote,
    Intrinsic::x86_monitorx,      Intrinsic::x86_sse3_monitor,
    Intrinsic::x86_umonitor,      Intrinsic::x86_seh_ehguard,
    Intrinsic::x86_seh_ehregnode,
};

bool collectVarArgs(IntrinsicInst &I, AccessList &List) {
  // A va_list has four fields on System V, and is a pointer on Windows.
  bool IsWindows = I.getFunction()->getCallingConv() == CallingConv::Win64;
  auto Append = [&](unsigned Argument, AccessKind Kind) {
    appendFixed(I, I.getArgOperand(Argument), IsWindows ? 8 : 24, Align(8),
                Kind, List);
  };
  if (I.getIntrinsicID() == Intrinsic::vastart) {
    Append(0, Write);
    return true;
  }
  if (I.getIntrinsicID() != Intrinsic::vacopy) // to, from
    return false;
  Append(1, Read);
  Append(0, Write);
  return true;
}

bool collectFixed(IntrinsicInst &I, AccessList &List) {
  bool Found = false;
  for (const FixedOperand &Operand : FixedOperands)
    if (Operand.Id == I.getIntrinsicID()) {
      appendFixed(I, I.getArgOperand(Operand.Pointer), Operand.Bytes,
                  Align(Operand.Alignment), Operand.Kind, List, Operand.Offset);
      Found = true;
    }
  return Found || is_contained(Untouching, I.getIntrinsicID());
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

unsigned laneCount(const Value *Vector) {
  return cast<FixedVectorType>(Vector->getType())->getNumElements();
}

unsigned laneBytes(Type *Vector) {
  return cast<FixedVectorType>(Vector)->getScalarSizeInBits() / 8;
}

LaneMask maskOf(Value *Lanes) {
  LaneMask Mask;
  Mask.Lanes = Lanes;
  if (Lanes->getType()->isIntegerTy())
    Mask.Encoding = LaneEncoding::LowBits;
  else if (Lanes->getType()->getScalarType()->isIntegerTy(1))
    Mask.Encoding = LaneEncoding::Bits;
  else
    Mask.Encoding = LaneEncoding::SignBits;
  return Mask;
}

void appendMasked(IntrinsicInst &I, AccessShape Shape, AccessKind Kind,
                  Value *Address, unsigned Bytes, unsigned LaneCount,
                  LaneMask Mask, AccessList &List) {
  Access A;
  A.At = &I;
  A.Kind = Kind;
  A.Shape = Shape;
  A.Address = Address;
  A.Bytes = Bytes;
  A.LaneCount = LaneCount;
  A.Mask = Mask;
  appendLanes(A, List);
}

/// A gather into, or scatter of, \p Data: as many lanes as data, indices and
/// mask all have.
void appendIndexed(IntrinsicInst &I, AccessKind Kind, Value *Base, Value *Index,
                   Type *Data, Value *Mask, Value *Scale, AccessList &List) {
  Access A;
  A.At = &I;
  A.Kind = Kind;
  A.Shape = AccessShape::Scattered;
  A.Address = Base;
  A.Bytes = laneBytes(Data);
  A.LaneCount =
      std::min(cast<FixedVectorType>(Data)->getNumElements(), laneCount(Index));
  A.Mask = maskOf(Mask);
  A.Index = Index;
  A.Scale = cast<ConstantInt>(Scale)->getZExtValue() & 0xff;
  appendLanes(A, List);
}

/// x86.avx512.mask.pmov[s|us].XY.mem.N: stores the lanes of a vector of X,
/// each narrowed to a Y.
bool collectNarrowingStore(IntrinsicInst &I, StringRef Name, AccessList &List) {
  if (!Name.consume_front("mask.pmov") || !Name.contains(".mem."))
    return false;
  auto [Signedness, Rest] = Name.split('.');
  if (Rest.size() < 2)
    return false;
  unsigned Bytes;
  switch (Rest[1]) {
  case 'b':
    Bytes = 1;
    break;
  case 'w':
    Bytes = 2;
    break;
  case 'd':
    Bytes = 4;
    break;
  default:
    return false;
  }
  appendMasked(I, AccessShape::Lanes, Write, I.getArgOperand(0), Bytes,
               laneCount(I.getArgOperand(1)), maskOf(I.getArgOperand(2)), List);
  return true;
}

bool collectVector(IntrinsicInst &I, AccessList &List) {
  auto Argument = [&](unsigned Index) { return I.getArgOperand(Index); };
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.x86."))
    return false;

  if (Name.starts_with("avx.maskload.") || Name.starts_with("avx2.maskload.")) {
    appendMasked(I, AccessShape::Lanes, Read, Argument(0),
                 laneBytes(I.getType()), laneCount(Argument(1)),
                 maskOf(Argument(1)), List); // pointer, mask
    return true;
  }
  if (Name.starts_with("avx.maskstore.") ||
      Name.starts_with("avx2.maskstore.")) {
    appendMasked(I, AccessShape::Lanes, Write, Argument(0),
                 laneBytes(Argument(2)->getType()), laneCount(Argument(1)),
                 maskOf(Argument(1)), List); // pointer, mask, value
    return true;
  }
  if (Name == "sse2.maskmov.dqu") { // value, mask, pointer
    appendMasked(I, AccessShape::Lanes, Write, Argument(2), 1, 16,
                 maskOf(Argument(1)), List);
    return true;
  }
  if (Name == "mmx.maskmovq") { // value, mask, pointer
    LaneMask Mask;
    Mask.Lanes = Argument(1);
    Mask.Encoding = LaneEncoding::SignBits;
    appendMasked(I, AccessShape::Lanes, Write, Argument(2), 1, 8, Mask, List);
    return true;
  }
  if (Name.starts_with("avx2.gather.")) { // through, base, index, mask, scale
    appendIndexed(I, Read, Argument(1), Argument(2), I.getType(), Argument(3),
                  Argument(4), List);
    return true;
  }
  if (!Name.consume_front("avx512."))
    return false;
  if (Name.starts_with("gather") || Name.starts_with("mask.gather")) {
    // through, base, index, mask, scale
    appendIndexed(I, Read, Argument(1), Argument(2), I.getType(), Argument(3),
                  Argument(4), List);
    return true;
  }
  if (Name.starts_with("scatter") || Name.starts_with("mask.scatter")) {
    // base, mask, index, value, scale
    appendIndexed(I, Write, Argument(0), Argument(2), Argument(3)->getType(),
                  Argument(1), Argument(4), List);
    return true;
  }
  return collectNarrowingStore(I, Name, List);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The largest number of rows of a tile, and of bytes of a row.
constexpr unsigned TileRows = 16;
constexpr unsigned TileRowBytes = 64;

/// rows, bytes a row, pointer, bytes from row to row[, value]
bool collectTile(IntrinsicInst &I, AccessList &List) {
  AccessKind Kind;
  switch (I.getIntrinsicID()) {
  case Intrinsic::x86_tileloadd64_internal:
  case Intrinsic::x86_tileloaddt164_internal:
    Kind = Read;
    break;
  case Intrinsic::x86_tilestored64_internal:
    Kind = Write;
    break;
  default:
    return false;
  }
  Access A;
  A.At = &I;
  A.Kind = Kind;
  A.Shape = AccessShape::Scattered;
  A.Address = I.getArgOperand(2);
  A.Stride = I.getArgOperand(3);
  A.Bytes = TileRowBytes;
  A.Length = I.getArgOperand(1);
  A.LaneCount = TileRows;
  A.Mask.Limit = I.getArgOperand(0);
  appendLanes(A, List);
  return true;
}

} // namespace

bool collectAccesses(IntrinsicInst &I, AccessList &List) {
  return collectVarArgs(I, List) || collectFixed(I, List) ||
         collectVector(I, List) || collectTile(I, List);
}

const JumpBuffer LibcJumpBuffer = {/*RegisterBytes=*/68, /*MaskOffset=*/72};

} // namespace pagetide::target
