#!/usr/bin/env python3
# ===- call_outcomes.py - Whether calls have ended in all their ways ------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Holds the rows that call_oracle.h prints against a list of outcomes.

    call_outcomes.py LIST [--lacking FILE] NATIVELY ...

A line of the list: OUTCOME ...: FUNCTION ... FILE has those that this libc lacks.
"""

import sys


def listed(path):
    """The outcomes of each function in the list."""
    outcomes = {}
    for line in open(path):
        kinds, colon, names = line.partition(": ")
        if line.startswith("#") or not colon:
            continue
        for name in names.split():
            if name in outcomes:
                sys.exit(f"{path}: {name} is listed twice")
            outcomes[name] = set(kinds.split())
    return outcomes


def seen(paths):
    """The outcomes that each function has had."""
    outcomes = {}
    for path in paths:
        for line in open(path):
            words = line.split()
            if len(words) == 8 and words[2] == "result" and words[7] != "death":
                name = words[1].partition(":")[0]  # a number's
                outcomes.setdefault(name, set()).add(words[7])
    return outcomes


def main():
    due, files = listed(sys.argv[1]), sys.argv[2:]
    if files[0] == "--lacking":
        for name in open(files[1]).read().split():
            del due[name]
        files = files[2:]
    done = seen(files)
    faults = []
    for name in sorted(due.keys() | done.keys()):
        if name not in due:
            faults.append(f"{name}: not listed")
            continue
        rows = done.get(name, set())
        faults += [f"{name}: no row that ends in {outcome}"
                   for outcome in sorted(due[name] - rows)]
        faults += [f"{name}: {outcome} is not listed"
                   for outcome in sorted(rows - due[name])]
    print("\n".join(faults) or "%d outcomes of %d functions"
          % (sum(map(len, due.values())), len(due)))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
