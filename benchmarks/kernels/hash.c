//===- hash.c - A hash table: find, insert, erase -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open addressing in one array: accesses all over it, a few in a row each.

#include "kernel.h"

struct entry {
  uint64_t key; // 0: free
  uint64_t value;
};

struct table {
  uint64_t mask; // the number of entries, a power of two, less 1
  uint64_t count;
  struct entry *entries;
};

static uint64_t home_of(const struct table *t, uint64_t key) {
  return ((key * 0x9E3779B97F4A7C15u) >> 20) & t->mask;
}

/// The entry with that key, or the free one for it.
static KERNEL_FUNCTION struct entry *find(struct table *t, uint64_t key) {
  uint64_t i = home_of(t, key);
  while (t->entries[i].key != 0 && t->entries[i].key != key)
    i = (i + 1) & t->mask;
  return &t->entries[i];
}

static KERNEL_FUNCTION void add(struct table *t, uint64_t key, uint64_t value) {
  struct entry *e = find(t, key);
  t->count += e->key == 0;
  e->key = key;
  e->value += value;
}

static KERNEL_FUNCTION void erase(struct table *t, uint64_t key) {
  struct entry *e = find(t, key);
  if (e->key == 0)
    return;
  --t->count;
  // Entries behind it that a search would no longer reach move up.
  uint64_t hole = (uint64_t)(e - t->entries);
  for (uint64_t i = (hole + 1) & t->mask; t->entries[i].key != 0;
       i = (i + 1) & t->mask) {
    const uint64_t home = home_of(t, t->entries[i].key);
    if (((i - home) & t->mask) >= ((i - hole) & t->mask)) {
      t->entries[hole] = t->entries[i];
      hole = i;
    }
  }
  t->entries[hole].key = 0;
  t->entries[hole].value = 0;
}

int main(int argc, char **argv) {
  const struct kernel_arguments arguments = read_arguments(argc, argv);
  struct table t = {3, 0, NULL};
  while (t.mask < 2 * arguments.size)
    t.mask = 2 * t.mask + 1;
  t.entries = allocate(t.mask + 1, sizeof(struct entry));

  uint64_t random = 4;
  uint64_t sum = 0;
  for (uint64_t round = 0; round < arguments.rounds; ++round) {
    for (uint64_t i = 0; i < arguments.size; ++i) {
      const uint64_t key = 1 + random_below(&random, arguments.size * 3 / 2);
      switch (random_below(&random, 8)) {
      case 0:
      case 1:
      case 2:
        add(&t, key, i);
        break;
      case 3:
        erase(&t, key);
        break;
      default:
        sum += find(&t, key)->value;
      }
    }
    sum = mix(sum, t.count);
  }
  print_checksum("hash", sum);
  return 0;
}
