/*===- reference_hash.c - The checksums again, by other code ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "reference_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t reference_hash(const void *p, size_t bytes) {
  return XXH3_64bits(p, bytes);
}

uint64_t reference_combined(uint64_t address, uint64_t hash) {
  uint64_t both[2] = {address, hash};
  return XXH3_64bits(both, sizeof both);
}

void unmarked_store(void *p, uint64_t value) {
  *(volatile uint64_t *)p = value;
}
