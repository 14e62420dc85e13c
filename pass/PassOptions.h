//===- PassOptions.h - How the pass was asked to work -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "OptionTypes.h"

#include "pagetide/abi.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace pagetide {

struct PassOptions {
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help) Type Field = Default;
#define PAGETIDE_NUMBER(Field, Name, Default, Min, Max, Help)                  \
  unsigned Field = Default;
#define PAGETIDE_SWITCH(Field, Name, Default, Help) bool Field = Default;
#define PAGETIDE_TEXT(Field, Name, Default, Help) std::string Field = Default;
#define PAGETIDE_ABLATION(Field, Name, Help) bool Field = true;
#include "PassOptions.def"

  /// The options that were given, whatever their values.
  struct GivenOptions {
#define PAGETIDE_CHOICE(Field, Name, Type, Default, Help) bool Field = false;
#define PAGETIDE_NUMBER(Field, Name, Default, Min, Max, Help)                  \
  bool Field = false;
#define PAGETIDE_SWITCH(Field, Name, Default, Help) bool Field = false;
#define PAGETIDE_TEXT(Field, Name, Default, Help) bool Field = false;
#include "PassOptions.def"
  } Given;

  bool isNear() const {
    return Precision == MarkPrecision::Near ||
           (Precision == MarkPrecision::Auto && !marksSites() &&
            Granule == abi::kDefaultGranuleShift);
  }

  /// log2 of the bytes for which one shadow cell stands.
  unsigned cellShift() const {
    return isNear() ? abi::kNearCellShift : Granule;
  }
  uint64_t cellBytes() const { return uint64_t{1} << cellShift(); }
  /// What the runtime reports.
  uint64_t granuleBytes() const { return uint64_t{1} << Granule; }

  /// Whether a mark says which place in the source made it.
  bool marksSites() const { return abi::has_sites(Layout); }
  bool marksReads() const { return abi::records_reads(Layout); }

  /// What instrumented code says about itself (abi::ModuleInfo).
  abi::ModuleInfo moduleInfo() const;
  /// The options that all parts of a program must share, as
  /// optionsFromParameters() reads them: not lto, warn-inline-asm and
  /// ablations.
  std::string describe() const;
  /// True if one of those options was given and differs from \p Others.
  bool contradict(const PassOptions &Others) const;
  /// Takes the options that describe() leaves out from \p Others, except lto.
  void takeLocal(const PassOptions &Others);
  /// Takes what was not given from what code says that has marks already.
  void takeUngiven(const abi::ModuleInfo &Marked);
};

/// The options of the command line (-mllvm -pagetide-...), or the defaults.
PassOptions optionsFromCommandLine();

/// \p Base, changed by \p Parameters, the part between < and > of a textual
/// pipeline.
llvm::Expected<PassOptions> optionsFromParameters(llvm::StringRef Parameters,
                                                  PassOptions Base);

/// For each option: name, values, default, meaning.
std::string optionsHelp();

} // namespace pagetide
