/*===- examples.h - What the examples of checkpoints share ------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef PAGETIDE_EXAMPLES_H
#define PAGETIDE_EXAMPLES_H

#include <pagetide/checkpoint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if a call of checkpoint.h failed. */
static inline void must(int status) {
  if (status == PAGETIDE_CHECKPOINT_OK)
    return;
  fprintf(stderr, "%s\n", pagetide_checkpoint_message());
  exit(1);
}

static inline pagetide_checkpoint *open_folder(const char *folder) {
  pagetide_checkpoint_config config;
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  config.folder = folder;
  /* These checkpoints outlive the program. They need not outlive the machine.
   */
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  pagetide_checkpoint *checkpoint;
  must(pagetide_checkpoint_open(&config, &checkpoint));
  return checkpoint;
}

/* "300": up to step 300; "+300": so many steps from here. */
static inline uint64_t last_step(const char *argument, uint64_t here) {
  return strtoull(argument, NULL, 10) + (argument[0] == '+' ? here : 0);
}

/* A digest of memory, to compare states by. */
static inline uint64_t digest(uint64_t digest, const void *memory,
                              size_t bytes) {
  const unsigned char *at = (const unsigned char *)memory;
  for (uint64_t word = 0; bytes > 0;) {
    const size_t part = bytes < sizeof word ? bytes : sizeof word;
    memcpy(&word, at, part);
    digest = (digest ^ word ^ (digest >> 29)) * 0x9e3779b97f4a7c15u;
    at += part;
    bytes -= part;
  }
  return digest;
}

/* What the tests read: a state's name and its digest. */
static inline void say(const char *what, uint64_t step, uint64_t digest) {
  printf("%s %llu %016llx\n", what, (unsigned long long)step,
         (unsigned long long)digest);
  fflush(stdout);
}

#endif /* PAGETIDE_EXAMPLES_H */
