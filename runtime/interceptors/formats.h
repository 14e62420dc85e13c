//===- formats.h - What printf and scanf do through their arguments -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <stdarg.h>

namespace pagetide {

// Char is char or wchar_t.

/// Marks what printf has read and written through its arguments.
template <typename Char>
void DidPrint(const Char *format, va_list list, int result);

/// Marks what scanf has stored: its first `stored` conversions succeeded.
/// `gnu_a`: %as allocates, as before C99.
template <typename Char>
int DidScan(const Char *format, va_list list, int stored, bool gnu_a);

extern template void DidPrint(const char *, va_list, int);
extern template void DidPrint(const wchar_t *, va_list, int);
extern template int DidScan(const char *, va_list, int, bool);
extern template int DidScan(const wchar_t *, va_list, int, bool);

} // namespace pagetide
