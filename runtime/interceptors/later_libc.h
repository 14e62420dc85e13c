//===- later_libc.h - Interceptors of functions that libc may lack --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file defines after it has included this header wraps functions that
// came after glibc 2.36 (@stands-in in intercepted.txt). Each is resolved when
// it is first called: nobody calls one that libc lacks, and looking for it at
// start would allocate.

#pragma once

#include "interceptors/real_functions.h"

#undef RESOLVED
#define RESOLVED(name) (pagetide::NeedReal(), REAL_OF(name))
