//===- empty.c - A program that does nothing: what starting costs ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// It touches one page, so that its recording differs from one that does not
// work.
static volatile int touched;

int main(void) {
  touched = 1;
  return touched - 1;
}
