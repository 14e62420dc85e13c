// What sets segment GS or its base, or reaches memory by it in assembly, is refused
// as __seg_gs is: the base is Pagetide's. What only reads the register is not.

// RUN: not %clang_demand -O1 -mfsgsbase -w -c -o /dev/null %s 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %clang_pagetide -O0 -g -mfsgsbase -w -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: %clang_demand -O1 -mfsgsbase -DATTRIBUTE='__attribute__((disable_sanitizer_instrumentation))' -w -c -o /dev/null %s
// RUN: %clang -O1 -mfsgsbase -w -c -o /dev/null %s
// RUN: echo '__asm__("of_module: swapgs"); int f(int *p) { return *p; }' | %clang_demand -x c -c -o /dev/null - 2>&1 | FileCheck %s --check-prefix=MODULE
// MODULE: warning: {{.*}}Pagetide: {{.*}}: assembly outside functions uses segment GS, but its base is Pagetide's while a program is recorded

#include <immintrin.h>

#ifndef ATTRIBUTE
#define ATTRIBUTE
#endif
int object;

#define ASM(Name, ...) \
  ATTRIBUTE void Name(long *p) { \
    object = 1; \
    __asm__ volatile(__VA_ARGS__); \
  }

// LINE: error: {{.*}}segment-gs-asm.c:[[#@LINE+2]]: Pagetide: function 'sets_base'
// CHECK: error: {{.*}}function 'sets_base' sets the base of segment GS (_writegsbase), but the base of GS is Pagetide's; use segment FS or a plain pointer
ATTRIBUTE void sets_base(long *p) { _writegsbase_u64(p[0]); }
// CHECK: error: {{.*}}function 'sets_half' sets the base of segment GS (_writegsbase)
ATTRIBUTE void sets_half(long *p) { _writegsbase_u32(p[0]); }

// CHECK: error: {{.*}}function 'loads' sets segment GS, or accesses memory relative to it, by inline assembly, but the base of GS is Pagetide's; use segment FS or a plain pointer
ASM(loads, "movq %%gs:0, %%rax" ::: "rax")
// CHECK: error: {{.*}}function 'stores_by_index'
ASM(stores_by_index, "movb $1, %%gs:4(%0, %0)" ::"r"(p))
// CHECK: error: {{.*}}function 'loads_in_intel'
ASM(loads_in_intel, ".intel_syntax noprefix\n mov rax, qword ptr gs:[0]\n.att_syntax" ::: "rax")
// CHECK: error: {{.*}}function 'by_prefix'
ASM(by_prefix, "gs; movq (%0), %%rax" ::"r"(p) : "rax")
// CHECK: error: {{.*}}function 'sets_selector'
ASM(sets_selector, "movw %w0, %%gs" ::"r"(p[0]))
// CHECK: error: {{.*}}function 'pops'
ASM(pops, "pushq %0\n popq %%gs" ::"r"(p[0]))
// CHECK: error: {{.*}}function 'writes_base'
ASM(writes_base, "nop\n\twrgsbaseq %0" ::"r"(p))
// CHECK: error: {{.*}}function 'swaps'
ASM(swaps, "swapgs")
// CHECK: error: {{.*}}function 'by_macro'
ASM(by_macro, ".macro SEG s\n movq %%\\s:0, %%rax\n.endm\n SEG gs\n.purgem SEG" ::: "rax")

ASM(reads_base, "rdgsbaseq %0" : "=r"(p))
ASM(reads_selector, "movl %%gs, %%eax\n pushq %%gs\n popq %%rax" ::: "rax")
ASM(names, "movq gs(%%rip), %%rax # %%gs:0\n jmp 1f\n gs: .quad 0\n 1:" ::: "rax")
ASM(by_fs, "movq %%fs:0, %%rax" ::: "rax")
ATTRIBUTE long reads(void) { return _readgsbase_u64(); }

// CHECK: error: {{.*}}function 'has_no_frame'
__attribute__((naked)) ATTRIBUTE void has_no_frame(void) {
  __asm__("wrgsbase %rdi\n ret");
}
