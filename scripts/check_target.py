#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds places that name a processor outside of the folder for it.

usage: check_target.py [ROOT]

The folders in ROOMS know the processor, and the rest of their trees does not. Below
ROOT (default: the checkout that this script belongs to) this prints each line of the
rest, comments too, that names a processor, a register, an instruction or an
intrinsic, and exits with status 1 if there is one.
"""

import pathlib
import re
import sys

# Tree, and its folder for processors. Each processor has a folder in that.
ROOMS = {"pass": "target"}
SUFFIXES = {".h", ".cpp", ".def"}
NAMES = re.compile(
    r"(?i:x86|x87|i[36]86|amd64|aarch64|\barm)"  # processors, and LLVM's own names
    r"|\b(?i:[re][abcd]x|[re][sd]i|[re][sbi]p|r(8|9|1[0-5])[dwb]?|[xyz]mm\d*)\b"
    r"|(?i:\b[fg]s\b)|(?<=[a-z])[FG]s\b|Segment[FG]s|\b(SSE|AVX|MMX|FMA|F16C)"
    r"|(?i:\b(mov|lea|cmp|add|sub|xor|inc|dec|or|and)[bwlq]\b|\bj(ne|mp)q?\b|\bshr\b"
    r"|endbr64|gotpcrel|addrspace\(2)"
    r"|\bWin64\b|\bSystem V\b"
)


def check(root, tree, room):
    """Yields the places of `tree` outside of `room` that name a processor."""
    for path in sorted((root / tree).rglob("*")):
        inside = path.relative_to(root / tree).parts
        # The interface is in `room`, an implementation in a folder below that.
        if path.suffix not in SUFFIXES or (inside[0] == room and len(inside) > 2):
            continue
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            if found := NAMES.search(line):
                yield (
                    f"{path.relative_to(root)}:{number}: names '{found[0]}'; what"
                    f" knows a processor belongs to a folder in {tree}/{room}/."
                )


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    root = pathlib.Path(
        sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    )
    status = 0
    for tree, room in ROOMS.items():
        for problem in check(root, tree, room):
            print(problem)
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
