/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Three threads with pages of their own and pages that they share. */
#include <pagetide/pagetide.h>
#include <pthread.h>
#include <sys/mman.h>

enum { kPage = 4096, kPages = 64 };

static volatile char *region;
static volatile char sink;

static void write_pages(int first, int end) {
  for (int page = first; page < end; page++)
    region[page * kPage] = 1;
}

static void read_pages(int first, int end) {
  for (int page = first; page < end; page++)
    sink += region[page * kPage];
}

static void *first_worker(void *unused) {
  read_pages(0, 5);
  write_pages(10, 20);
  return unused;
}

static void *second_worker(void *unused) {
  read_pages(0, 10);
  pagetide_period_end();
  write_pages(15, 25);
  return unused;
}

int main(void) {
  region = mmap((void *)0x100000000000, kPages * kPage, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (region == MAP_FAILED)
    return 1;
  write_pages(0, 10);
  pthread_t first;
  pthread_t second;
  if (pthread_create(&first, NULL, first_worker, NULL) ||
      pthread_create(&second, NULL, second_worker, NULL))
    return 1;
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
