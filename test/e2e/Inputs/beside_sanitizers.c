/*===- beside_sanitizers.c - Something to record, and something to find ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <pagetide/pagetide.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char *pages;
static int unguarded;

static void *work(void *argument) {
  size_t from = (size_t)argument;
  for (size_t i = from; i < from + 8; ++i)
    ((volatile char *)pages)[i * 4096] = 1;
  return NULL;
}
static void *races(void *unused) {
  for (int i = 0; i < 1000; ++i)
    ++*(volatile int *)&unguarded;
  return unused;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  pthread_t one, two;
  if (strcmp(how, "overflow") == 0) {
    char *p = (char *)malloc(8);
    return ((volatile char *)p)[argc + 8];
  }
  if (strcmp(how, "race") == 0) {
    pthread_create(&one, NULL, races, NULL);
    pthread_create(&two, NULL, races, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
  }
  pages = (char *)mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || pagetide_watch(pages, 16 * 4096) != PAGETIDE_OK)
    return 3;
  pthread_create(&one, NULL, work, (void *)0);
  pthread_create(&two, NULL, work, (void *)8);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return pagetide_period_end() == PAGETIDE_OK ? 0 : 4;
}
