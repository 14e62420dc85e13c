//===- chase.c - A walk along pointers through a network ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each step's address is known only when the step before it has been loaded,
// and nearly every step is another page: the processor waits for memory, and
// the marks' own misses come on top.

#include "kernel.h"

struct node { // a cache line
  struct node *next;
  struct node *parent;
  int64_t cost;
  int64_t potential;
  int64_t flow;
  int64_t depth;
  uint64_t visits;
  uint64_t id;
};

/// One cycle through all nodes in random order.
static void make_network(struct node *nodes, uint64_t count) {
  uint32_t *order = allocate(count, sizeof(*order));
  uint64_t random = 5;
  for (uint64_t i = 0; i < count; ++i)
    order[i] = (uint32_t)i;
  for (uint64_t i = count - 1; i > 0; --i) {
    const uint64_t other = random_below(&random, i + 1);
    const uint32_t old = order[i];
    order[i] = order[other];
    order[other] = old;
  }
  for (uint64_t i = 0; i < count; ++i) {
    struct node *n = &nodes[order[i]];
    n->next = &nodes[order[(i + 1) % count]];
    n->parent = &nodes[random_below(&random, count)];
    n->cost = (int64_t)random_below(&random, 1000) - 500;
    n->id = i;
  }
  free(order);
}

static KERNEL_FUNCTION int64_t walk(struct node *start, uint64_t steps) {
  int64_t total = 0;
  struct node *n = start;
  for (uint64_t i = 0; i < steps; ++i) {
    const int64_t reduced = n->cost + n->potential;
    if (reduced < 0) {
      // Worth taking: raise what it costs, and look at where it comes from.
      n->flow += 1;
      n->potential += 1 + (n->parent->cost & 15);
      total -= reduced;
    }
    ++n->visits;
    n = n->next;
  }
  return total;
}

int main(int argc, char **argv) {
  const struct kernel_arguments arguments = read_arguments(argc, argv);
  struct node *nodes = allocate(arguments.size, sizeof(struct node));
  make_network(nodes, arguments.size);

  uint64_t sum = 0;
  for (uint64_t round = 0; round < arguments.rounds; ++round)
    sum = mix(sum,
              (uint64_t)walk(&nodes[round % arguments.size], arguments.size));
  for (uint64_t i = 0; i < arguments.size; ++i)
    sum = mix(sum, (uint64_t)nodes[i].flow ^ nodes[i].visits);
  print_checksum("chase", sum);
  return 0;
}
