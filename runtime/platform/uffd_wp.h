//===- uffd_wp.h - The kernel's account of what was written ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that userfaultfd protects asynchronously: the first write to a page
// lifts its protection without stopping a thread, and PAGEMAP_SCAN tells which
// pages are not protected (pagetide/pagemap_scan.h). Linux 6.7.
//
// For the recorder's thread, in whose table the descriptors are.

#pragma once

#include "platform/page_vec.h"
#include "platform/syscalls.h"

#include "pagetide/pagemap_scan.h"

#include <errno.h>
#include <sys/syscall.h>

namespace pagetide {

/// "WHAT: why" in a static text, which the next call overwrites.
const char *Missing(const char *what, int error);

/// What PAGEMAP_SCAN is asked for; all of kernel::PageCategories.
struct PageQuery {
  u64 flags;    ///< kernel::ScanFlags
  u64 inverted; ///< categories of `all` and `any` that a page must not have
  u64 all;      ///< a page must have each of them
  u64 any;      ///< and one of these, unless there are none
  u64 wanted;   ///< reported for each region
};

/// Trivial, so that it can be part of the recorder's state, which starts as
/// zeros.
class AsyncProtection {
public:
  /// Opens both descriptors. `features` are kernel::UffdFeatures that are
  /// needed besides those of asynchronous protection. Returns null, or what is
  /// missing as a static text; then nothing is open.
  const char *Open(u64 features);
  void Close();
  /// Opens what Scan alone needs, unless it is open. Returns an errno.
  int OpenPagemap();

  int Uffd() const { return uffd_; }

  /// Registers the pages of [begin, end), which may be registered already.
  /// Returns an errno.
  int Register(uptr begin, uptr end);
  /// Protects registered pages. After it has returned, a write to a page lifts
  /// the protection of that page. Returns an errno.
  int Protect(uptr begin, uptr end);

  /// Calls take(kernel::PageRegion) for what is found in [begin, end), by
  /// ascending address. Returns an errno.
  template <typename Take>
  int Scan(uptr begin, uptr end, const PageQuery &query, Take take);

private:
  uptr ScanSome(uptr begin, uptr end, const PageQuery &query, uptr &walked);

  int uffd_, pagemap_; ///< 0: not opened yet (0 is the memory file)
  PageVec<kernel::PageRegion> found_;
};

template <typename Take>
int AsyncProtection::Scan(uptr begin, uptr end, const PageQuery &query,
                          Take take) {
  // Linux 6.18 refuses a request that has this half's last page (EFAULT).
  // Nothing is ever mapped there.
  constexpr uptr kEndOfMappings = (uptr{1} << 47) - kPageBytes;
  if (end > kEndOfMappings)
    end = kEndOfMappings;
  while (begin < end) {
    uptr walked = begin;
    const uptr n = ScanSome(begin, end, query, walked);
    if (ErrnoOf(n) == EINTR || ErrnoOf(n) == EAGAIN)
      continue;
    if (Failed(n))
      return ErrnoOf(n);
    for (uptr i = 0; i < n; ++i)
      take(found_[i]);
    if (walked <= begin)
      return EIO; // no kernel does that, but it would loop for ever
    begin = walked;
  }
  return 0;
}

} // namespace pagetide
