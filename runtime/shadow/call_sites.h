//===- call_sites.h - Sites of libc's work for the program ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under a layout with sites, what libc does for the program is marked with the
// site of the call. Code that the pass has marked passes the id of its site to
// the functions that it calls by name. All other calls are known by the address
// to which they return: the functions that this library exports keep it when
// they are entered. Such an address gets an id when it is first seen. The
// recorder tells the trace what these ids mean (trace/site_frames.h).
//
// A call within the call, for example by a signal handler, replaces what is
// kept. So a mark of the outer call can then name the inner one.

#pragma once

#include "pagetide/abi.h"
#include "platform/syscalls.h"

namespace pagetide {

/// The address to which the thread's innermost call of the library returns, as
/// the entries of real_functions.h keep it. Or the id of a site with bit kIsId.
extern "C" __attribute__((visibility("hidden"))) __thread u64 pagetide_caller;
constexpr u64 kIsId = u64{1} << 63;

constexpr u32 kMaxCallSites = 1 << 16;
/// The id of calls whose address is not known, or for which there is no room.
constexpr u32 kOtherCallSite = abi::kFirstCallSite + kMaxCallSites - 1;

/// A hash table of addresses: entry number N has id kFirstCallSite + N. An
/// entry never changes, so threads need no copies of their own. The last entry
/// stays empty, because its id is kOtherCallSite.
extern u64 call_site_addresses[kMaxCallSites];

/// Where the table has an address, unless another address was there first.
inline u32 FirstCallSiteEntry(u64 address) {
  return (u32)address * 0x9E3779B1u >> 16;
}

/// The id that marks of the calling thread store. Async-signal-safe.
u32 SiteOfCaller();

/// The same if the first look finds it; otherwise 0.
inline u32 KnownSiteOfCaller() {
  const u64 caller = pagetide_caller;
  if (__builtin_expect(caller & kIsId, 0))
    return (u32)caller;
  const u32 at = FirstCallSiteEntry(caller);
  return __atomic_load_n(&call_site_addresses[at], __ATOMIC_RELAXED) == caller
             ? abi::kFirstCallSite + at
             : 0;
}

/// The address number `number` that was seen, and its id. False if there are
/// fewer so far.
bool SeenCallSite(u32 number, u64 &address, u32 &id);

/// While it lives, marks name `site`.
class NamedSite {
public:
  explicit NamedSite(u32 site) : outer_(pagetide_caller) {
    pagetide_caller = site | kIsId;
  }
  ~NamedSite() { pagetide_caller = outer_; }
  NamedSite(const NamedSite &) = delete;
  NamedSite &operator=(const NamedSite &) = delete;

private:
  u64 outer_;
};

/// Keeps the caller over calls of the program's functions.
class KeptCaller {
public:
  KeptCaller() : kept_(pagetide_caller) {}
  ~KeptCaller() { pagetide_caller = kept_; }
  KeptCaller(const KeptCaller &) = delete;
  KeptCaller &operator=(const KeptCaller &) = delete;

private:
  u64 kept_;
};

} // namespace pagetide
