/*===- heat.c - A heat equation in two processes ----------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 *   heat FOLDER [+]STEPS
 *
 * Runs to that step; with +, so many steps from where it goes on. Each process
 * has half of a plate. They send each other the rows at the border over a
 * socket, and save every 20 steps, each into a folder of its own. Prints the
 * steps at which it began and ended, and a hash of the plate's bits.
 *
 *===----------------------------------------------------------------------===*/

#include "checkpoints.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { WIDTH = 512, ROWS = 130, STEPS_PER_SAVE = 20 };

static struct {
  uint64_t step;
} state;
/* Rows 0 and ROWS-1 belong to the other process, or to the plate's edge. */
static double plate[2][ROWS][WIDTH];

static void send_all(int to, const void *data, size_t bytes) {
  const char *at = (const char *)data;
  for (ssize_t sent; bytes > 0; at += sent, bytes -= (size_t)sent) {
    sent = send(to, at, bytes, MSG_NOSIGNAL);
    if (sent <= 0)
      _exit(3); /* the other was killed */
  }
}

static void receive_all(int from, void *data, size_t bytes) {
  if (recv(from, data, bytes, MSG_WAITALL) != (ssize_t)bytes)
    _exit(3);
}

static void step(int half, int other) {
  double(*now)[WIDTH] = plate[state.step % 2];
  double(*next)[WIDTH] = plate[(state.step + 1) % 2];
  const int border = half ? 0 : ROWS - 1, own = half ? 1 : ROWS - 2;
  send_all(other, now[own], sizeof now[own]);
  receive_all(other, now[border], sizeof now[border]);
  for (int y = 1; y < ROWS - 1; ++y)
    for (int x = 1; x < WIDTH - 1; ++x)
      next[y][x] = now[y][x] + 0.2 * (now[y - 1][x] + now[y + 1][x] +
                                      now[y][x - 1] + now[y][x + 1] -
                                      4 * now[y][x]);
  ++state.step;
}

/* Goes back to the newest step that both have. They differ by one save at most:
 * neither goes on without the other's rows. */
static void restore_both(pagetide_checkpoint *c, int other) {
  pagetide_checkpoint_result r = {.size = sizeof r};
  int status = pagetide_checkpoint_restore(c, 0, &r);
  uint64_t others;
  if (status == PAGETIDE_CHECKPOINT_NONE)
    state.step = 0;
  else
    require_checkpoint(status, 0);
  send_all(other, &state.step, sizeof state.step);
  receive_all(other, &others, sizeof others);
  uint64_t number = r.number;
  while (state.step > others) {
    require(--number > 0);
    status = pagetide_checkpoint_restore(c, number, &r);
    require(status == 0 || status == PAGETIDE_CHECKPOINT_NONE);
  }
  /* It goes back in turn if it is ahead. */
  require(state.step <= others);
}

static int run(const char *folder, int half, int other, const char *steps) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", folder, half);
  pagetide_checkpoint_config config = in_folder(path);
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, &state, sizeof state),
                     0);
  require_checkpoint(pagetide_checkpoint_protect(c, 2, plate, sizeof plate),
                     0);
  for (int x = 0; x < WIDTH; ++x)
    for (int y = 0; y < ROWS; ++y)
      plate[0][y][x] = plate[1][y][x] =
          (x * 7 + (y + half * (ROWS - 2)) * 13) % 101;
  /* Before the first step there is something to go back to. */
  pagetide_checkpoint_result r = {.size = sizeof r};
  if (pagetide_checkpoint_saved_bytes(c, 0, 1, NULL) != 0)
    saved(c);
  restore_both(c, other);
  const uint64_t from = state.step;
  const uint64_t last =
      strtoull(steps, NULL, 10) + (steps[0] == '+' ? from : 0);
  while (state.step < last) {
    step(half, other);
    if (state.step % STEPS_PER_SAVE == 0)
      require_checkpoint(pagetide_checkpoint_save(c, &r), 0);
  }
  uint64_t hash = 14695981039346656037u;
  const uint8_t *bytes = (const uint8_t *)plate[last % 2];
  for (size_t i = 0; i < sizeof plate[0]; ++i)
    hash = (hash ^ bytes[i]) * 1099511628211u;
  printf("half %d from %llu to %llu: %016llx\n", half, (unsigned long long)from,
         (unsigned long long)last, (unsigned long long)hash);
  fflush(stdout);
  return 0;
}

int main(int argc, char **argv) {
  require(argc == 3);
  int ends[2];
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pid_t child = fork();
  require(child >= 0);
  const int half = child == 0;
  close(ends[!half]);
  if (half)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  else
    fprintf(stderr, "%d\n", (int)child);
  if (half)
    _exit(run(argv[1], 1, ends[1], argv[2]));
  run(argv[1], 0, ends[0], argv[2]);
  int status;
  require(waitpid(child, &status, 0) == child);
  return status != 0;
}
