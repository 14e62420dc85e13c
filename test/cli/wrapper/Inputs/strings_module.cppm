//===- strings_module.cppm - A module that makes strings ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

module;
#include <string>
export module strings;

export std::string letters(int count) {
  std::string made;
  for (int i = 0; i < count; ++i)
    made.push_back('a');
  return made;
}
