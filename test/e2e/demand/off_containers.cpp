// While nobody records, libstdc++ itself links the nodes of lists: calls go
// through libpagetide at once. While somebody records, libpagetide links them,
// with marks.

// RUN: %clangxx -O1 -fPIC -shared %S/Inputs/counts_nodes.cpp -o %t.so
// RUN: %pagetide_clangxx -O1 %s %t.so -o %t
// RUN: env -u PAGETIDE_OPTIONS %t | FileCheck %s --check-prefix=OFF
// RUN: env PAGETIDE_OPTIONS=period=10ms:trace_path=%t.ptrace %t | \
// RUN:   FileCheck %s --check-prefix=ON
// OFF: linked by the library: 3
// ON: linked by the library: 0

#include <cstdio>
#include <list>

extern "C" int counted_nodes;

int main() {
  std::list<int> list;
  for (int value : {1, 2, 3})
    list.push_back(value);
  int sum = 0;
  for (int value : list)
    sum += value;
  printf("linked by the library: %d\n", counted_nodes);
  return sum == 6 ? 0 : 1;
}
