/*===- wait.c - An instrumented program that waits ------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <unistd.h>

int main(void) {
  sleep(60);
  return 0;
}
