//===- names.cpp - Functions in a namespace -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

static char bytes[1 << 16];

namespace space {
__attribute__((noinline)) void named(char *at, int stride) {
  for (int i = 0; i < 8; ++i)
    at[i * stride] = 1;
}
} // namespace space

int main(int argc, char **) {
  space::named(bytes, 4096 * argc);
  return 0;
}
