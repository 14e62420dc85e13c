/*===- container_bounds.c - Nodes of the C++ library's containers ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %plain_c -O1 %s -o %t.plain -lm
// RUN: rm -rf %t.folder; mkdir %t.folder; cd %t.folder
// RUN: %t.plain > %t.natively
// RUN: %build_c -O1 %s -o %t -lm
// RUN: %t > %t.unrecorded
// RUN: %python %support/same_calls.py %t.natively %t.unrecorded
// RUN: %pagetide record -p 0 -o %t.run -- %t > %t.recorded
// RUN: %python %support/same_calls.py %t.natively %t.recorded

#include "call_table.h"

/* Each node is an argument, in a page of its own. Its last field is where the
 * page ends. */
#define T(i) at(i, 32)
#define TREE(colour, parent, left, right) WORDS(colour, parent, left, right)
enum { RED, BLACK };

#define INCREMENT                                                              \
  "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base "                           \
  "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base"
#define DECREMENT                                                              \
  "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base "                           \
  "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base"
#define INSERT                                                                 \
  "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_"
#define ERASE "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_"

static void steps(void) {
  /* Down on one side, up on the other. */
  CALL(INCREMENT, 'p', TREE(BLACK, T(4), 0, T(1)), TREE(RED, T(0), T(2), 0),
       TREE(BLACK, T(1), 0, 0));
  CALL(INCREMENT, 'p', TREE(RED, T(1), 0, 0), TREE(BLACK, T(2), 0, T(0)),
       TREE(BLACK, T(3), T(1), 0), TREE(RED, T(2), T(1), T(2)));
  /* The last one, and the root that is the only one. */
  CALL(INCREMENT, 'p', TREE(RED, T(1), 0, 0), TREE(BLACK, T(2), 0, T(0)),
       TREE(RED, T(1), T(1), T(0)));
  CALL(INCREMENT, 'p', TREE(BLACK, T(1), 0, 0), TREE(RED, T(0), T(0), T(0)));
  CALL(DECREMENT, 'p', TREE(BLACK, T(3), T(1), 0), TREE(RED, T(0), 0, T(2)),
       TREE(BLACK, T(1), 0, 0), TREE(RED, T(0), T(1), T(0)));
  CALL(DECREMENT, 'p', TREE(RED, T(1), 0, 0), TREE(BLACK, T(2), T(0), 0),
       TREE(BLACK, T(3), 0, T(1)), TREE(RED, T(2), T(2), T(1)));
  /* Before the end is the last one. */
  CALL(DECREMENT, 'p', TREE(RED, T(1), T(1), T(2)), TREE(BLACK, T(0), 0, T(2)),
       TREE(RED, T(1), 0, 0));
}

static void inserts(void) {
  /* Argument 1 is new, 2 its parent, 3 the header. */
  CALL(INSERT, 'v', V(1), OUT(32), V(T(3)), TREE(RED, 0, T(3), T(3)));
  for (long left = 0; left < 2; ++left)
    CALL(INSERT, 'v', V(left), OUT(32), TREE(BLACK, T(3), 0, 0),
         TREE(RED, T(2), T(2), T(2)));
  /* A red uncle (5) of the new node, below 4. */
  CALL(INSERT, 'v', V(1), OUT(32), TREE(RED, T(4), 0, 0),
       TREE(RED, T(4), T(2), T(5)), TREE(BLACK, T(3), T(2), T(5)),
       TREE(RED, T(4), 0, 0));
  CALL(INSERT, 'v', V(0), OUT(32), TREE(RED, T(4), 0, 0),
       TREE(RED, T(4), T(5), T(2)), TREE(BLACK, T(3), T(5), T(2)),
       TREE(RED, T(4), 0, 0));
  /* None: one rotation, and two, on either side. */
  for (long left = 0; left < 2; ++left) {
    CALL(INSERT, 'v', V(left), OUT(32), TREE(RED, T(4), 0, 0),
         TREE(RED, T(4), T(2), T(4)), TREE(BLACK, T(3), T(2), 0));
    CALL(INSERT, 'v', V(left), OUT(32), TREE(RED, T(4), 0, 0),
         TREE(RED, T(4), T(4), T(2)), TREE(BLACK, T(3), 0, T(2)));
  }
}

