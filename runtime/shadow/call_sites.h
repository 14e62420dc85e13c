//===- call_sites.h - Sites of libc's work for the program ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_SHADOW_CALL_SITES_H
#define PAGETIDE_RUNTIME_SHADOW_CALL_SITES_H

#include "pagetide/abi.h"
#include "platform/syscalls.h"

namespace pagetide {

/// The id of a site, if it is below 2^31; otherwise the address to which the
/// thread's innermost call of the library returns; 0: there was none. Set by
/// the entries of real_functions.h.
extern "C" __attribute__((visibility("hidden"))) __thread u64 pagetide_caller;

constexpr u32 kMaxCallSites = 1 << 16;
/// The id of calls whose address is not known, or for which there is no room.
constexpr u32 kOtherCallSite = abi::kFirstCallSite + kMaxCallSites - 1;

/// The thread's last address, and its id less kFirstCallSite in the bits above
/// it. One word, because a signal handler may replace both.
extern __thread u64 last_call_site;

/// The id that marks of the calling thread store. Async-signal-safe.
u32 SiteOfCaller();

/// The same if it need not be looked up; otherwise 0. Most calls mark more than
/// once, or are in loops.
inline u32 KnownSiteOfCaller() {
  const u64 caller = pagetide_caller, last = last_call_site;
  if (caller < abi::kSiteMay)
    return caller ? (u32)caller : kOtherCallSite;
  constexpr u64 kAddressMask = (u64{1} << abi::kAddressBits) - 1;
  return (last & kAddressMask) == caller
             ? abi::kFirstCallSite + (u32)(last >> abi::kAddressBits)
             : 0;
}

/// The address number `number` that was seen, and its id. False if there are
/// fewer so far.
bool SeenCallSite(u32 number, u64 &address, u32 &id);

/// While it lives, marks name `site`.
class NamedSite {
public:
  explicit NamedSite(u32 site) : outer_(pagetide_caller) {
    pagetide_caller = site;
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

#endif // PAGETIDE_RUNTIME_SHADOW_CALL_SITES_H
