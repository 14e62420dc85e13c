//===- tabled.h - System calls that raw_numbers.def describes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_TABLED_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_TABLED_H

#include "interceptors/interceptor.h"

namespace pagetide {

/// Marks what syscall(number, ...) has done; false if the table does not have
/// the number.
bool DidRawCall(long number, long result, const u64 (&arguments)[6]);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_TABLED_H
