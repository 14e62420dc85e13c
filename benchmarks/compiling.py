#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long `pagetide-clang -O2` takes for long functions, beside clang.
Runs are paired; a time is that of the processor, user and system.
README.md beside this file says how to read the table.

Exit status: 0; 1 if a command or a section failed; 2 if nothing could be
measured.
"""

import pathlib
import re
import statistics
import sys

import frame
import sections
from commands import run
from long_functions import SHAPES, source
from reading import timed
from sections import Table, of_kind
from tables import spread, table

# What the wrapper is given beside -O2. Natively it leaves everything out.
WAYS = {
    "native": ("-fno-pagetide",),
    "demand": (),
    "always": ("-fpagetide-mode=always",),
}

# Natively, a time may grow faster than the length. A shape is not made longer
# than what takes `most_s` natively.
SCALES = sections.by_size(
    rounds=(1, 3, 5),
    lines=((20,), (1000, 10000), (1000, 10000, 50000)),
    most_s=(30, 30, 120),
)


class Bench:
    def __init__(self, toolchain, directory):
        self.clang = toolchain.clang
        self.directory = pathlib.Path(directory)

    def compile(self, path, way):
        out = self.directory / (way + ".o")
        return timed([self.clang, "-O2", "-c", path, "-o", out, *WAYS[way]])

    def share_of_pass(self, path):
        """What the pass itself takes, of one compilation on demand."""
        command = [self.clang, "-O2", "-c", path, "-o",
                   self.directory / "timed.o", *WAYS["demand"], "-ftime-report"]
        said = run(command, self.directory).stderr
        # User, system, both and wall-clock time, each with its share.
        row = r"((?:[\d.]+ \([^)]*\) +){2,4})%s"
        def both(name):
            found = re.findall(row % re.escape(name), said)
            return float(re.findall(r"([\d.]+) \(", found[0])[-2])
        return both("pagetide::PagetidePass") / both("Clang front-end timer")


def _rounds(bench, path, rounds):
    """The runs of each way, round by round, and what made one void."""
    runs = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, done in runs.items():
            done.append(bench.compile(path, way))
            if done[-1]["void"]:
                return runs, done[-1]["void"]
    return runs, None


def _measure(bench, scale):
    for shape in SHAPES:
        for lines in scale["lines"]:
            path = bench.directory / "long.c"
            path.write_text(source(shape, lines), encoding="utf-8")
            # A longer one takes at least as much per line.
            first = bench.compile(path, "native")
            if first["user_s"] > scale["most_s"]:
                yield {"record": "compile", "shape": shape, "lines": lines,
                       "void": None, "native_s": [first["user_s"]], "ways": {}}
                break
            runs, void = _rounds(bench, path, scale["rounds"])
            cpu = {way: [r["user_s"] + r["system_s"] for r in done]
                   for way, done in runs.items()}
            yield {
                "record": "compile",
                "shape": shape,
                "lines": lines,
                "void": void,
                "native_s": cpu.pop("native"),
                "ways": cpu,
                "pass_share": None if void else bench.share_of_pass(path),
                "peak_mib": {way: max(r["peak_mib"] for r in done)
                             for way, done in runs.items() if done},
            }


def _ratio(record, way):
    seconds = record["ways"].get(way)
    if not seconds:
        return "not tried"
    return spread([s / n for s, n in zip(seconds, record["native_s"])], "%.2f")


def _share(record):
    share = record.get("pass_share")
    return "" if share is None else "%.0f%%" % (100 * share)


def _table(records):
    rows = [
        [r["shape"], "{:,}".format(r["lines"]),
         "%.2f" % statistics.median(r["native_s"]),
         _ratio(r, "demand"), _ratio(r, "always"), _share(r)]
        for r in of_kind(records, "compile")
    ]
    header = ["shape", "lines", "native s", "on demand", "always", "pass, of on demand"]
    return table(header, rows)


BENCHMARK = sections.Benchmark(
    name="compiling",
    help=__doc__,
    example="benchmarks/compiling.py --quick",
    tables=(sections.Document(
        "compiling", (Table("compile", "Compile time over native", _table),)),),
    sections={"compile": _measure},
    scales=SCALES,
    bench=Bench,
    label=lambda r: "%s of %d lines" % (r["shape"], r["lines"]),
)


if __name__ == "__main__":
    sys.exit(frame.main(BENCHMARK, sys.argv[1:]))
