//===- call_sites.cpp - Sites of libc's work for the program --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow/call_sites.h"

namespace pagetide {

__thread u64 pagetide_caller = kOtherCallSite | kIsId;

/// The memory is touched only under layouts with sites. A forked child keeps
/// it.
u64 call_site_addresses[kMaxCallSites];
/// Numbers of entries plus one, in the order in which they were made.
static u32 order[kMaxCallSites];
static u32 seen;

constexpr u32 kMaxProbes = 64;

static u32 LookUp(u64 address) {
  const u32 first = FirstCallSiteEntry(address);
  for (u32 probe = 0; probe < kMaxProbes; ++probe) {
    const u32 at = (first + probe) % (kMaxCallSites - 1);
    u64 other = __atomic_load_n(&call_site_addresses[at], __ATOMIC_ACQUIRE);
    if (!other && __atomic_compare_exchange_n(&call_site_addresses[at], &other,
                                              address, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE)) {
      const u32 number = __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
      StoreRelease(&order[number], at + 1);
      return abi::kFirstCallSite + at;
    }
    if (other == address)
      return abi::kFirstCallSite + at;
  }
  return kOtherCallSite;
}

u32 SiteOfCaller() {
  const u32 known = KnownSiteOfCaller();
  return known ? known : LookUp(pagetide_caller);
}

bool SeenCallSite(u32 number, u64 &address, u32 &id) {
  const u32 at = number < kMaxCallSites ? LoadAcquire(&order[number]) : 0;
  if (!at)
    return false;
  address = call_site_addresses[at - 1];
  id = abi::kFirstCallSite + at - 1;
  return true;
}

} // namespace pagetide
