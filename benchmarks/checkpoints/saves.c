//===- saves.c - Times a program's saves, and makes them in other ways ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked to a program with --wrap for three functions of checkpoint.h, so that
// the program is the same in all ways. The environment says the way:
//
//   SAVES_WAY          library, none, or hashes
//   SAVES_GRANULARITY  .granularity of the configuration
//   SAVES_KERNEL       .kernel_writes
//   SAVES_LOG          a file per process: this name and the process's number
//
// `hashes` is what FTI calls differential checkpointing (dCP): a save hashes
// every block of all protected memory, and writes the blocks whose hash is
// another than at the last save. The block size is FTI's default (16384,
// dcp_block_size in its documentation). FTI hashes by MD5 and does not
// compress. This uses the library's hash, which is faster, its compression, and
// its 256 KiB at a time.
//
// A line of the log is a save: processor time and clock at its begin, then at
// its end, in ns; bytes taken from memory; bytes of files. Processor time is of
// all threads.

#define _GNU_SOURCE
#define XXH_INLINE_ALL

#include "../programs.h"

#include <pagetide/checkpoint.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { BLOCK = 16384, MAX_REGIONS = 64, PACK = 1 << 18, HEADER = 24 };

int __real___pagetide_api_checkpoint_open(const pagetide_checkpoint_config *,
                                          pagetide_checkpoint **);
int __real_pagetide_checkpoint_protect(pagetide_checkpoint *, uint64_t, void *,
                                       size_t);
int __real_pagetide_checkpoint_save(pagetide_checkpoint *,
                                    pagetide_checkpoint_result *);

static struct region {
  uint64_t id;
  const char *address;
  size_t bytes, known; // `known` blocks have a hash
  XXH64_hash_t *hashes;
} regions[MAX_REGIONS];
static size_t region_count;

static FILE *log_file;
static int is_none, is_hashes, packed_file = -1;
static char packed[PACK], stored[2 * PACK];
static size_t packed_bytes;
static uint64_t file_bytes;

int __wrap___pagetide_api_checkpoint_open(
    const pagetide_checkpoint_config *given, pagetide_checkpoint **out) {
  pagetide_checkpoint_config config = *given;
  const char *unit = getenv("SAVES_GRANULARITY");
  config.granularity = unit ? strtoul(unit, NULL, 10) : 0;
  config.kernel_writes = getenv("SAVES_KERNEL") != NULL;
  const char *way = getenv("SAVES_WAY");
  is_none = way && strcmp(way, "none") == 0;
  is_hashes = way && strcmp(way, "hashes") == 0;
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", getenv("SAVES_LOG"), (int)getpid());
  if (!(log_file = fopen(name, "w")))
    fail(name);
  const int status = __real___pagetide_api_checkpoint_open(&config, out);
  if (is_hashes) {
    snprintf(name, sizeof name, "%s/hashed", config.folder);
    packed_file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (packed_file < 0)
      fail(name);
  }
  return status;
}

int __wrap_pagetide_checkpoint_protect(pagetide_checkpoint *checkpoint,
                                       uint64_t id, void *address,
                                       size_t bytes) {
  size_t at = 0;
  while (at < region_count && regions[at].id != id)
    ++at;
  if (at == MAX_REGIONS)
    fail("saves: too many regions");
  if (at == region_count)
    regions[region_count++] = (struct region){.id = id};
  regions[at].address = address;
  regions[at].bytes = bytes;
  return __real_pagetide_checkpoint_protect(checkpoint, id, address, bytes);
}

static void flush(void) {
  if (packed_bytes == 0)
    return;
  const char *from = stored;
  size_t bytes = ZSTD_compress(stored, sizeof stored, packed, packed_bytes, 1);
  if (ZSTD_isError(bytes) || bytes >= packed_bytes) {
    from = packed;
    bytes = packed_bytes;
  }
  if (write(packed_file, from, bytes) != (ssize_t)bytes)
    fail("saves: write");
  file_bytes += bytes + HEADER;
  packed_bytes = 0;
}

static uint64_t save_region(struct region *region) {
  const size_t count = (region->bytes + BLOCK - 1) / BLOCK;
  uint64_t changed = 0;
  region->hashes = realloc(region->hashes, count * sizeof *region->hashes);
  if (!region->hashes)
    fail("saves: realloc");
  for (size_t i = 0; i < count; ++i) {
    const char *from = region->address + i * BLOCK;
    const size_t left = region->bytes - i * BLOCK;
    const size_t bytes = left < BLOCK ? left : BLOCK;
    const XXH64_hash_t hash = XXH3_64bits(from, bytes);
    if (i < region->known && region->hashes[i] == hash)
      continue;
    region->hashes[i] = hash;
    if (packed_bytes + bytes > sizeof packed)
      flush();
    memcpy(packed + packed_bytes, from, bytes);
    packed_bytes += bytes;
    file_bytes += HEADER; // where it belongs, and its hash
    changed += bytes;
  }
  region->known = count;
  return changed;
}

static int save_by_hashes(pagetide_checkpoint_result *result) {
  file_bytes = 0;
  for (size_t i = 0; i < region_count; ++i)
    result->moved_bytes += save_region(&regions[i]);
  flush();
  result->file_bytes = file_bytes;
  return PAGETIDE_CHECKPOINT_OK;
}

int __wrap_pagetide_checkpoint_save(pagetide_checkpoint *checkpoint,
                                    pagetide_checkpoint_result *wanted) {
  pagetide_checkpoint_result result = {.size = sizeof result};
  const uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  const uint64_t wall = clock_ns(CLOCK_MONOTONIC);
  int status = PAGETIDE_CHECKPOINT_OK;
  if (is_hashes)
    status = save_by_hashes(&result);
  else if (!is_none)
    status = __real_pagetide_checkpoint_save(checkpoint, &result);
  const uint64_t wall_end = clock_ns(CLOCK_MONOTONIC);
  const uint64_t cpu_end = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  fprintf(log_file, "%llu %llu %llu %llu %llu %llu\n", (unsigned long long)cpu,
          (unsigned long long)wall, (unsigned long long)cpu_end,
          (unsigned long long)wall_end, (unsigned long long)result.moved_bytes,
          (unsigned long long)result.file_bytes);
  fflush(log_file);
  if (wanted)
    *wanted = result;
  return status;
}
