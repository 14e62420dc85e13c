//===- libstdcxx.cpp - Trees and lists of the C++ library -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::map, set and list keep their nodes in the program's heap. Functions in
// libstdc++'s binary link these nodes. The functions here replace those while
// marks are on, and mark before each access. The layout of nodes is part of
// libstdc++'s ABI.
//
// libstdc++ is not needed: in a program without it nobody calls these
// functions.

#include "interceptors/interceptor.h"
#include "interceptors/memory.h"

using namespace pagetide;

namespace pagetide {

/// _Rb_tree_node_base. A tree's header is red. Its parent is the root; left and
/// right are the outermost nodes.
struct TreeNode {
  int colour;
  TreeNode *parent, *left, *right;
};

/// _List_node_base.
struct ListNode {
  ListNode *next, *previous;
};

} // namespace pagetide

namespace {

template <typename T> T Get(const T &field) {
  DidReadAt(&field);
  return field;
}
template <typename T> void Set(T &field, typename TypeIdentity<T>::Type value) {
  DidWriteAt(&field);
  field = value;
}

//===- Trees --------------------------------------------------------------===//

enum Colour : int { kRed, kBlack };

/// One of the two children. Algorithms for the other side are mirror images.
TreeNode *&Child(TreeNode *node, bool right) {
  return right ? node->right : node->left;
}

bool IsBlack(TreeNode *node) { return !node || Get(node->colour) == kBlack; }

/// Replaces `node` by `with`.
void Replace(TreeNode *node, TreeNode *with, TreeNode &header) {
  TreeNode *parent = Get(node->parent);
  if (Get(header.parent) == node)
    Set(header.parent, with);
  else
    Set(Child(parent, Get(parent->right) == node), with);
  if (with)
    Set(with->parent, parent);
}

/// Rotates a node down to one side. Its other child moves up.
void Rotate(TreeNode *down, bool to_right, TreeNode &header) {
  TreeNode *up = Get(Child(down, !to_right));
  TreeNode *middle = Get(Child(up, to_right));
  Replace(down, up, header);
  Set(Child(down, !to_right), middle);
  if (middle)
    Set(middle->parent, down);
  Set(Child(up, to_right), down);
  Set(down->parent, up);
}

void Insert(bool left, TreeNode *node, TreeNode *parent, TreeNode &header) {
  Set(node->parent, parent);
  Set(node->left, nullptr);
  Set(node->right, nullptr);
  Set(node->colour, kRed);
  Set(Child(parent, !left), node); // of the header: its leftmost
  if (parent == &header) {
    Set(header.parent, node);
    Set(header.right, node);
    return Set(node->colour, kBlack);
  }
  if (left && Get(header.left) == parent) {
    Set(header.left, node);
  } else if (!left && Get(header.right) == parent) {
    Set(header.right, node);
  }
  // A red node has no red parent. The root is black, so a red parent has one.
  while (node != Get(header.parent) && !IsBlack(Get(node->parent))) {
    parent = Get(node->parent);
    TreeNode *above = Get(parent->parent);
    bool right = Get(above->right) == parent;
    TreeNode *uncle = Get(Child(above, !right));
    if (!IsBlack(uncle)) {
      Set(parent->colour, kBlack);
      Set(uncle->colour, kBlack);
      Set(above->colour, kRed);
      node = above;
      continue;
    }
    if (Get(Child(parent, !right)) == node) { // a bent path: straighten it
      Rotate(parent, right, header);
      parent = node;
    }
    Set(parent->colour, kBlack);
    Set(above->colour, kRed);
    Rotate(above, !right, header);
    break;
  }
  Set(Get(header.parent)->colour, kBlack);
}

TreeNode *Outermost(TreeNode *node, bool right) {
  while (TreeNode *next = Get(Child(node, right)))
    node = next;
  return node;
}

/// Removes a node.
void Erase(TreeNode *node, TreeNode &header) {
  TreeNode *left = Get(node->left), *right = Get(node->right);
  TreeNode *hole, *parent; // the node that moved up (or null), and its parent
  int lost;                // the colour that is missing there
  if (left && right) {
    // The next node replaces it, and leaves a hole where it was.
    TreeNode *next = Outermost(right, false);
    lost = Get(next->colour);
    hole = Get(next->right);
    parent = Get(next->parent);
    if (parent == node) {
      parent = next;
    } else {
      Set(parent->left, hole);
      if (hole)
        Set(hole->parent, parent);
      Set(next->right, right);
      Set(right->parent, next);
    }
    Replace(node, next, header);
    Set(next->left, left);
    Set(left->parent, next);
    Set(next->colour, Get(node->colour));
    Set(node->colour, lost);
  } else {
    hole = left ? left : right;
    parent = Get(node->parent);
    lost = Get(node->colour);
    Replace(node, hole, header);
    if (Get(header.left) == node)
      Set(header.left, hole ? Outermost(hole, false) : parent);
    if (Get(header.right) == node)
      Set(header.right, hole ? Outermost(hole, true) : parent);
  }
  if (lost == kRed)
    return;
  // Paths through the hole lack one black node.
  while (hole != Get(header.parent) && IsBlack(hole)) {
    bool on_right = Get(parent->left) != hole;
    TreeNode *sibling = Get(Child(parent, !on_right));
    if (!IsBlack(sibling)) {
      Set(sibling->colour, kBlack);
      Set(parent->colour, kRed);
      Rotate(parent, on_right, header);
      sibling = Get(Child(parent, !on_right));
    }
    TreeNode *near = Get(Child(sibling, on_right));
    TreeNode *far = Get(Child(sibling, !on_right));
    if (IsBlack(near) && IsBlack(far)) {
      Set(sibling->colour, kRed);
      hole = parent;
      parent = Get(parent->parent);
      continue;
    }
    if (IsBlack(far)) {
      Set(near->colour, kBlack);
      Set(sibling->colour, kRed);
      Rotate(sibling, !on_right, header);
      sibling = near;
      far = Get(Child(sibling, !on_right));
    }
    Set(sibling->colour, Get(parent->colour));
    Set(parent->colour, kBlack);
    Set(far->colour, kBlack);
    Rotate(parent, on_right, header);
    return;
  }
  if (hole)
    Set(hole->colour, kBlack);
}

/// The next node in order, to one side. After the last one comes the header.
TreeNode *Step(TreeNode *node, bool right) {
  // Only the header is red and the parent of its parent: a root is black.
  if (!right && Get(node->colour) == kRed) {
    TreeNode *parent = Get(node->parent);
    if (parent && Get(parent->parent) == node)
      return Get(node->right); // before the end: the last one
  }
  if (TreeNode *child = Get(Child(node, right)))
    return Outermost(child, !right);
  TreeNode *parent = Get(node->parent);
  while (Get(Child(parent, right)) == node) {
    node = parent;
    parent = Get(parent->parent);
  }
  // Above a root without a right child is the header, whose right is that root.
  if (right && Get(node->right) == parent)
    return node;
  return parent;
}

//===- Lists --------------------------------------------------------------===//

void Link(ListNode *first, ListNode *second) {
  Set(first->next, second);
  Set(second->previous, first);
}

} // namespace

