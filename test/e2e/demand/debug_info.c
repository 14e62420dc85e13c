// A debugger that is asked to stop in a function finds both of its copies, by the
// function's name, and says where in the source each is.
// RUN: %pagetide_clang -g -O2 %s -o %t
// RUN: llvm-dwarfdump --name=counts --name=hidden %t | grep -c 'DW_AT_low_pc' | grep -x 4
// RUN: llvm-dwarfdump --name=counts --name=hidden %t | grep -c 'DW_AT_name.*("\(counts\|hidden\)")' | grep -x 4
// RUN: llvm-nm %t | awk '/ (counts|hidden).pagetide$/ {print "0x" $1}' | llvm-symbolizer -e %t | FileCheck %s
// CHECK: counts.pagetide
// CHECK-NEXT: debug_info.c:[[@LINE+5]]:
// CHECK: hidden.pagetide
// CHECK-NEXT: debug_info.c:[[@LINE+4]]:

#include <stdio.h>
__attribute__((noinline)) int counts(int *p) { return *p += 1; }
static __attribute__((noinline)) int hidden(int *p) { return *p += 2; }

int main(int count, char **words) {
  (void)words;
  printf("%d\n", counts(&count) + hidden(&count));
  return 0;
}
