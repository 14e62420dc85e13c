//===- btree.cpp - A B-tree: insert, find, walk ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of a few hundred bytes with several fields each, reached by pointers:
// many accesses to one object, few to one page.

#include "kernel.h"

#include <algorithm>
#include <deque>

namespace {

class Tree {
public:
  Tree() : root(make_node(true)) {}

  /// Adds value to that of the key; a new key begins with 0.
  void add(uint64_t key, uint64_t value);

  /// The key's value, or 0.
  uint64_t find(uint64_t key) const;

  /// The checksum of all keys and values in order.
  uint64_t walk() const { return walk(*root, 0); }

  std::size_t size() const { return count; }

private:
  static constexpr unsigned kMostKeys = 15; // odd, so that halves are equal

  struct Node {
    unsigned count;
    bool leaf;
    uint64_t keys[kMostKeys];
    uint64_t values[kMostKeys];
    Node *children[kMostKeys + 1];

    unsigned position(uint64_t key) const {
      unsigned i = 0;
      while (i < count && keys[i] < key)
        ++i;
      return i;
    }
    bool holds(unsigned i, uint64_t key) const {
      return i < count && keys[i] == key;
    }
    bool full() const { return count == kMostKeys; }
  };

  Node *make_node(bool leaf);
  void split_child(Node &parent, unsigned index);
  static uint64_t walk(const Node &node, uint64_t sum);

  std::deque<Node> nodes; // all of them; their addresses stay
  Node *root;
  std::size_t count = 0;
};

Tree::Node *Tree::make_node(bool leaf) {
  Node &node = nodes.emplace_back();
  node.leaf = leaf;
  return &node;
}

/// Moves the upper half of a full child into a new one, and its middle key up.
KERNEL_FUNCTION void Tree::split_child(Node &parent, unsigned index) {
  constexpr unsigned half = kMostKeys / 2;
  Node &lower = *parent.children[index];
  Node &upper = *make_node(lower.leaf);
  std::copy_n(lower.keys + half + 1, half, upper.keys);
  std::copy_n(lower.values + half + 1, half, upper.values);
  if (!lower.leaf)
    std::copy_n(lower.children + half + 1, half + 1, upper.children);
  upper.count = half;
  lower.count = half;
  for (unsigned i = parent.count; i > index; --i) {
    parent.keys[i] = parent.keys[i - 1];
    parent.values[i] = parent.values[i - 1];
    parent.children[i + 1] = parent.children[i];
  }
  parent.keys[index] = lower.keys[half];
  parent.values[index] = lower.values[half];
  parent.children[index + 1] = &upper;
  ++parent.count;
}

KERNEL_FUNCTION void Tree::add(uint64_t key, uint64_t value) {
  if (root->full()) {
    Node *top = make_node(false);
    top->children[0] = root;
    root = top;
    split_child(*top, 0);
  }
  // No node on the way down is full, so what a split moves up finds room.
  for (Node *node = root;;) {
    unsigned i = node->position(key);
    if (node->holds(i, key)) {
      node->values[i] += value;
      return;
    }
    if (node->leaf) {
      for (unsigned j = node->count; j > i; --j) {
        node->keys[j] = node->keys[j - 1];
        node->values[j] = node->values[j - 1];
      }
      node->keys[i] = key;
      node->values[i] = value;
      ++node->count;
      ++count;
      return;
    }
    if (node->children[i]->full())
      split_child(*node, i); // and look again: the key may be in this node now
    else
      node = node->children[i];
  }
}

KERNEL_FUNCTION uint64_t Tree::find(uint64_t key) const {
  for (const Node *node = root;;) {
    const unsigned i = node->position(key);
    if (node->holds(i, key))
      return node->values[i];
    if (node->leaf)
      return 0;
    node = node->children[i];
  }
}

uint64_t Tree::walk(const Node &node, uint64_t sum) {
  for (unsigned i = 0; i < node.count; ++i) {
    if (!node.leaf)
      sum = walk(*node.children[i], sum);
    sum = mix(mix(sum, node.keys[i]), node.values[i]);
  }
  return node.leaf ? sum : walk(*node.children[node.count], sum);
}

} // namespace

int main(int argc, char **argv) {
  const kernel_arguments arguments = read_arguments(argc, argv);
  Tree tree;
  uint64_t random = 6;
  uint64_t sum = 0;
  for (uint64_t round = 0; round < arguments.rounds; ++round) {
    for (uint64_t i = 0; i < arguments.size; ++i) {
      tree.add(random_below(&random, arguments.size * 4), i);
      sum += tree.find(random_below(&random, arguments.size * 4));
    }
    sum = mix(sum, tree.walk());
  }
  print_checksum("btree", mix(sum, tree.size()));
  return 0;
}
