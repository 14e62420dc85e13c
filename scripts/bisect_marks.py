#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the function whose inline marks make a difference.

usage: bisect_marks.py --functions PROGRAM... --build COMMAND --check COMMAND

Use it if a program's page sets are wrong, but right when it is built with a
call of the runtime for every access (the pass's option marks=calls). It builds
and checks the program again and again, with inline marks in fewer and fewer
functions. It stops when no function can be left out, and names those functions.

COMMAND is a line for the shell. Both commands find in $PAGETIDE_MARKS_IN the
name of a file, which changes each time. The file lists the functions to be
built with calls. So the build command must compile everything again, with

    -fpagetide-marks=calls -fpagetide-marks-in=$PAGETIDE_MARKS_IN

(for plain clang: -mllvm -pagetide-marks=calls -mllvm -pagetide-marks-in=...).
The check command runs the program and exits with status 0 if its sets are
right. PROGRAM is a file of an earlier build, which says what functions there
are. Exit status 0 if functions were found, otherwise 1.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--functions", nargs="+", required=True,
                        metavar="PROGRAM")
    parser.add_argument("--build", required=True, metavar="COMMAND")
    parser.add_argument("--check", required=True, metavar="COMMAND")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIRECTORY",
                        help="leave the lists and the commands' output there")
    return parser.parse_args()


class Failure(Exception):
    pass


def functions_of(programs):
    """The names of the functions that symbol tables hold, sorted."""
    tool = shutil.which("llvm-nm-19") or shutil.which("llvm-nm") or \
        shutil.which("nm")
    if not tool:
        raise Failure("there is no nm to list functions with; install llvm-19")
    names = set()
    for program in programs:
        done = subprocess.run(
            [tool, "--defined-only", "--format=posix", program],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{tool} cannot list the functions of {program}: "
                          + done.stderr.strip())
        for line in done.stdout.splitlines():
            fields = line.split()
            if len(fields) > 1 and fields[1] in "TtWwVvi":
                # Of functions built on demand, the name in the source.
                name = fields[0].split("@")[0]
                names.add(re.sub(r"\.(pagetide|plain)$", "", name))
    if not names:
        raise Failure("no symbols in " + ", ".join(programs) +
                      "; give files that are not stripped")
    return sorted(names)


class Bisection:
    def __init__(self, args, functions, directory):
        self.args = args
        self.functions = functions
        self.directory = directory
        self.builds = 0

    def run(self, what, command, marks_in):
        """The exit status; what the command prints is kept beside the list."""
        log = marks_in.with_suffix("." + what)
        with open(log, "w", encoding="utf-8") as output:
            return subprocess.run(
                command, shell=True, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, check=False,
                env=dict(os.environ, PAGETIDE_MARKS_IN=str(marks_in)),
            ).returncode, log

    def is_right(self, inline):
        """Builds with inline marks in the functions given, and checks."""
        self.builds += 1
        marks_in = self.directory / f"{self.builds:03}.functions"
        calls = [name for name in self.functions if name not in inline]
        marks_in.write_text("".join(name + "\n" for name in calls),
                            encoding="utf-8")
        status, log = self.run("build", self.args.build, marks_in)
        if status != 0:
            raise Failure(f"the build command ends with status {status}:\n"
                          + log.read_text(errors="replace")[-2000:])
        status, _ = self.run("check", self.args.check, marks_in)
        print(f"build {self.builds}: inline marks in {len(inline)} of "
              f"{len(self.functions)} functions: "
              + ("right" if status == 0 else "wrong"), flush=True)
        return status == 0

    def smallest(self):
        """A smallest set of functions: the check fails while all of them have
        inline marks, and passes if any of them does not (Zeller's ddmin)."""
        if not self.is_right(set()):
            raise Failure("the check fails even with calls everywhere: either "
                          "the fault is not in where marks are put, or these "
                          "programs do not hold all functions (--functions)")
        left = list(self.functions)
        if self.is_right(set(left)):
            raise Failure("the check passes with inline marks everywhere: "
                          "there is no difference to be found")
        parts = 2
        while len(left) > 1:
            size = -(-len(left) // parts)
            cuts = [left[i:i + size] for i in range(0, len(left), size)]
            tried = [(cut, 2) for cut in cuts]
            if len(cuts) > 2:
                tried += [([f for f in left if f not in set(cut)],
                           max(2, len(cuts) - 1)) for cut in cuts]
            for some, next_parts in tried:
                if not self.is_right(set(some)):
                    left, parts = some, next_parts
                    break
            else:
                if parts >= len(left):
                    break
                parts = min(len(left), 2 * parts)
        return left


def main():
    args = arguments()
    try:
        functions = functions_of(args.functions)
        if args.keep:
            args.keep.mkdir(parents=True, exist_ok=True)
            found = Bisection(args, functions, args.keep.resolve()).smallest()
        else:
            with tempfile.TemporaryDirectory(prefix="bisect_marks.") as scratch:
                found = Bisection(args, functions,
                                  pathlib.Path(scratch)).smallest()
    except (Failure, OSError) as failure:
        print(f"bisect_marks.py: error: {failure}", file=sys.stderr)
        return 1
    print("the check fails while these have inline marks: " + ", ".join(found))
    print("to see the accesses: build with -fpagetide-marks=check and run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
