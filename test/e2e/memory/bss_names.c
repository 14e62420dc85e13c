/*===- bss_names.c - Variables that start as zeros are their file's --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A large .bss of the program and of a library has the file's name, page by page.
// What follows has not, though the kernel may merge it with the .bss: the heap
// (always if addresses are not random), memory of the loader.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 -fPIC -shared -DLIBRARY %s -o libzeros.so
// RUN: %build_c -O1 -fno-pie -no-pie %s libzeros.so -Wl,-rpath,%t -o fixed
// RUN: %build_c -O1 -fPIE -pie %s libzeros.so -Wl,-rpath,%t -o moved
// RUN: %build_c -O1 -fPIE -pie -fuse-ld=lld %s libzeros.so -Wl,-rpath,%t -o lld
// RUN: for program in fixed moved lld; do for random in 0 1; do \
// RUN:   rm -f trace && ./$program $random trace && \
// RUN:   %pagetide report --json trace | \
// RUN:   %python %e2e/Inputs/mapping_pages.py $program=300 libzeros.so=80 || \
// RUN:   exit 1; done; done

#include <stddef.h>

#ifdef LIBRARY

static volatile char zeros[80 * 4096];
volatile char *library_zeros(size_t *bytes) {
  *bytes = sizeof zeros;
  for (size_t i = 0; i < sizeof zeros; i += 4096)
    zeros[i] = 1;
  return zeros;
}

#else

#include "recording.h"

#include <link.h>
#include <sys/personality.h>

volatile char *library_zeros(size_t *bytes);
static volatile char zeros[300 * 4096];
static volatile char value = 1; /* .data */

static struct range {
  uintptr_t begin, end;
  char name[1024];
} mapped[2000];
static size_t mapped_count;

static void list(const pagetide_period *period, void *user) {
  (void)user;
  if (mapped_count)
    return;
  require(period->added_count <= 2000);
  for (; mapped_count < period->added_count; ++mapped_count) {
    const pagetide_mapping *m = &period->added[mapped_count];
    struct range *range = &mapped[mapped_count];
    range->begin = m->start;
    range->end = m->start + m->bytes;
    snprintf(range->name, sizeof range->name, "%s", m->name);
    if (mapped_count)
      require(range->begin >= range[-1].end);
  }
}

static const char *name_of(const volatile void *p) {
  for (size_t i = 0; i < mapped_count; ++i)
    if ((uintptr_t)p >= mapped[i].begin && (uintptr_t)p < mapped[i].end)
      return mapped[i].name;
  return "nowhere";
}

static void require_name(const volatile void *p, const char *name) {
  if (strcmp(name_of(p), name) != 0)
    fprintf(stderr, "%p is in %s, not in %s\n", (void *)(uintptr_t)p,
            name_of(p), name);
  require(strcmp(name_of(p), name) == 0);
}

/* The page behind the last one of the loaded file that has `inside`. */
struct sought {
  uintptr_t inside, end;
};
static int find_end(struct dl_phdr_info *info, size_t size, void *user) {
  struct sought *sought = (struct sought *)user;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD)
      continue;
    begin = start < begin ? start : begin;
    if (start + segment->p_memsz > end)
      end = start + segment->p_memsz;
  }
  if (begin > sought->inside || sought->inside >= end)
    return 0;
  sought->end = (end + PAGE - 1) & ~(PAGE - 1);
  return 1;
}

static void require_file(const volatile char *p, size_t bytes,
                         const char *name) {
  struct sought sought = {(uintptr_t)p, 0};
  for (size_t i = 0; i < bytes; i += PAGE)
    require_name(p + i, name);
  require_name(p + bytes - 1, name);
  require(dl_iterate_phdr(find_end, &sought) == 1);
  require_name((void *)(sought.end - 1), name);
  require(strcmp(name_of((void *)sought.end), name) != 0);
}

int main(int argc, char **argv) {
  size_t bytes;
  char self[1024] = "", library[1100];
  require(argc == 3);
  if (argv[1][0] == '0' && !(personality(0xffffffff) & ADDR_NO_RANDOMIZE) &&
      personality(ADDR_NO_RANDOMIZE) >= 0) { /* else the system forbids it */
    execv("/proc/self/exe", argv);
    require(!"execv");
  }
  char *small = (char *)malloc(100);
  require(small != NULL);
  pagetide_config config = driven_config();
  config.trace_path = argv[2];
  require_status(pagetide_on_period(list, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  for (size_t i = 0; i < sizeof zeros; i += PAGE)
    zeros[i] = 1;
  value = 2;
  small[0] = 1;
  volatile char *of_library = library_zeros(&bytes);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  snprintf(library, sizeof library, "%.*s/libzeros.so",
           (int)(strrchr(self, '/') - self), self);
  require_name(&value, self);
  require_file(zeros, sizeof zeros, self);
  require_file(of_library, bytes, library);
  require_name(small, "[heap]");
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}

#endif
