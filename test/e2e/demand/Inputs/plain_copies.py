#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares functions as two compilers make them, in assembly.

usage: plain_copies.py NATIVE ON-DEMAND ARGUMENT...

Each of NATIVE and ON-DEMAND is one word, and may hold a command with options.
Both compile the source in ARGUMENT... Each function of the first must be in the
second's output, with the same directives in front of it, the same instructions
and the same frame. The test at its entry is left out. Functions that exist once
are counted, and so are those that have no marked copy. The last line says how
many functions were compared, had a test, had a copy and exist once.
"""

import re
import shlex
import subprocess
import sys

BEGIN = re.compile(r"# -- Begin function (\S+)")
LABEL = re.compile(r"\.L[A-Za-z_$]*[0-9][\w.$]*|\bunique,\d+|__unnamed_\d+"
                   r"|\bGCC_except_table\d+")
TEST = re.compile(
    r'(?:\s+\.ascii\s+"\\363\\017\\036\\372"\n)?'       # endbr64
    r'\s+\.ascii\s+"\\200="\n'                         # cmpb $0, ...
    r'\s+\.long\s+\(?__pagetide_marks_on-\S+\n'
    r'\s+\.ascii\s+"\\000\\017\\205"\n'                # jne ...
    r'\s+\.long\s+\(?\S+?\.pagetide(?:@PLT)?-[^\n]*\n')


def compiled(command, arguments):
    done = subprocess.run([*shlex.split(command), *arguments, "-S", "-o", "-"],
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def functions(assembly):
    """name -> (its text, whether it has a test)"""
    parts = BEGIN.split(assembly)
    result = {}
    end = "# -- End function"
    for before, name, text in zip(parts[0::2], parts[1::2], parts[2::2]):
        # Sections, constants and jump tables stand in front of a function.
        head = before[before.rfind(end) + len(end):] if end in before else ""
        body = text[:text.index(end)]
        body, tests = TEST.subn("", body, count=1)
        numbers = {}
        joined = head + body
        # The test has a line of its own.
        joined = re.sub(r"\t\.loc\s.*\n", "", joined)
        # Comments do not matter, and numbers of labels depend on other code.
        joined = re.sub(r"\s*#.*", "", joined)
        joined = LABEL.sub(
            lambda match: ".L%d" % numbers.setdefault(match[0], len(numbers)),
            joined)
        result[name] = (joined, tests > 0)
    return result


def main():
    native, demand, *arguments = sys.argv[1:]
    plain = functions(compiled(native, arguments))
    both = functions(compiled(demand, arguments))
    compared = tests = copies = single = 0
    failed = False
    for name, (text, _) in plain.items():
        if name not in both:
            print(f"{name} is missing")
            failed = True
            continue
        found, has_test = both[name]
        if name + ".pagetide" not in both and "__pagetide_" in found:
            single += 1
            continue
        compared += 1
        tests += has_test
        copies += name + ".pagetide" in both
        if found != text:
            failed = True
            print(f"{name} differs:")
            for a, b in zip(text.splitlines() + [""], found.splitlines() + [""]):
                if a != b:
                    print(f"  native: {a}\n  found:  {b}")
                    break
    print(f"compared {compared} tests {tests} copies {copies} single {single}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
