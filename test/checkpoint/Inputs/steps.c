/*===- steps.c - A computation whose every state is known -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 *   steps FOLDER ACKNOWLEDGED STEPS [THREADS [COMPRESSION]]
 *
 * Goes on from the newest checkpoint of FOLDER, or from the beginning, up to
 * step STEPS. Saves after each step, and then writes the step to ACKNOWLEDGED.
 * What is restored is compared with the same steps computed anew. Prints the
 * step from which it went on, and a hash of the end.
 *
 *===----------------------------------------------------------------------===*/

#include "checkpoints.h"

#include <fcntl.h>
#include <pthread.h>

enum { PAGE = 4096, COUNT = 300, MOST_THREADS = 4 };

struct state {
  uint64_t step;
  uint64_t pages; /* of the growing region */
};

static int threads = 1;

/* One thread's part of a step: writes to scattered pages, byte by byte, and
 * through libc. */
static void part(uint8_t *grid, uint64_t step, int thread) {
  uint64_t seed = step * 2654435761u + (uint64_t)thread * 40503;
  for (int i = 0; i < 12; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    size_t page = (seed >> 33) % (COUNT / MOST_THREADS) * MOST_THREADS +
                  (size_t)thread;
    uint8_t *p = grid + page * PAGE;
    size_t at = (seed >> 17) % 3000;
    for (size_t k = 0; k < 40; ++k)
      p[at + k] = (uint8_t)(p[at + k] * 7 + seed);
    memcpy(p + 3500, p + at, 100);
    memset(p + 4000, (int)(seed & 255), 50);
  }
}

struct work {
  uint8_t *grid;
  uint64_t step;
  int thread;
};

static void *run_part(void *argument) {
  struct work *work = (struct work *)argument;
  part(work->grid, work->step, work->thread);
  return NULL;
}

static void advance(struct state *state, uint8_t *grid, uint8_t *growing) {
  ++state->step;
  pthread_t running[MOST_THREADS];
  struct work works[MOST_THREADS];
  for (int t = 0; t < MOST_THREADS; ++t) {
    works[t] = (struct work){grid, state->step, t};
    if (t < threads)
      require(pthread_create(&running[t], NULL, run_part, &works[t]) == 0);
    else
      run_part(&works[t]);
  }
  for (int t = 0; t < threads && t < MOST_THREADS; ++t)
    pthread_join(running[t], NULL);
  /* Grows from 1 to 20 pages, and shrinks again. */
  uint64_t pages = 1 + state->step % 20;
  for (uint64_t page = state->pages; page < pages; ++page)
    memset(growing + page * PAGE, (int)state->step, PAGE);
  state->pages = pages;
}

static uint64_t hash(uint64_t hash, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

static void protect_all(pagetide_checkpoint *c, struct state *state,
                        uint8_t *grid, uint8_t *growing, uint64_t pages) {
  require_checkpoint(pagetide_checkpoint_protect(c, 1, state, sizeof *state),
                     0);
  require_checkpoint(pagetide_checkpoint_protect(c, 2, grid, COUNT * PAGE), 0);
  require_checkpoint(pagetide_checkpoint_protect(c, 3, growing, pages * PAGE),
                     0);
}

int main(int argc, char **argv) {
  require(argc >= 4);
  const uint64_t last = strtoull(argv[3], NULL, 10);
  threads = argc > 4 ? atoi(argv[4]) : 0;
  int acknowledged = open(argv[2], O_RDWR | O_CREAT, 0600);
  require(acknowledged >= 0);
  static struct state state;
  /* At another address in each run. */
  uint8_t *grid = pages(COUNT + (size_t)getpid() % 7);
  uint8_t *growing = pages(20);
  pagetide_checkpoint_config config = in_folder(argv[1]);
  config.program = "steps";
  config.max_chain = 10;
  config.compression = argc > 5 ? atoi(argv[5]) : 0;
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  pagetide_checkpoint *c = open_with(&config);
  size_t bytes = 0;
  int status = pagetide_checkpoint_saved_bytes(c, 0, 3, &bytes);
  if (status == PAGETIDE_CHECKPOINT_NONE) {
    state.pages = 1;
  } else {
    require_checkpoint(status, 0);
    protect_all(c, &state, grid, growing, bytes / PAGE);
    restored(c, 0);
    struct state again = {0, 1};
    uint8_t *grid_again = pages(COUNT), *growing_again = pages(20);
    while (again.step < state.step)
      advance(&again, grid_again, growing_again);
    require_equal(state.pages, again.pages);
    require_equal(state.pages * PAGE, bytes);
    require(memcmp(grid, grid_again, COUNT * PAGE) == 0);
    require(memcmp(growing, growing_again, bytes) == 0);
    /* Nothing of what was acknowledged is lost. */
    uint64_t known = 0;
    if (pread(acknowledged, &known, sizeof known, 0) == sizeof known)
      require(state.step >= known);
  }
  uint64_t from = state.step;
  while (state.step < last) {
    advance(&state, grid, growing);
    protect_all(c, &state, grid, growing, state.pages);
    saved(c);
    require(pwrite(acknowledged, &state.step, sizeof state.step, 0) == 8);
  }
  uint64_t sum = hash(14695981039346656037u, grid, COUNT * PAGE);
  printf("from %llu, hash %016llx\n", (unsigned long long)from,
         (unsigned long long)hash(sum, growing, state.pages * PAGE));
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return 0;
}
