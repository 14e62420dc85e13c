#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles functions with inline assembly, each in a file of its own.

usage: asm_texts.py FOLDER COMPILER...

COMPILER is one word that holds a command with options. For each text the result
is an object file, and the function has the number of copies that the table says.
"""

import os
import subprocess
import sys

ONCE = [
    r".macro ADD reg\naddl $2, \\reg\n.endm\nmovl %1, %0\nADD %0",
    r".altmacro\n.macro M a\nnop\n.endm\nM 1\nmovl %1, %0",
    r".equiv once_a, 5\nmovl %1, %0",
    r".equ once_b, 5\nmovl %1, %0",
    r".set once_c, .\nmovl %1, %0",
    r"once_d = 5\nmovl %1, %0",
    r"once_f: movl %1, %0",
    r"nop; once_g : movl %1, %0",
    r"/* x */ once_h: movl %1, %0",
    r"\"once i\": movl %1, %0",
    r".Lonce_j: movl %1, %0",
    r".globl once_k; once_k: movl %1, %0",
    r".if 1\nonce_l: .endif\nmovl %1, %0",
    r".irp n, 1, 2\nonce_m\\n: nop\n.endr\nmovl %1, %0",
    r".pushsection .data\nonce_n: .long 1\n.popsection\nmovl %1, %0",
    r".comm once_o, 4\nmovl %1, %0",
    r".lcomm once_p, 4\nmovl %1, %0",
    r".symver once_q, once_q@V1\nmovl %1, %0",
    r".macro LABEL n\n\\n: nop\n.endm\nLABEL once_r\n.purgem LABEL\nmovl %1, %0",
    r"once_s%c2: movl %1, %0",
    r".rept 1\nonce_t:\n.endr\nmovl %1, %0",
    r".type once_u, @function\nonce_u: movl %1, %0\n.size once_u, .-once_u",
    r"1: nop\n.set once_v, 1b\nmovl %1, %0",
    r".globl printf\n.weak printf\nmovl %1, %0",
    r".weakref once_w, once_x\nmovl %1, %0",
    r".macro M2\nnop\n.endm\n.macro M2_again\nM2\n.endm\nM2_again\nmovl %1, %0",
]

TWICE = [
    r"movl %1, %0",
    r"movl {%1, %0|%0, %1}",
    r"1: movl %1, %0\njmp 2f\n2:",
    r".Ltwice%=: movl %1, %0",
    r"movl %1, %0 # label: in a comment",
    r"/* label: */ movl %1, %0",
    r".macro TWICE_A\nnop\n.endm\nTWICE_A\n.purgem TWICE_A\nmovl %1, %0",
    r".ifndef twice_b\ntwice_b: nop\n.endif\nmovl %1, %0",
    r".pushsection .note.twice,\"\",\"note\"\n.ascii \"a:b\"\n.popsection\n"
    r"movl %1, %0",
    r".section .twice,\"a\"\n.long 1f - .\n.previous\n1: movl %1, %0",
    r".cfi_remember_state\nnop\n.cfi_restore_state\nmovl %1, %0",
    r".weak printf\n.hidden printf\nmovl %1, %0",
    r"lock; addl $0, (%%rsp)\nmovl %1, %0",
    r"rep; nop\n.byte 0x0f, 0x1f, %c2\n.balign 4\nmovl %1, %0",
    r".if %c2 == 3\nmovl %1, %0\n.else\n.error \"no\"\n.endif",
    r"%{evex%} vmovaps %%zmm0, %%zmm1\nmovl %1, %0",
    r".code32\n.code64\nmovl %1, %0",
    r".irp r, rax, rbx\nxorq %%\\r, %%\\r\n.endr\nmovl %1, %0",
]

SOURCE = r"""
int seen[64];
__attribute__((noinline)) int f(int x) {
  int r;
  __asm__ volatile("%s" : "=r"(r) : "r"(x), "i"(3) : "rbx", "rax");
  seen[x & 63] = r;
  return r;
}
int (*chosen)(int) = f;
"""


def main():
    folder, *compiler = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for copies, texts in ((1, ONCE), (2, TWICE)):
        for number, text in enumerate(texts):
            source = os.path.join(folder, f"{copies}_{number}.c")
            with open(source, "w", encoding="ascii") as file:
                file.write(SOURCE % text)
            code = source[:-1] + "o"
            done = subprocess.run(
                [*compiler, "-mavx512f", "-c", source, "-o", code],
                stderr=subprocess.PIPE, text=True)
            found = 0
            if done.returncode == 0:
                names = subprocess.run(["nm", code], stdout=subprocess.PIPE,
                                       text=True, check=True).stdout
                found = 1 + (" f.pagetide\n" in names)
            if found != copies:
                failed += 1
                print(f"{text}: {found} copies, not {copies}\n{done.stderr}")
    print(f"texts {len(ONCE)} {len(TWICE)} failed {failed}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
