//===- cxx_strings.cpp - What is in libstdc++'s binary, and what is not ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Members of std::string are in libstdc++'s binary, which marks nothing (the
// contract's section 7), unless the program is compiled to have its own.
// RUN: %known_sets --ways O2 --flag=-std=c++20 --flag=-DOWN %s
// RUN: %known_sets --ways O2 --flag=-D_GLIBCXX_ASSERTIONS --flag=-DOWN %s
// RUN: %known_sets --ways O2 %s

#include "known_sets.h"

#include <new>
#include <string>

int main() {
  char *a = arena(0, 16 * PAGE);
  std::string &s = *new (a) std::string();
  OPAQUE(a);
  expect_write(a, sizeof s), end_period();
  s.resize(1, 'x'); // one character: no memset, which would be marked
#ifdef OWN
  expect_both(a, sizeof s);
#endif
  end_period();
  return 0;
}
