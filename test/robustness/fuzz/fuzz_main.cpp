//===- fuzz_main.cpp - Where libFuzzer enters -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  pagetide::tools::try_input(pagetide::tools::Input(data, size));
  return 0;
}