static void erases(void) {
  /* Argument 0 goes, 1 is the header. */
  CALL(ERASE, 'p', TREE(BLACK, T(1), 0, 0), TREE(RED, T(0), T(0), T(0)));
  /* A leaf that is red. */
  CALL(ERASE, 'p', TREE(RED, T(2), 0, 0), TREE(RED, T(2), T(0), T(3)),
       TREE(BLACK, T(1), T(0), T(3)), TREE(RED, T(2), 0, 0));
  /* One child, on either side. */
  CALL(ERASE, 'p', TREE(BLACK, T(1), T(2), 0), TREE(RED, T(0), T(2), T(0)),
       TREE(RED, T(0), 0, 0));
  CALL(ERASE, 'p', TREE(BLACK, T(1), 0, T(2)), TREE(RED, T(0), T(0), T(2)),
       TREE(RED, T(0), 0, 0));
  /* Two: the next node is the child, or further below. */
  CALL(ERASE, 'p', TREE(BLACK, T(1), T(2), T(3)), TREE(RED, T(0), T(2), T(3)),
       TREE(RED, T(0), 0, 0), TREE(RED, T(0), 0, 0));
  CALL(ERASE, 'p', TREE(BLACK, T(1), T(2), T(3)), TREE(RED, T(0), T(2), T(3)),
       TREE(BLACK, T(0), 0, 0), TREE(BLACK, T(0), T(4), 0),
       TREE(RED, T(3), 0, 0));
  /* A black leaf whose sibling (3) is black without children, with the further
   * one, with the nearer one, or red. */
  CALL(ERASE, 'p', TREE(BLACK, T(2), 0, 0), TREE(RED, T(2), T(0), T(3)),
       TREE(BLACK, T(1), T(0), T(3)), TREE(BLACK, T(2), 0, 0));
  CALL(ERASE, 'p', TREE(BLACK, T(2), 0, 0), TREE(RED, T(2), T(0), T(4)),
       TREE(BLACK, T(1), T(0), T(3)), TREE(BLACK, T(2), 0, T(4)),
       TREE(RED, T(3), 0, 0));
  CALL(ERASE, 'p', TREE(BLACK, T(2), 0, 0), TREE(RED, T(2), T(0), T(3)),
       TREE(BLACK, T(1), T(0), T(3)), TREE(BLACK, T(2), T(4), 0),
       TREE(RED, T(3), 0, 0));
  CALL(ERASE, 'p', TREE(BLACK, T(2), 0, 0), TREE(RED, T(2), T(0), T(5)),
       TREE(BLACK, T(1), T(0), T(3)), TREE(RED, T(2), T(4), T(5)),
       TREE(BLACK, T(3), 0, 0), TREE(BLACK, T(3), 0, 0));
  CALL(ERASE, 'p', TREE(BLACK, T(2), 0, 0), TREE(RED, T(2), T(4), T(0)),
       TREE(BLACK, T(1), T(3), T(0)), TREE(BLACK, T(2), T(4), 0),
       TREE(RED, T(3), 0, 0));
}

#define L(i) at(i, 16)
#define LIST(next, previous) WORDS(next, previous)

static void lists(void) {
  CALL("_ZNSt8__detail15_List_node_base7_M_hookEPS0_", 'v', OUT(16),
       LIST(L(1), L(2)), LIST(L(1), L(1)));
  CALL("_ZNSt8__detail15_List_node_base9_M_unhookEv", 'v', LIST(L(1), L(2)),
       LIST(L(2), L(0)), LIST(L(0), L(1)));
  /* Before 0, all from 1 to 2. */
  CALL("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", 'v',
       LIST(L(3), L(3)), LIST(L(4), L(5)), LIST(L(5), L(4)), LIST(L(0), L(0)),
       LIST(L(2), L(1)), LIST(L(1), L(2)));
  CALL("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", 'v',
       LIST(L(3), L(3)), LIST(L(4), L(5)), V(L(0)));
  CALL("_ZNSt8__detail15_List_node_base10_M_reverseEv", 'v', LIST(L(1), L(2)),
       LIST(L(2), L(0)), LIST(L(0), L(1)));
  CALL("_ZNSt8__detail15_List_node_base10_M_reverseEv", 'v', LIST(L(0), L(0)));
#define SWAP "_ZNSt8__detail15_List_node_base4swapERS0_S1_"
  CALL(SWAP, 'v', LIST(L(2), L(2)), LIST(L(3), L(3)), LIST(L(0), L(0)),
       LIST(L(1), L(1)));
  CALL(SWAP, 'v', LIST(L(0), L(0)), LIST(L(3), L(3)), LIST(0, 0),
       LIST(L(1), L(1)));
  CALL(SWAP, 'v', LIST(L(2), L(2)), LIST(L(1), L(1)), LIST(L(0), L(0)));
  CALL(SWAP, 'v', LIST(L(0), L(0)), LIST(L(1), L(1)));
}

int main(void) {
  set_up();
  only_good = 1; /* a bad node is used like any other */
  if (!dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL))
    abort();
  steps();
  inserts();
  erases();
  lists();
  return 0;
}
