//===- empty.c - A program that does nothing: what starting costs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

int main(void) { return 0; }
