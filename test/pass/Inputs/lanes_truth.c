// Runs the marked vector operations of lanes_*.c at random places with random
// masks. Compares the cells that they mark with those of the lanes that they
// touch. Not marked itself, and without the runtime: the shadow is a mapping of
// its own, and the runtime's entry points are here.

#define _GNU_SOURCE
#include "lanes.h"

#include <asm/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kRounds = 3000, kArenaBytes = 1 << 20, kReach = 16384 };

struct ModuleNote {
  uint32_t nameBytes, infoBytes, type;
  char name[12];
  uint32_t version, layout, cellShift, granuleShift, flags;
};

static unsigned char *shadow;
static unsigned cellShift;

static void mapShadow(void) {
  if (shadow)
    return;
  // Two cells an index, for addresses of 47 bits.
  shadow = mmap(0, UINT64_C(2) << (47 - cellShift), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const uintptr_t bias = 0x7fff0000; // pagetide/abi.h, kShadowBias
  if (shadow == MAP_FAILED ||
      syscall(SYS_arch_prctl, ARCH_SET_GS, (uintptr_t)shadow - bias)) {
    perror("cannot map a shadow");
    exit(2);
  }
}

void __pagetide_module_init_v6(const struct ModuleNote *note) {
  cellShift = note->cellShift;
  mapShadow();
}

static void markRange(const char *p, size_t bytes, int isWrite) {
  if (!bytes)
    return;
  uintptr_t last = ((uintptr_t)p + bytes - 1) >> cellShift;
  for (uintptr_t i = (uintptr_t)p >> cellShift; i <= last; ++i)
    shadow[2 * i + isWrite] = 1;
}

void __pagetide_mark_read(const void *p, size_t n) { markRange(p, n, 0); }
void __pagetide_mark_write(const void *p, size_t n) { markRange(p, n, 1); }

static uint64_t randomBits(void) {
  uint64_t bits = 0;
  for (int i = 0; i < 5; ++i)
    bits = bits << 15 ^ (unsigned)rand();
  return bits;
}

// None, all, one, few, or about half of the lanes.
static uint64_t randomMask(int laneCount) {
  switch (rand() % 6) {
  case 0:
    return 0;
  case 1:
    return ~UINT64_C(0);
  case 2:
    return UINT64_C(1) << rand() % laneCount;
  case 3:
    return randomBits() & randomBits() & randomBits();
  default:
    return randomBits();
  }
}

static void fillIndices(const struct Case *c, struct Operands *operands) {
  for (int i = 0; i < c->laneCount; ++i) {
    int32_t narrow = rand() % 600 - 300;
    int64_t wide = rand() % 4000 - 2000;
    if (c->shape == kIndexed32)
      memcpy(operands->index + 4 * i, &narrow, sizeof(narrow));
    else if (c->shape == kIndexed64)
      memcpy(operands->index + 8 * i, &wide, sizeof(wide));
  }
}

static const char *laneAddress(const struct Case *c, const char *p, int lane,
                               int enabledBefore,
                               const struct Operands *operands) {
  int32_t narrow;
  int64_t wide;
  switch (c->shape) {
  case kSideBySide:
    return p + lane * c->laneBytes;
  case kPacked:
    return p + enabledBefore * c->laneBytes;
  case kIndexed32:
    memcpy(&narrow, operands->index + 4 * lane, sizeof(narrow));
    return p + (int64_t)narrow * c->scale;
  case kIndexed64:
    memcpy(&wide, operands->index + 8 * lane, sizeof(wide));
    return p + wide * c->scale;
  }
  abort();
}

int main(void) {
  if (!canRunCases()) {
    puts("this processor has no such operations");
    return 0;
  }
  char *arena = mmap(0, kArenaBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (arena == MAP_FAILED)
    return 2;
  size_t cellBytes = (size_t)1 << cellShift;
  size_t cells = 2 * (kArenaBytes >> cellShift);
  unsigned char *marked = shadow + 2 * ((uintptr_t)arena >> cellShift);
  unsigned char *expected = malloc(cells);
  static struct Operands operands;
  long bad = 0, good = 0;

  srand(1);
  for (const struct Case *c = kCases; c->name; ++c) {
    for (int round = 0; round < kRounds; ++round) {
      uint64_t mask = randomMask(c->laneCount);
      // Most places are just before a granule's end.
      size_t room = kArenaBytes - 2 * kReach;
      size_t place = kReach + (size_t)rand() % room / cellBytes * cellBytes;
      char *p = arena + place - rand() % 80;
      fillIndices(c, &operands);

      memset(expected, 0, cells);
      int enabled = 0;
      for (int lane = 0; lane < c->laneCount; ++lane) {
        if (!(mask >> lane & 1))
          continue;
        const char *q = laneAddress(c, p, lane, enabled++, &operands);
        for (int i = 0; i < c->laneBytes; ++i)
          expected[2 * ((size_t)(q + i - arena) >> cellShift) + c->isWrite] = 1;
      }

      memset(marked, 0, cells);
      c->operation(p, mask, &operands);
      if (memcmp(marked, expected, cells) == 0) {
        ++good;
      } else {
        ++bad;
        printf("%s: mask %#lx at %p marks other cells than it touches\n",
               c->name, (long)mask, (void *)p);
      }
    }
  }
  printf("%ld as they should be, %ld not\n", good, bad);
  return bad != 0;
}