PAGETIDE_INTERCEPTOR(
    void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
    bool left, TreeNode *node, TreeNode *parent, TreeNode &header) {
  OnInterceptedCall();
  Insert(left, node, parent, header);
}
PAGETIDE_INTERCEPTOR(
    TreeNode *, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
    TreeNode *node, TreeNode &header) {
  OnInterceptedCall();
  Erase(node, header);
  return node;
}
PAGETIDE_MARKED(TreeNode *, _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base,
                (TreeNode * node), Step(node, true))
PAGETIDE_MARKED(TreeNode *, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base,
                (TreeNode * node), Step(node, true))
PAGETIDE_MARKED(TreeNode *, _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base,
                (TreeNode * node), Step(node, false))
PAGETIDE_MARKED(TreeNode *, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base,
                (TreeNode * node), Step(node, false))

PAGETIDE_INTERCEPTOR(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_,
                     ListNode *node, ListNode *at) {
  OnInterceptedCall();
  ListNode *previous = Get(at->previous);
  Link(previous, node);
  Link(node, at);
}
PAGETIDE_INTERCEPTOR(void, _ZNSt8__detail15_List_node_base9_M_unhookEv,
                     ListNode *node) {
  OnInterceptedCall();
  Link(Get(node->previous), Get(node->next));
}
/// Moves [first, last) before `at`.
PAGETIDE_INTERCEPTOR(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
                     ListNode *at, ListNode *first, ListNode *last) {
  OnInterceptedCall();
  if (at == last)
    return;
  ListNode *before = Get(first->previous), *end = Get(last->previous);
  ListNode *before_at = Get(at->previous);
  Link(before, last);
  Link(before_at, first);
  Link(end, at);
}
PAGETIDE_INTERCEPTOR(void, _ZNSt8__detail15_List_node_base10_M_reverseEv,
                     ListNode *list) {
  OnInterceptedCall();
  ListNode *node = list;
  do {
    ListNode *next = Get(node->next);
    Set(node->next, Get(node->previous));
    Set(node->previous, next);
    node = next;
  } while (node != list);
}
PAGETIDE_INTERCEPTOR(void, _ZNSt8__detail15_List_node_base4swapERS0_S1_,
                     ListNode &a, ListNode &b) {
  OnInterceptedCall();
  ListNode was_a = {Get(a.next), Get(a.previous)};
  ListNode was_b = {Get(b.next), Get(b.previous)};
  if (was_a.next == &a && was_b.next == &b)
    return;
  auto adopt = [](ListNode &list, const ListNode &old, ListNode &old_list) {
    if (old.next == &old_list) { // it was empty
      Set(list.next, &list);
      Set(list.previous, &list);
    } else {
      Link(&list, old.next);
      Link(old.previous, &list);
    }
  };
  adopt(a, was_b, b);
  adopt(b, was_a, a);
}
