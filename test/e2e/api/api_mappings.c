/*===- api_mappings.c - Mappings that came and went, in the callback -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O1 %s -o %t && %t

#include "recording.h"

#include <link.h>

enum { MOST = 2000 };
static pagetide_mapping added[MOST], removed[MOST];
static char names[MOST][256];
static size_t added_count, removed_count;
static int calls;

static void callback(const pagetide_period *period, void *user) {
  (void)user;
  ++calls;
  require(period->added_count <= MOST && period->removed_count <= MOST);
  added_count = period->added_count;
  removed_count = period->removed_count;
  for (size_t i = 0; i < added_count; ++i) {
    added[i] = period->added[i];
    require(added[i].name != NULL);
    snprintf(names[i], sizeof names[i], "%s", added[i].name);
    /* Never the shadow: nothing of the size of a thread's. */
    require(added[i].bytes < 32 * GIB);
  }
  for (size_t i = 0; i < removed_count; ++i)
    removed[i] = period->removed[i];
}

static int find(const pagetide_mapping *list, size_t count, const void *p) {
  for (size_t i = 0; i < count; ++i)
    if ((uintptr_t)p >= list[i].start &&
        (uintptr_t)p < list[i].start + list[i].bytes)
      return (int)i;
  return -1;
}

/* They are looked up at most every 100 ms. */
static void end_later(void) {
  usleep(130000);
  require_status(pagetide_period_end(), PAGETIDE_OK);
}

static int data = 1;

int main(void) {
  start_driven();
  require_status(pagetide_on_period(callback, NULL), PAGETIDE_OK);
  end_later();
  /* The first call lists all: this code, its data, libc, the stack. */
  int i = find(added, added_count, (void *)&main);
  require(i >= 0);
  require_equal(added[i].protection, PROT_READ | PROT_EXEC);
  char self[256] = "";
  require(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  require(strcmp(names[i], self) == 0);
  i = find(added, added_count, &data);
  require(i >= 0 && added[i].protection == (PROT_READ | PROT_WRITE));
  i = find(added, added_count, (void *)stderr); /* an object of libc's own */
  require(i >= 0);
  require(strstr(names[i], "libc") || names[i][0] == 0);
  i = find(added, added_count, &i);
  require(i >= 0 && strcmp(names[i], "[stack]") == 0);
  require_equal(removed_count, 0);

  /* Nothing new: none of the program's is listed again. (The runtime's own
   * memory may be.) */
  end_later();
  require(find(added, added_count, (void *)&main) < 0);
  require(find(added, added_count, &data) < 0);
  require(find(added, added_count, (void *)stderr) < 0);
  require(find(added, added_count, &i) < 0);
  require(find(removed, removed_count, &data) < 0);

  char *a = map_arena(0, 16 * PAGE);
  end_later();
  i = find(added, added_count, a);
  require(i >= 0);
  require_equal(added[i].start, (uintptr_t)a);
  require_equal(added[i].bytes, 16 * PAGE);
  require_equal(added[i].protection, PROT_READ | PROT_WRITE);
  require(names[i][0] == 0);

  /* Another permission for a part: other mappings. */
  require(mprotect(a + 4 * PAGE, 4 * PAGE, PROT_READ) == 0);
  end_later();
  i = find(added, added_count, a + 5 * PAGE);
  require(i >= 0);
  require_equal(added[i].protection, PROT_READ);
  require(find(removed, removed_count, a + 5 * PAGE) >= 0);

  munmap(a, 16 * PAGE);
  end_later();
  require(find(added, added_count, a) < 0);
  require(find(removed, removed_count, a) >= 0);
  require(find(removed, removed_count, a + 5 * PAGE) >= 0);
  require(find(removed, removed_count, a + 15 * PAGE) >= 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}
