//===- gs_base.cpp - The shadow's base is the GS segment base -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arch/shadow_base.h"

#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

namespace pagetide {

/// Whether `wrgsbase` may be used (Linux 5.9, AT_HWCAP2): it takes 15 ns,
/// arch_prctl takes 300.
/// It lies with PAGETIDE_START_DATA, which is of a floor above.
__attribute__((section(".data.pagetide_start"))) static bool has_fsgsbase;

void InitBaseRegister() {
  constexpr uptr kHwcap2FsGsBase = 2; // HWCAP2_FSGSBASE, asm/hwcap2.h
  has_fsgsbase = getauxval(AT_HWCAP2) & kHwcap2FsGsBase;
}

uptr GetBaseRegister() {
  uptr base = 0;
  if (has_fsgsbase)
    asm volatile("rdgsbase %0" : "=r"(base));
  else
    Syscall(SYS_arch_prctl, ARCH_GET_GS, (uptr)&base);
  return base;
}

void SetShadowBase(uptr shadow_base) {
  const uptr base = shadow_base - abi::kShadowBias;
  if (has_fsgsbase)
    asm volatile("wrgsbase %0" ::"r"(base) : "memory");
  else
    Syscall(SYS_arch_prctl, ARCH_SET_GS, base);
}

} // namespace pagetide
