/*===- plain.c - Writes that nobody marks ----------------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "plain.h"

char plain_data[3 * 4096] __attribute__((aligned(4096)));

void plain_write(char *where) { *(volatile char *)where = 1; }
char plain_read(const char *where) { return *(const volatile char *)where; }
char *plain_page(int i) { return plain_data + i * 4096; }
