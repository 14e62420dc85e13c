//===- main.cpp - The pagetide program ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/command.h"
#include "support/text_output.h"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  using namespace pagetide::tools;
  try {
    return run_pagetide({argv + 1, argv + argc});
  } catch (const ReaderGone &) {
    return kStatusFailed;
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "pagetide: %s\n", problem.what());
    return kStatusFailed;
  }
}
