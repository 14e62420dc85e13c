//===- counts_nodes.cpp - A C++ library's function that counts its calls --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Stands for libstdc++'s binary: what links a node of std::list, and a counter.

struct Node {
  Node *next, *previous;
};

extern "C" int counted_nodes;
int counted_nodes;

extern "C" void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(Node *node,
                                                             Node *at) {
  ++counted_nodes;
  node->next = at;
  node->previous = at->previous;
  at->previous->next = node;
  at->previous = node;
}
