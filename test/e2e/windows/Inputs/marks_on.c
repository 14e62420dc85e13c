/*===- marks_on.c - The byte that says whether marks are on ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Compiled without the pass, and linked with a program that has marks.

extern volatile char __pagetide_marks_on __attribute__((visibility("hidden")));

int marks_are_on(void) { return __pagetide_marks_on; }
void change_marks(void) { __pagetide_marks_on = !__pagetide_marks_on; }
