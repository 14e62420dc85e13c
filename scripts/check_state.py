#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds runtime/kept_in_child.txt against the runtime's object files.

usage: check_state.py OBJECTS [LIST]

Below the folder OBJECTS are the object files. Prints each variable that is neither
set to zero as a whole in a forked child (runtime/platform/fork_reset.h) nor listed,
and each one that is listed and is no such variable. Exits with status 1 then.
"""

import pathlib
import re
import subprocess
import sys

LIST = pathlib.Path(__file__).resolve().parent.parent / "runtime" / "kept_in_child.txt"
# Where variables may change. What a child sets to zero has sections of its own.
CHANGING = re.compile(r"\.(?:bss|data(?!\.rel\.ro))\b")
SYMBOL = re.compile(r"^[0-9a-f]+ \w?[ \w!]{6} +O? *(\S+)\t[0-9a-f]+ (?:\.hidden )?(.*)$")
# Pointers to libc's functions.
NOT_STATE = re.compile(r"__interception::real_")


def name_of(symbol):
    """The name as it is in the source, with the function that it is in."""
    symbol = re.sub(r"^_ZN12_GLOBAL__N_1\d+(\w+?)E\.\d+$", r"\1", symbol)
    symbol = symbol.replace("(anonymous namespace)::", "").replace("pagetide::", "")
    return re.sub(r"\([^()]*\)", "", symbol).strip()


def variables(objects):
    paths = sorted(objects.rglob("*.cpp.o"))
    if not paths:
        return set()
    tables = subprocess.run(["llvm-objdump", "--syms", "--demangle", *paths], check=True,
                            capture_output=True, text=True).stdout
    found, file = set(), ""
    for line in tables.splitlines():
        path, head, _ = line.partition(":\tfile format ")
        if head:
            file = pathlib.Path(path).relative_to(objects).as_posix().removesuffix(".o")
        match = SYMBOL.match(line)
        if match and CHANGING.match(match[1]) and not NOT_STATE.search(match[2]) \
                and " O " in line.split("\t")[0] + " ":
            found.add((file, name_of(match[2])))
    return found


def listed(path):
    kept = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"([\w/]+\.cpp): (.+?): \S.*", line)
        if not match:
            sys.exit(f"{path}:{number}: not of the form 'FILE: NAME...: WHY': {line}")
        names = re.findall(r"guard variable for \S+|\S+", match[2])
        kept.update((match[1], name) for name in names)
    return kept


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else LIST
    found, kept = variables(pathlib.Path(sys.argv[1])), listed(path)
    if not found:
        sys.exit(f"{sys.argv[1]}: has no object files of the runtime; build first")
    for file, name in sorted(found - kept):
        print(f"runtime/{file}: {name}: does not say what it is in a forked child; use a"
              f" macro of runtime/platform/fork_reset.h, or give it a reason in {path.name}")
    for file, name in sorted(kept - found):
        print(f"{path.name}: {file} has no variable {name} that a child keeps; remove it")
    return found != kept


if __name__ == "__main__":
    sys.exit(main())
