//===- PassOptions.h - How the pass was asked to work -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_PASSOPTIONS_H
#define PAGETIDE_PASS_PASSOPTIONS_H

#include "pagetide/abi.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace pagetide {

/// What to do with a module that is optimised again when linked.
enum class LtoMode : uint32_t { Auto, Mark, Defer };

/// Whether a mark names one granule, or one of two.
enum class MarkPrecision : uint32_t {
  /// Near for granules of the default size, Exact for others: finer ones have no
  /// room for several cells, and coarser ones need few marks and little shadow.
  Auto,
  Exact,
  /// Cells are smaller than granules, and a mark stands for as many bytes from
  /// some address on as a cell has: see abi::kCellNear.
  Near,
};

/// How the accesses of a function come to be marked.
enum class MarkMode : uint32_t {
  /// By stores into the shadow, as few as will do.
  Inline,
  /// By a call of the runtime for each access, with nothing saved: what Inline
  /// is held against.
  Calls,
  /// As Inline, and before each access a call that looks for its mark.
  Check,
};

struct PassOptions {
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help) Type Field = Default;
#define PAGETIDE_NUMBER(Field, Name, Default, Least, Most, Help)               \
  unsigned Field = Default;
#define PAGETIDE_SWITCH(Field, Name, Default, Help) bool Field = Default;
#define PAGETIDE_TEXT(Field, Name, Default, Help) std::string Field = Default;
#include "PassOptions.def"

  /// Names the options that were given, whatever their values.
  struct GivenOptions {
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help) bool Field = false;
#define PAGETIDE_NUMBER(Field, Name, Default, Least, Most, Help)               \
  bool Field = false;
#define PAGETIDE_SWITCH(Field, Name, Default, Help) bool Field = false;
#define PAGETIDE_TEXT(Field, Name, Default, Help) bool Field = false;
#include "PassOptions.def"
  } Given;

  bool isNear() const {
    return Precision == MarkPrecision::Near ||
           (Precision == MarkPrecision::Auto &&
            Granule == abi::kDefaultGranuleShift);
  }

  /// log2 of the bytes one shadow cell stands for.
  unsigned cellShift() const {
    return isNear() ? abi::kNearCellShift : Granule;
  }
  uint64_t cellBytes() const { return uint64_t{1} << cellShift(); }
  /// What the runtime reports.
  uint64_t granuleBytes() const { return uint64_t{1} << Granule; }

  bool marksReads() const { return abi::records_reads(Layout); }

  /// What instrumented code says of itself (abi::ModuleInfo).
  abi::ModuleInfo moduleInfo() const;
  /// All options but lto, as optionsFromParameters() reads them.
  std::string describe() const;
  /// Whether an option that was given differs from \p Others.
  bool contradict(const PassOptions &Others) const;
};

/// The options of the command line (-mllvm -pagetide-...), or the defaults.
PassOptions optionsFromCommandLine();

/// \p Base with \p Parameters, the part between < and > of a textual pipeline,
/// over it.
llvm::Expected<PassOptions> optionsFromParameters(llvm::StringRef Parameters,
                                                  PassOptions Base);

/// One line an option: name, values, default, meaning.
std::string optionsHelp();

} // namespace pagetide

#endif // PAGETIDE_PASS_PASSOPTIONS_H
