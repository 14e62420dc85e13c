//===- lbm.c - A fluid in a box of obstacles, by lattice-Boltzmann --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three dimensions, nineteen directions. Each cell reads what came to it, all
// in one place, and writes to its neighbours' nineteen places in pages of three
// planes: many streams of stores at once, at unit stride each.

#include "kernel.h"

enum { kDirections = 19 };

struct cell {
  double from[kDirections]; // what flows into it, by direction
};

// A direction and its opposite are neighbours in these tables: 1 and 2, and so
// on. The first is rest.
static const int kX[kDirections] = {0,  1, -1, 0, 0,  0, 0, 1, -1, 1,
                                    -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int kY[kDirections] = {0, 0, 0, 1, -1, 0, 0,  1, -1, -1,
                                    1, 0, 0, 0, 0,  1, -1, 1, -1};
static const int kZ[kDirections] = {0, 0, 0,  0,  0, 1, -1, 0,  0, 0,
                                    0, 1, -1, -1, 1, 1, -1, -1, 1};

static int opposite(int direction) {
  return direction == 0 ? 0 : ((direction - 1) ^ 1) + 1;
}

static double weight(int direction) {
  return direction == 0 ? 1.0 / 3 : direction <= 6 ? 1.0 / 18 : 1.0 / 36;
}

struct box {
  uint64_t side;
  uint8_t *solid; // by cell; the outermost ones are
  double weights[kDirections];
  int64_t steps[kDirections]; // to the next cell in that direction
  int opposites[kDirections];
};

static uint64_t place(const struct box *b, uint64_t x, uint64_t y, uint64_t z) {
  return (z * b->side + y) * b->side + x;
}

static struct box make_box(uint64_t side) {
  struct box b;
  b.side = side;
  b.solid = allocate(side * side * side, 1);
  uint64_t random = 8;
  for (uint64_t z = 0; z < side; ++z)
    for (uint64_t y = 0; y < side; ++y)
      for (uint64_t x = 0; x < side; ++x) {
        const int wall = x == 0 || y == 0 || z == 0 || x + 1 == side ||
                         y + 1 == side || z + 1 == side;
        b.solid[place(&b, x, y, z)] = wall || random_below(&random, 24) == 0;
      }
  const int64_t row = (int64_t)side;
  for (int i = 0; i < kDirections; ++i) {
    b.weights[i] = weight(i);
    b.steps[i] = (kZ[i] * row + kY[i]) * row + kX[i];
    b.opposites[i] = opposite(i);
  }
  return b;
}

/// One cell: what came in collides, and flows on to its neighbours. From a
/// solid one it comes back.
static void collide(const struct box *b, struct cell *restrict to,
                    const struct cell *restrict from, uint64_t at) {
  const double relaxation = 1.2;
  const double push = 0.0004; // along x, so that something flows
  const double *f = from[at].from;
  double density = 0;
  double vx = 0;
  double vy = 0;
  double vz = 0;
  for (int i = 0; i < kDirections; ++i) {
    density += f[i];
    vx += kX[i] * f[i];
    vy += kY[i] * f[i];
    vz += kZ[i] * f[i];
  }
  vx = vx / density + push;
  vy /= density;
  vz /= density;
  const double square = 1.5 * (vx * vx + vy * vy + vz * vz);
  for (int i = 0; i < kDirections; ++i) {
    const double along = 3 * (kX[i] * vx + kY[i] * vy + kZ[i] * vz);
    const double balance =
        b->weights[i] * density * (1 + along + 0.5 * along * along - square);
    const double flow = f[i] + relaxation * (balance - f[i]);
    const uint64_t next = at + (uint64_t)b->steps[i];
    if (b->solid[next])
      to[at].from[b->opposites[i]] = flow;
    else
      to[next].from[i] = flow;
  }
}

static KERNEL_FUNCTION void step(const struct box *b, struct cell *restrict to,
                                 const struct cell *restrict from) {
  for (uint64_t z = 1; z + 1 < b->side; ++z)
    for (uint64_t y = 1; y + 1 < b->side; ++y)
      for (uint64_t x = 1; x + 1 < b->side; ++x) {
        const uint64_t at = place(b, x, y, z);
        if (!b->solid[at])
          collide(b, to, from, at);
      }
}

int main(int argc, char **argv) {
  const struct kernel_arguments arguments = read_arguments(argc, argv);
  const struct box b = make_box(arguments.size);
  const uint64_t cells = b.side * b.side * b.side;
  struct cell *from = allocate(cells, sizeof(*from));
  struct cell *to = allocate(cells, sizeof(*to));
  for (uint64_t at = 0; at < cells; ++at)
    for (int i = 0; i < kDirections; ++i)
      from[at].from[i] = to[at].from[i] = b.weights[i];

  for (uint64_t round = 0; round < arguments.rounds; ++round) {
    step(&b, to, from);
    struct cell *old = from;
    from = to;
    to = old;
  }
  uint64_t sum = 0;
  for (uint64_t at = 0; at < cells; at += 3)
    sum = mix_double(sum, from[at].from[at % kDirections]);
  print_checksum("lbm", sum);
  return 0;
}
