/*===- hashed_memory.h - Pages whose contents are known too ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#include "mapped_memory.h"
#include "reference_hash.h"

/* Written in this period; the trace has the contents of the period's end. */
static void expect_stable(const char *p, int may) {
  expect_at(known_period_, thread_id(), p, 1, may ? "mw" : "w");
  truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
             (unsigned long long)known_period_,
             (unsigned long long)(uintptr_t)p,
             (unsigned long long)reference_hash(p, PAGE));
}
static void wrote(char *p) {
  put(p);
  expect_stable(p, 0);
}
