/* Fills pages with addresses of program, heap and libc, and ends a period.

   pointers PAGE: the page with that number has another value; 16: none has. */

#include <pagetide/pagetide.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kPages = 16, kWords = 512 };

struct page {
  uint64_t words[kWords];
};

static struct page pages[kPages] __attribute__((aligned(4096)));

static void fill(struct page *page, unsigned number, struct page *heap) {
  page->words[0] = (uint64_t)&pages[(number + 1) % kPages];
  page->words[1] = (uint64_t)&fill;
  page->words[2] = (uint64_t)&heap[number].words[number];
  page->words[3] = (uint64_t)stdout; /* in libc */
  page->words[4] = (uint64_t)&malloc;
  page->words[5] = (uint64_t)"a text of the program";
  page->words[6] = (uint64_t)(heap + kPages); /* one past the end */
  page->words[7] = 0x123456789abcdef0;
  __asm__("movq %%fs:40, %0" : "=r"(page->words[8])); /* the canary */
  for (unsigned i = 9; i < kWords; i++)
    page->words[i] = number * i;
}

int main(int argc, char **argv) {
  struct page *heap = malloc(kPages * sizeof(*heap));
  for (unsigned i = 0; i < kPages; i++) {
    fill(&pages[i], i, heap);
    fill(&heap[i], i, heap);
  }
  const int other = argc == 2 ? atoi(argv[1]) : kPages;
  if (other < kPages)
    pages[other].words[100] = 1;
  pagetide_period_end();
  return 0;
}
