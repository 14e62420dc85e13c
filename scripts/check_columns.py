#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds lines of more than 80 columns.

usage: check_columns.py FILE...

clang-format breaks what it can break and accepts the rest. This prints each
line that is still too long, and exits with status 1 if there is one. Two kinds
of lines may be longer, because a break would change what they say: a line with
a URL, and a line that is one string literal without a space.
"""

import re
import sys

MAX_COLUMNS = 80
UNBREAKABLE = re.compile(r'://|^\s*"[^" ]*"[,;]?$')


def main(paths):
    status = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\n")
                if len(line) > MAX_COLUMNS and not UNBREAKABLE.search(line):
                    print(
                        f"{path}:{number}: error: {len(line)} columns;"
                        f" {MAX_COLUMNS} at most. Break the line."
                    )
                    status = 1
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
