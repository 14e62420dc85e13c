#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds FileCheck lines that check nothing.

usage: check_prefixes.py TEST_DIRECTORY

FileCheck ignores a line such as `; CHEKC-NEXT: store`, and a line such as `;
FOO: load` if no RUN line gives it the prefix FOO. This prints each such line,
and exits with status 1 if there is one.
"""

import pathlib
import re
import sys

SUFFIXES = {".ll", ".c", ".cpp", ".test"}
# What lit itself, and people, write in the same form.
KEYWORDS = {
    "RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "DEFINE", "REDEFINE", "END",
    "ALLOW_RETRIES", "NOTE", "COM", "SPDX-LICENSE-IDENTIFIER", "PAGETIDE_OPTIONS",
}
DIRECTIVES = re.compile(
    r"-(NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+)$"
)
CANDIDATE = re.compile(r"^[^\w]*([A-Z][A-Z0-9_-]+)(?:\{LITERAL\})?:(?![:\w])")
RUN = re.compile(r"(?:RUN|DEFINE|REDEFINE):(.*)")
PREFIX_OPTION = re.compile(r"--?check-prefix(?:es)?[= ]\s*(\S+)")


def used_prefixes(lines):
    """The prefixes that the RUN lines give to FileCheck."""
    script = " ".join(
        match.group(1).rstrip("\\") for match in map(RUN.search, lines) if match
    )
    used = set()
    for option in PREFIX_OPTION.findall(script):
        used.update(option.strip("\"'").split(","))
    # FileCheck without the option uses CHECK; so may any that has it not.
    for command in re.split(r"[|;&]", script):
        if "FileCheck" in command and not PREFIX_OPTION.search(command):
            used.add("CHECK")
    return used


def unused_lines(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    used = used_prefixes(lines)
    # A prefix made by a substitution can be anything.
    if any("%" in prefix for prefix in used):
        return
    for number, line in enumerate(lines, 1):
        match = CANDIDATE.match(line)
        if not match:
            continue
        word = match.group(1)
        prefix = DIRECTIVES.sub("", word)
        if word.upper() in KEYWORDS or prefix in used or word in used:
            continue
        yield number, prefix, used


def main(directory):
    found = 0
    for path in sorted(pathlib.Path(directory).rglob("*")):
        if path.suffix not in SUFFIXES or "Inputs" in path.parts:
            continue
        for number, prefix, used in unused_lines(path):
            found += 1
            print(
                "%s:%d: error: no RUN line gives the prefix '%s' to FileCheck, "
                "so this line checks nothing; it uses: %s"
                % (path, number, prefix, ", ".join(sorted(used)) or "none")
            )
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
