//===- imports_strings.cpp - Uses a module that makes strings -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <string>

import strings;

int main() {
  std::string made = letters(100);
  made.push_back('b');
  std::printf("%zu\n", made.size());
  return 0;
}
