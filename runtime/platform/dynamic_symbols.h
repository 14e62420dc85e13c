//===- dynamic_symbols.h - The symbols that a loaded file exports ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads them where the loader has mapped them. Takes no lock and allocates
// nothing, so it may be used where dlsym may not. Async-signal-safe.

#pragma once

#include "platform/syscalls.h"

#include <link.h>

namespace pagetide {

/// The part of a file's dynamic section that names its symbols.
class DynamicSymbols {
public:
  explicit DynamicSymbols(const link_map &file);

  uptr Count() const;
  /// The function of that name in its default version; null if there is none.
  const ElfW(Sym) * Find(const char *name) const;
  /// Its address. Of an indirect function, that of the one that it chooses.
  void *FindFunction(const char *name) const;

  const ElfW(Sym) *symbols = nullptr;
  const char *strings = nullptr;

private:
  bool IsFunction(uptr symbol, const char *name) const;

  uptr base_;
  const u32 *gnu_hash_ = nullptr, *hash_ = nullptr;
  const u16 *versions_ = nullptr;
};

/// What libc.so.6 itself has by that name; null if there is none.
void *FunctionOfLibc(const char *name);
/// The same of the kernel's vDSO.
void *FunctionOfVdso(const char *name);

} // namespace pagetide
