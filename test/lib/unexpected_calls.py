# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks in assembly for calls that stand between a mark and its access.

The code must be compiled with the pass's option marks=lines. Then the line of
each instruction says what the plan took it for: 1, it is in a segment, and 2,
it ends one and may be a call. The column is the number of the segment, or of
its end. Compile with -mllvm -use-unknown-locations=Enable: otherwise an
instruction without a line seems to have that of the one before it.

Faults are:

- a call on another line than 2: the plan did not expect it, so marks before it
  may serve accesses behind it;
- in one basic block, a mark before a call that belongs behind it, or an access
  behind a call that belongs before it.

With --on-demand the code has two copies of each function. The marked one is
looked at; a mark in the other is a fault.
"""

import argparse
import re
import sys

IN_SEGMENT, END = 1, 2
# The stack is smashed: it does not return.
NO_RETURN = ("__stack_chk_fail",)
LOC = re.compile(r"\s*\.loc\s+\d+\s+(\d+)\s+(\d+)")
LABEL = re.compile(r"([^\s:\"#]+|\"[^\"]+\"):")
INSTRUCTION = re.compile(r"\s+([a-z][a-z0-9]*)\s*([^#]*)")
# Made by the pass, and never marked.
UNMARKED = ("pagetide.module_ctor", "pagetide.module_dtor",
            "pagetide.sites_ctor", "pagetide.sites_dtor")
MARKED_COPY = ".pagetide"
# What the program accesses: not its own frame, spills are there, and no
# constants of the code.
MEMORY = re.compile(r"(?:^|[\s,*])-?[\w.+@]*\((%r\w+)?")


class Fault:
    def __init__(self, function, number, text, why):
        self.function = function
        self.number = number
        self.text = text.strip().replace("\t", " ")
        self.why = why

    def __str__(self):
        return "%s: line %d: %s: %s" % (
            self.function, self.number, self.text, self.why)


class Scan:
    """The calls, marks and faults of one file of assembly."""

    def __init__(self, lines, on_demand=False):
        self.calls = self.marks = 0
        self.faults = []
        function = "?"
        at = (None, 0)
        block = []
        for number, text in enumerate(lines, 1):
            loc = LOC.match(text)
            if loc:
                at = (int(loc[1]), int(loc[2]))
                continue
            label = LABEL.match(text)
            if label:
                name = label[1].strip('"')
                if not name.startswith((".Ltmp", ".Lpcsection")):
                    self.end_block(function, block)
                    block = []
                if not name.startswith(".L"):
                    function, at = name, (None, 0)
                continue
            found = INSTRUCTION.match(text)
            if function in UNMARKED or not found or text.lstrip().startswith("."):
                continue
            mnemonic, operands = found[1], found[2].strip()
            if on_demand and not function.endswith(MARKED_COPY):
                if "%gs:" in operands:
                    self.add(function, number, text, "the plain copy has a mark")
                continue
            if mnemonic.startswith("call"):
                if operands.partition("@")[0] in NO_RETURN:
                    continue
                self.calls += 1
                if at[0] != END:
                    self.add(function, number, text, "the plan does not expect "
                             "this call (line %s)" % at[0])
                block.append(("call", at, number, text))
            elif mnemonic.startswith("j"):
                self.end_block(function, block)
                block = []
            elif "%gs:" in operands:
                self.marks += 1
                block.append(("mark", at, number, text))
            elif not mnemonic.startswith(("lea", "nop", "prefetch")):
                memory = MEMORY.search(operands)
                if memory and memory[1] not in (None, "%rsp", "%rip"):
                    block.append(("access", at, number, text))
        self.end_block(function, block)

    def add(self, *what):
        self.faults.append(Fault(*what))

    def end_block(self, function, block):
        """Columns rise in a block, as its segments follow each other."""
        for place, (kind, (line, column), _, _) in enumerate(block):
            if kind != "call" or line != END or not column:
                continue
            for other, (at, of), number, text in block[:place]:
                if other == "mark" and at == IN_SEGMENT and of > column:
                    self.add(function, number, text,
                             "a later call comes between this mark and its access")
            for other, (at, of), number, text in block[place + 1:]:
                if other == "access" and at == IN_SEGMENT and 0 < of < column:
                    self.add(function, number, text,
                             "a call came between this access and its mark")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+")
    for what in ("calls", "marks"):
        parser.add_argument("--" + what, type=int, default=1, metavar="N",
                            help="fail if there are fewer %s than N" % what)
    parser.add_argument("--on-demand", action="store_true",
                        help="the code was not compiled with mode=always")
    options = parser.parse_args()
    calls = marks = faults = 0
    for path in options.files:
        with open(path, encoding="utf-8", errors="replace") as file:
            scan = Scan(file, options.on_demand)
        calls += scan.calls
        marks += scan.marks
        faults += len(scan.faults)
        for fault in scan.faults:
            print("%s: %s" % (path, fault))
    print("calls %d, marks %d, faults %d" % (calls, marks, faults))
    too_few = calls < options.calls or marks < options.marks
    if too_few:
        print("there is too little to compare (expected: calls %d, marks %d): "
              "was all code compiled, with marks=lines?"
              % (options.calls, options.marks))
    sys.exit(bool(faults) or too_few)


if __name__ == "__main__":
    main()
