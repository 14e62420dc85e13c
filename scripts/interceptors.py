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
CALL_SITES = TOP / "include" / "pagetide" / "call_site_functions.def"
TARGET = TOP / "docs" / "reference" / "interceptors.md"

HEAD = """# Functions that Pagetide intercepts

`scripts/interceptors.py` makes this page from `runtime/interceptors/intercepted.txt`.

Instrumented code marks its own accesses. The runtime marks what these functions of
libc, and the kernel through them, do to the program's memory.
[contract.md](contract.md) says what that means, and which functions are not covered.

Marks are made when the function returns, unless the table says otherwise. *As may*
means that the function may have touched the memory, and does not say whether it did.

The last column says whose calls are marked:

- *all*: every call in the process, also by libraries that are not instrumented. The
  runtime exports these functions under their own names, before libc.
- *instrumented*: calls by instrumented code, by name or through a pointer. Such code
  calls the runtime's `__pagetide_NAME` instead. Other code calls libc's function, and
  pays nothing. These functions only read.
"""


def call_site_functions():
    """Names in call_site_functions.def."""
    return set(re.findall(r"^PAGETIDE_CALL_SITE_FUNCTION\((\w+),",
                          CALL_SITES.read_text(), re.MULTILINE))


def whose_calls(names, by_call_site, where):
    """The last column of a row."""
    named = by_call_site & set(names)
    if named and named != set(names):
        sys.exit(f"{where}: {CALL_SITES.name} names {', '.join(sorted(named))}, "
                 "but not the others; give them a line of their own")
    return "instrumented" if named else "all"


def document():
    parts = [HEAD]
    by_call_site = call_site_functions()
    listed = set()
    entry = re.compile(r"([a-zA-Z_][a-zA-Z0-9_ ]*): (.*)")
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("== "):
            parts.append(f"\n## {line[3:]}\n\n| functions | marked | calls |\n"
                         "| --- | --- | --- |\n")
            continue
        match = entry.fullmatch(line)
        if not match:
            sys.exit(f"{SOURCE}:{number}: neither '== SECTION' nor 'NAME ...: "
                     f"WHAT IS MARKED': {line}")
        words = match[1].split()
        listed.update(words)
        calls = whose_calls(words, by_call_site, f"{SOURCE}:{number}")
        names = ", ".join(f"`{name}`" for name in words)
        marked = match[2].replace("|", "\\|").replace("*", "\\*")
        parts.append(f"| {names} | {marked} | {calls} |\n")
    if by_call_site - listed:
        sys.exit(f"{SOURCE} lacks {', '.join(sorted(by_call_site - listed))}, "
                 f"which {CALL_SITES} names")
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
