/*===- touch_file.c - Leaves a file behind: it has run ---------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <fcntl.h>
#include <unistd.h>

int main(void) { return open("ran", O_WRONLY | O_CREAT, 0600) < 0; }
