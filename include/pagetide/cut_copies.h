//===- cut_copies.h - What checkpoints ask of the runtime -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libpagetide-checkpoint asks libpagetide for a period that ends in a cut, and
// for copies of pages as they were at its instant. The function's name has the
// version of this interface: libraries of two versions do not find each other.
//
// Not for programs.

#ifndef PAGETIDE_CUT_COPIES_H
#define PAGETIDE_CUT_COPIES_H

#include <cstddef>
#include <cstdint>

namespace pagetide {

/// Addresses [begin, end).
struct CopyRange {
  std::uintptr_t begin, end;
};

/// What is asked, and the answer. A granule is a unit of reporting, as in
/// pagetide.h.
struct CopyRequest {
  //===- Asked -----------------------------------------------------------===//

  /// Copies are made of granules that overlap these, if they are in the
  /// period's set as possibly written, or were written since. Sorted and
  /// disjoint.
  const CopyRange *regions;
  std::size_t region_count;
  /// And of granules that overlap these. Sorted by `begin`.
  const CopyRange *more;
  std::size_t more_count;

  /// Room for `capacity` granules of `granule` bytes, and for their addresses.
  std::uint8_t *bytes;
  std::uintptr_t *addresses;
  std::size_t capacity;
  std::size_t granule;

  /// Called on the thread that asks, before the threads are stopped. Keeps them
  /// from what no copy may divide. May set `more`, which is empty by then:
  /// what it names is copied anew. False: there is to be no cut.
  bool (*hold)(void *user);
  /// Called on that thread when the instant has passed, if `hold` gave true.
  void (*release)(void *user);
  void *user;

  //===- Answered --------------------------------------------------------===//

  /// How many granules there are, in the order in which room was given. Above
  /// `capacity`: there was no room for them all, and no cut.
  std::size_t count;
  std::uint64_t cut_ns;        ///< the instant; 0: there was no cut
  std::uint64_t pause_ns;      ///< first thread stopped to last one released
  const char *no_cut;          ///< English; null if there was a cut
  std::uintptr_t not_readable; ///< a granule that cannot be read; 0: none
};

} // namespace pagetide

/// Ends the running period, as pagetide_period_end() does. Returns a
/// pagetide_status; PAGETIDE_UNSUPPORTED if the engine makes no cuts,
/// PAGETIDE_INVALID if granules have another size. With a null pointer it only
/// says whether the engine makes cuts.
extern "C" int __pagetide_api_copy_at_cut_v1(pagetide::CopyRequest *request)
    __attribute__((weak));

#endif // PAGETIDE_CUT_COPIES_H
