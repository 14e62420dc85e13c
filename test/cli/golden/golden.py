#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what commands print of sample traces with the texts in expected/.

usage: golden.py [--update] PAGETIDE MAKE_TRACE DIRECTORY [NAME...]

The samples are written into DIRECTORY. Of each case in cases.txt (or of those
that are named), the output at two widths is compared with expected/NAME.txt.
At the others, its lines must fit and the status must be the same. Prints a diff where they differ, and exits with 1. With --update it writes the
expected texts instead.
"""

import difflib
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected"
WIDTHS = (60, 80, 120, 200)
COMPARED = (80, 120)


def read_cases():
    """Of each name, its command's words and whether its width matters."""
    cases = {}
    for number, line in enumerate((HERE / "cases.txt").read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, colon, command = line.partition(": ")
        if not colon or name.strip("*") in cases:
            sys.exit(f"cases.txt, line {number}: not NAME: WORDS, or a second {name}")
        cases[name.strip("*")] = (shlex.split(command), not name.endswith("*"))
    return cases


def output_of(pagetide, words, width, directory):
    """What the command prints at a width, and its exit status."""
    # Nothing else of the user's settings reaches it.
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": str(width),
    }
    done = subprocess.run(
        [pagetide, *words],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    text = f"$ COLUMNS={width} pagetide {shlex.join(words)}\n"
    text += done.stdout.decode("utf-8")
    if done.stderr:
        text += "[standard error]\n" + done.stderr.decode("utf-8")
    if done.returncode:
        text += f"[exit status {done.returncode}]\n"
    return text, done.returncode


def too_long(text, width):
    """Lines of a report that do not fit."""
    return [
        line
        for line in text.splitlines()
        if len(line) > width and not line.startswith(("$ ", "pagetide: ", "See: "))
    ]


def main():
    words = sys.argv[1:]
    update = "--update" in words
    words = [word for word in words if word != "--update"]
    if len(words) < 3:
        sys.exit(__doc__)
    pagetide, make_trace, directory, *names = words
    cases = read_cases()
    for name in names:
        if name not in cases:
            sys.exit(f"golden.py: {name}: there is no such case in cases.txt")
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([make_trace, "--all", directory], check=True)
    # A run of two processes.
    (directory / "run").write_bytes((directory / "busy").read_bytes())
    (directory / "run.4300").write_bytes((directory / "busy-child").read_bytes())

    different = []
    for name in names or cases:
        command, has_width = cases[name]
        text = ""
        statuses = set()
        for width in WIDTHS if has_width else (80,):
            part, status = output_of(pagetide, command, width, directory)
            statuses.add(status)
            for line in too_long(part, width) if has_width else ():
                print(f"{name}: more than {width} columns: {line}")
                different.append(name)
            if width not in COMPARED:
                continue
            text += part + "\n"
        if len(statuses) > 1:
            print(f"{name}: the exit status depends on the width: {statuses}")
            different.append(name)
        file = EXPECTED / f"{name}.txt"
        if update:
            EXPECTED.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
            continue
        known = file.read_text(encoding="utf-8") if file.exists() else ""
        if known != text:
            different.append(name)
            sys.stdout.writelines(
                difflib.unified_diff(
                    known.splitlines(keepends=True),
                    text.splitlines(keepends=True),
                    f"expected/{name}.txt",
                    f"what pagetide {shlex.join(command)} prints now",
                )
            )
    left = {file.stem for file in EXPECTED.glob("*.txt")} - set(cases)
    for name in sorted(left):
        if update:
            (EXPECTED / f"{name}.txt").unlink()
        else:
            print(f"expected/{name}.txt: cases.txt has no such case")
    if different or (left and not update):
        names = " ".join(sorted(set(different)))
        print("\nIf what is printed now is right: scripts/update_golden.sh " + names)
        sys.exit(1)


main()
