#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/reference/interceptors.md of runtime/interceptors/intercepted.txt.

    scripts/interceptors.py            writes it
    scripts/interceptors.py --check    fails if it is not up to date
"""

import argparse
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
SOURCE = TOP / "runtime" / "interceptors" / "intercepted.txt"
TARGET = TOP / "docs" / "reference" / "interceptors.md"

HEAD = """# Functions that Pagetide intercepts

`scripts/interceptors.py` makes this page from `runtime/interceptors/intercepted.txt`.

Instrumented code marks its own accesses. The runtime marks what these functions of
libc, and the kernel through them, do to the program's memory.
[contract.md](contract.md) says what that means, and which functions are not covered.

Marks are made when the function returns, unless the table says otherwise. *As may*
means that the function may have touched the memory, and does not say whether it did.
"""


def document():
    parts = [HEAD]
    entry = re.compile(r"([a-zA-Z_][a-zA-Z0-9_ ]*): (.*)")
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("== "):
            parts.append(f"\n## {line[3:]}\n\n| functions | marked |\n"
                         "| --- | --- |\n")
            continue
        match = entry.fullmatch(line)
        if not match:
            sys.exit(f"{SOURCE}:{number}: neither '== SECTION' nor 'NAME ...: "
                     f"WHAT IS MARKED': {line}")
        names = ", ".join(f"`{name}`" for name in match[1].split())
        marked = match[2].replace("|", "\\|").replace("*", "\\*")
        parts.append(f"| {names} | {marked} |\n")
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    text = document()
    if not parser.parse_args().check:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        sys.exit(f"{TARGET} is not what {SOURCE} makes: run "
                 "scripts/interceptors.py")


if __name__ == "__main__":
    main()
