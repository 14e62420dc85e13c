# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what `pagetide audit --json` lists with what the program says of
itself.

  check_audit.py [--without KIND] REPORT KNOWN...

KNOWN holds lines "KIND ADDRESS PERIODS": a page, its kind, and the number of
periods in which the program wrote it without a mark. For every kind of the
program's memory the two must be equal; kinds of stacks and of the C library
are compared only where KNOWN names them. A line "processes N" says how many
processes the report must have.
"""

import collections
import json
import sys

PROGRAM = {"program", "library", "plain", "heap", "anonymous", "shared", "file"}


def read_known(paths):
    known = collections.Counter()
    processes = None
    for path in paths:
        for line in open(path):
            words = line.split()
            if words[0] == "processes":
                processes = int(words[1])
            else:
                known[words[0], int(words[1], 16)] += int(words[2])
    return known, processes


def read_report(path):
    report = json.load(open(path))
    assert report["pagetide_audit"] == 1
    found = collections.Counter()
    for process in report["processes"]:
        assert process["compared"] > 0, process["file"]
        assert process["problem"] is None, process["problem"]
        total = 0
        for group in process["groups"]:
            listed = sum(page["periods"] for page in group["pages"])
            assert listed == group["uncovered"], group
            assert group["written"] == group["covered"] + listed, group
            total += group["written"]
            for page in group["pages"]:
                found[group["kind"], int(page["address"], 16)] += page["periods"]
        assert total == process["written"]
    return report, found


def main():
    words = sys.argv[1:]
    left_out = set()
    while words[0] == "--without":
        left_out.add(words[1])
        words = words[2:]
    known, processes = read_known(words[1:])
    report, found = read_report(words[0])
    if processes is not None:
        assert len(report["processes"]) == processes, len(report["processes"])
    kinds = (PROGRAM - left_out) | {kind for kind, _ in known}
    wrong = []
    for key in sorted(set(known) | {k for k in found if k[0] in kinds}):
        if known[key] != found[key]:
            wrong.append(f"{key[0]} {key[1]:#x}: written without a mark in "
                         f"{known[key]} periods, listed for {found[key]}")
    if wrong:
        print("\n".join(wrong))
        sys.exit(1)
    print(f"{len(known)} pages as they should be")


main()
