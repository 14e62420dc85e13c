/*===- load.c - Loads a library, and says how that went ---------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <dlfcn.h>

int main(int argc, char **argv) {
  return argc != 2 || !dlopen(argv[1], RTLD_NOW);
}
