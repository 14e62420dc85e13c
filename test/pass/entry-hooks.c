// What tools look for at a function's very beginning is there, once, in front of
// the test. Marked code calls the function and not its copy, so that tools see each
// call.

// RUN: %clang_demand -O1 -fpatchable-function-entry=5,2 -S -o - %s | FileCheck %s --check-prefixes=CHECK,NOPS --implicit-check-not=nop
// RUN: %clang_demand -O1 -pg -mfentry -S -o - %s | FileCheck %s --check-prefixes=CHECK,FENTRY --implicit-check-not=__fentry__

struct big {
  long member[5];
};
int object;

// NOPS:          nop
// NOPS-NEXT:     nop
// CHECK-LABEL: callee:
// FENTRY:        callq __fentry__
// NOPS:          nopl (%rax)
// CHECK-NEXT:    #APP
// CHECK-NEXT:    cmpb $0, __pagetide_marks_on(%rip)
// CHECK-NEXT:    jne callee.pagetide
// CHECK-NEXT:    jmp callee.plain
__attribute__((noinline)) void callee(struct big b) {
  object = (int)b.member[1];
  object += (int)b.member[2];
}

// NOPS:          nop
// NOPS-NEXT:     nop
// CHECK-LABEL: caller:
// FENTRY:        callq __fentry__
// NOPS:          nopl (%rax)
// CHECK:         jne caller.pagetide
void caller(struct big *b) {
  callee(*b);
  b->member[3] = object;
}

// CHECK-LABEL: caller.pagetide:
// CHECK:         callq callee{{$}}
// CHECK-LABEL: callee.plain:
// CHECK:         movl %eax, object
