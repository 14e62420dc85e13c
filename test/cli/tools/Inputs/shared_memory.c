/*===- shared_memory.c - Processes that share some of their memory ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* The parent writes 40 pages of anonymous shared memory. Three workers read
 * them. Each worker has 10 pages of anonymous shared memory of its own, at the
 * same address in all, and 60 pages of a file: 20 in common and none twice, at
 * other addresses. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, ALL = 40, OWN = 10, WORKERS = 3, FILE_PAGES = 60 };

static volatile char *shared(void *at, int fd, int pages, long offset) {
  void *memory = mmap(at, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, offset);
  if (memory == MAP_FAILED)
    _exit(9);
  return memory;
}

static void write_pages(volatile char *memory, int pages) {
  for (int i = 0; i < pages; ++i)
    memory[i * PAGE] = 1;
}

static int work(int number, int fd, volatile char *all) {
  char sum = 0;
  for (int i = 0; i < ALL; ++i)
    sum = (char)(sum + all[i * PAGE]);
  void *const at = (void *)0x700000000000;
  write_pages(shared(at, -1, OWN, 0), OWN);
  /* Worker 1 begins 20 pages into the file, so the addresses differ. */
  const int first = number == 1 ? 20 : 0;
  volatile char *file = shared(NULL, fd, FILE_PAGES - first, first * PAGE);
  /* Pages 20 to 39 of the file, and 20 of the others by worker 0 and 2. */
  write_pages(file + (20 - first) * PAGE, 20);
  if (number != 1)
    write_pages(file + (number == 0 ? 0 : 40) * PAGE, 20);
  return sum != ALL;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || ftruncate(fd, FILE_PAGES * PAGE))
    return 3;
  volatile char *all = shared(NULL, -1, ALL, 0);
  write_pages(all, ALL);
  for (int i = 0; i < WORKERS; ++i)
    if (fork() == 0)
      exit(work(i, fd, all));
  int failed = 0;
  for (int i = 0, status; i < WORKERS; ++i)
    failed |= wait(&status) < 0 || status != 0;
  return failed;
}
