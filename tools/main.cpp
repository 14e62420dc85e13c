//===- main.cpp - The pagetide program ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  try {
    return pagetide::tools::run_pagetide({argv + 1, argv + argc});
  } catch (const std::exception &unforeseen) {
    std::fprintf(stderr, "pagetide: %s\n", unforeseen.what());
  } catch (...) {
    // The reader of our help has gone.
  }
  return pagetide::tools::kStatusFailed;
}
