//===- OptionTypes.h - The choices that options offer -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of PAGETIDE_CHOICE options and the names of their values. The
// compiler wrappers read them too, so nothing here needs LLVM.

#pragma once

#include "pagetide/abi.h"

#include <cstdint>
#include <span>

namespace pagetide {

/// What to do with a module that is optimised again when linked.
enum class LtoMode : uint32_t { Auto, Mark, Defer };

/// Whether a mark names one granule, or one of two.
enum class MarkPrecision : uint32_t {
  /// Near for granules of the default size, Exact for others. Finer granules
  /// have no room for several cells. Coarser ones need few marks and little
  /// shadow.
  Auto,
  Exact,
  /// Cells are smaller than granules. A mark at an address stands for as many
  /// bytes from there on as a cell has: see abi::kCellNear.
  Near,
};

/// How accesses are marked.
enum class MarkMode : uint32_t {
  /// By stores into the shadow, as few as possible.
  Inline,
  /// By a call of the runtime for each access, without saving any mark: the
  /// reference for Inline.
  Calls,
  /// As Inline, and before each access a call that looks for its mark.
  Check,
  /// As Inline, and lines of debug information that say what may be a call.
  Lines,
};

/// Whether a program pays for marks while nobody records it.
enum class DemandMode : uint32_t {
  /// Every function exists with and without marks (OnDemand.h).
  OnDemand,
  /// Every function has marks.
  Always,
  /// As OnDemand, and marks come and go while functions run (Windows.h).
  Windows,
};

inline constexpr const char *DemandModeNames[] = {"on-demand", "always",
                                                  "windows"};
inline constexpr const char *LtoModeNames[] = {"auto", "mark", "defer"};
inline constexpr const char *MarkPrecisionNames[] = {"auto", "exact", "near"};
inline constexpr const char *MarkModeNames[] = {"inline", "calls", "check",
                                                "lines"};

/// The names of an option's values, in the order of their enumerators.
template <typename T> std::span<const char *const> choiceNames();

template <> inline std::span<const char *const> choiceNames<abi::Layout>() {
  return abi::kLayoutNames;
}
template <> inline std::span<const char *const> choiceNames<DemandMode>() {
  return DemandModeNames;
}
template <> inline std::span<const char *const> choiceNames<LtoMode>() {
  return LtoModeNames;
}
template <> inline std::span<const char *const> choiceNames<MarkPrecision>() {
  return MarkPrecisionNames;
}
template <> inline std::span<const char *const> choiceNames<MarkMode>() {
  return MarkModeNames;
}

} // namespace pagetide
