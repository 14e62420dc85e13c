/*===- plain.h - Writes that nobody marks ----------------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * For object files and libraries that are not instrumented.
 *
 *===----------------------------------------------------------------------===*/

#ifndef PAGETIDE_TEST_AUDIT_PLAIN_H
#define PAGETIDE_TEST_AUDIT_PLAIN_H

void plain_write(char *where);
char plain_read(const char *where);
/* A page of the file's own data, 0 to 2. */
char *plain_page(int i);

#endif
