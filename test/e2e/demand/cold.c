/*===- cold.c - Functions that exist once, because they are cold ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Each of their marks tests whether marks are on. So sets are those of two copies.
// RUN: %known_sets --ways O0,O2,O2/rw-site %s
// RUN: %pagetide_clang -O2 -w -I %S/../../lib -S %s -o - | FileCheck %s
// CHECK-NOT: .pagetide:

#pragma clang attribute push(__attribute__((cold)), apply_to = function)
#include "../memory/loads_and_stores.c"
#pragma clang attribute pop
