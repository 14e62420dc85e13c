/*===- reference_hash.h - The checksums again, by other code ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* Defined in reference_hash.c, which is built without the plugin: it reads
 * pages without marking them. */

#pragma once

#include <stddef.h>
#include <stdint.h>

/* XXH3-64 of the bytes, by Debian's xxhash.h. */
uint64_t reference_hash(const void *p, size_t bytes);

/* What a page adds to the combined checksum. */
uint64_t reference_combined(uint64_t address, uint64_t hash);

/* Stores the value, without a mark. */
void unmarked_store(void *p, uint64_t value);
