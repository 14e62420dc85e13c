//===- sanitizer_table.h - sanitizer_common's table of interceptors -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_SANITIZER_TABLE_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_SANITIZER_TABLE_H

namespace pagetide {

/// Call it under engine mprotect when the real functions are known. It makes
/// some of the table's interceptors do more.
void GuardTableInterceptors();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_SANITIZER_TABLE_H
