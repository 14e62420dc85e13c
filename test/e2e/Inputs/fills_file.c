/*===- fills_file.c - Writes a file's first page over and over
 *--------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* fills_file FILE map|write: fills all words of the first page but the last
 * with 1, then with 2, then with 3, and so on, until somebody ends it. Built
 * without the plugin: nobody records it. */

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORDS = 511 };

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  int fd = open(argv[1], O_RDWR);
  if (fd < 0)
    return 1;
  volatile uint64_t *page = NULL;
  if (strcmp(argv[2], "map") == 0) {
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
      return 1;
  }
  for (uint64_t value = 1;; value = value % 3 + 1) {
    uint64_t words[WORDS];
    for (int i = 0; i < WORDS; ++i)
      if (page != NULL)
        page[i] = value;
      else
        words[i] = value;
    if (page == NULL && pwrite(fd, words, sizeof words, 0) != sizeof words)
      return 1;
  }
}
