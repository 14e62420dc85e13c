/*===- checkpoints.h - For programs that test checkpoints -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#include "require.h"

#include <pagetide/checkpoint.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

/* As require_status, with the library's message. */
#define require_checkpoint(got, want)                                          \
  do {                                                                         \
    int got_ = (got), want_ = (want);                                          \
    if (got_ != want_) {                                                       \
      fprintf(stderr, "%s:%d: %s is %d (%s), not %d\n", __FILE__, __LINE__,    \
              #got, got_, pagetide_checkpoint_message(), want_);               \
      fflush(stderr);                                                          \
      _exit(99);                                                               \
    }                                                                          \
  } while (0)

static inline pagetide_checkpoint_config in_folder(const char *folder) {
  pagetide_checkpoint_config config;
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  config.folder = folder;
  return config;
}

static inline pagetide_checkpoint *
open_with(const pagetide_checkpoint_config *config) {
  pagetide_checkpoint *checkpoint;
  require_checkpoint(pagetide_checkpoint_open(config, &checkpoint), 0);
  return checkpoint;
}

static inline pagetide_checkpoint *open_folder(const char *folder) {
  pagetide_checkpoint_config config = in_folder(folder);
  return open_with(&config);
}

static inline pagetide_checkpoint_result
saved(pagetide_checkpoint *checkpoint) {
  pagetide_checkpoint_result result;
  result.size = sizeof result;
  require_checkpoint(pagetide_checkpoint_save(checkpoint, &result), 0);
  return result;
}

static inline pagetide_checkpoint_result
restored(pagetide_checkpoint *checkpoint, uint64_t number) {
  pagetide_checkpoint_result result;
  result.size = sizeof result;
  require_checkpoint(pagetide_checkpoint_restore(checkpoint, number, &result),
                     0);
  return result;
}

/* Valid until the next call. */
static inline const char *path_in(const char *folder, const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* Bytes that do not compress, others in each call. */
static inline void noise(uint8_t *bytes, size_t count) {
  static unsigned seed = 1;
  for (size_t i = 0; i < count; ++i)
    bytes[i] = (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
}

/* Each part of a test opens a folder in a process of its own. */
static inline void in_child(void (*function)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    function();
    _exit(0);
  }
  int status;
  require(waitpid(child, &status, 0) == child);
  require_equal(status, 0);
}

/* Page-aligned memory, at another address in each call. */
static inline uint8_t *pages(size_t count) {
  void *memory;
  require(posix_memalign(&memory, 4096, count * 4096) == 0);
  memset(memory, 0, count * 4096);
  return (uint8_t *)memory;
}
