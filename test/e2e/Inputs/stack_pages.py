# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a program that prints the addresses of its innermost and its outermost
frame, and expects every page between them in its first period: all of them with
the pass's option frames, and almost none without it if registers suffice."""

import argparse
import csv
import os
import pathlib
import shlex
import subprocess
import sys

PAGE = 4096


def pages_in_first_period(pagetide, trace):
    text = subprocess.run([pagetide, "export", "--format", "csv", trace],
                          check=True, capture_output=True, text=True).stdout
    return {int(row["address"], 16) for row in csv.DictReader(text.splitlines())
            if row["period"] == "0" and row["written"] != "0"}


def run(args, level, layout, frames):
    program = args.work / f"{level}-{layout}-{int(frames)}"
    trace = program.with_suffix(".ptrace")
    options = [f"-{level}", "-mllvm", f"-pagetide-layout={layout}"]
    options += ["-mllvm", "-pagetide-frames"] if frames else []
    subprocess.run([*shlex.split(args.build), *options, "-o", program],
                   check=True)
    trace.unlink(missing_ok=True)
    done = subprocess.run(
        [program], check=True, capture_output=True, text=True,
        env=dict(os.environ,
                 PAGETIDE_OPTIONS=f"period=0:trace_path='{trace}'"))
    low, high = (int(word, 16) // PAGE * PAGE for word in done.stdout.split()[:2])
    wanted = set(range(low, high + PAGE, PAGE))
    missing = wanted - pages_in_first_period(args.pagetide, trace)
    print(f"{level} {layout} frames={int(frames)}: {len(wanted)} pages, "
          f"{len(missing)} missing")
    return len(wanted), len(missing)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pagetide", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--levels", type=lambda text: text.split(","))
    parser.add_argument("--layouts", type=lambda text: text.split(","))
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    failures = 0
    for level in args.levels:
        for layout in args.layouts if level == "O2" else args.layouts[:1]:
            wanted, missing = run(args, level, layout, frames=True)
            failures += wanted < 100 or missing != 0
    # The program is one that needs the option.
    wanted, missing = run(args, "O2", "rw", frames=False)
    failures += missing < wanted // 2
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
