//===- sanitizer_table.h - sanitizer_common's table of interceptors -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_SANITIZER_TABLE_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_SANITIZER_TABLE_H

namespace pagetide {

/// Resolves the functions that the table's interceptors wrap.
void InitTableInterceptors();
/// Afterwards, for engine mprotect: some of them do more.
void GuardTableInterceptors();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_SANITIZER_TABLE_H
