#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the unit of page sets and checksums costs, on real programs.

Builds each program once, exact, with granules of 64 bytes, and records it in
units of several sizes (option granularity). A period ends at every Nth call of
libc, so all runs have the same periods. Prints docs/measurements/granularity.md.
"""

import argparse
import csv
import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple

from build import Builder
from commands import processor_seconds, run
from failure import Failure
from programs import PROGRAMS
from run import add_build_option, task_of
from toolchain import Toolchain, describe
from variants import Build

FINE = Build("fine", ("-fpagetide-layout=rw", "-fpagetide-granule=6",
                      "-fpagetide-mode=always"), "rw")
UNITS = (64, 512, 4096, 65536, 2097152)
# A program, and at every how many calls of libc its periods end.
CHOSEN = (("lua", 20000), ("sqlite3", 20000), ("bzip2", 600))


class Recording(NamedTuple):
    trace_bytes: int
    periods: int
    rows: int  # units in sets, of all periods
    written: int  # of these


def size_text(count):
    for shift, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << shift:
            return ("%.1f %s" % (count / (1 << shift), name)).replace(".0 ", " ")
    return "%d B" % count


def seconds_of(command, options, stdin, directory):
    """User and system time of one run, with all its threads."""
    environment = os.environ | {"PAGETIDE_OPTIONS": options}
    before = processor_seconds()
    with open(stdin or os.devnull, "rb") as file:
        run(command, directory, environment, file, subprocess.DEVNULL)
    return processor_seconds() - before


def read_trace(toolchain, trace):
    command = [toolchain.pagetide, "export", "--format", "csv", trace]
    rows = written = 0
    periods = set()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
        for row in csv.DictReader(tool.stdout):
            rows += 1
            written += row["written"] == "1"
            periods.add(row["period"])
    if tool.returncode != 0:
        raise Failure("%s cannot be exported" % trace)
    return Recording(trace.stat().st_size, len(periods), rows, written)


def ways(calls):
    """Options by (unit, whether with checksums); None: not recorded."""
    yield None, ""
    for unit in UNITS:
        common = "period=0:end_period_calls=%d:granularity=%d" % (calls, unit)
        yield (unit, False), common
        yield (unit, True), common + ":checksum=written"


def measured(toolchain, command, calls, stdin, rounds):
    """Of each way the recording and the least processor time of all rounds."""
    recordings, seconds = {}, {}
    for _ in range(rounds):
        for way, options in ways(calls):
            with tempfile.TemporaryDirectory(prefix="pagetide-units-") as place:
                place = pathlib.Path(place)
                if way:
                    options = "trace_path=%s:%s" % (place / "trace", options)
                spent = seconds_of(command, options, stdin, place)
                seconds[way] = min(spent, seconds.get(way, spent))
                if way and way not in recordings:
                    recordings[way] = read_trace(toolchain, place / "trace")
    return recordings, seconds


def rows_of(name, recordings, seconds):
    for unit in UNITS:
        sets, sums = recordings[unit, False], recordings[unit, True]
        yield "| %s | %s | %s | %s | %.2f | %s | %s | %.2f |" % (
            name, size_text(unit), "{:,}".format(sets.rows),
            size_text(sets.trace_bytes), seconds[unit, False] / seconds[None],
            size_text(sums.written * unit), size_text(sums.trace_bytes),
            seconds[unit, True] / seconds[None])


INTRODUCTION = """\
# Measurements: the unit of page sets and checksums

Real programs, built once with exact marks and granules of 64 bytes, and recorded in units of several sizes
([`--granularity`](../using/recording.md#record)). `benchmarks/granularity.py` made this page.

Measured %(date)s by Pagetide of commit %(commit)s, on %(cpus)d processors, %(system)s, Linux %(kernel)s.
Bytes do not depend on the machine. Processor time is of all threads, the least of %(rounds)d runs, over that of the
same program that is not recorded; marks are made in both. Other programs ran meanwhile: only large differences count.
Checksums are of the written units. Periods: %(periods)s.

| program | unit | units in all sets | trace | processor time | bytes of written units | trace, with checksums | processor time, with checksums |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names = [name for name, _ in CHOSEN]
    parser.add_argument("--programs", metavar="A,B",
                        help="only these of " + ", ".join(names))
    parser.add_argument("--size", default="quick", choices=("smoke", "quick"),
                        help="of the inputs [quick]")
    parser.add_argument("--runs", type=int, default=3, help="rounds [3]")
    add_build_option(parser)
    options = parser.parse_args()
    wanted = options.programs.split(",") if options.programs else names
    if not set(wanted) <= set(names):
        parser.error("--programs: there are " + ", ".join(names))
    toolchain = Toolchain(options.build)
    builder = Builder(toolchain, toolchain.directory / "benchmarks")
    lines, periods = [], []
    for name, calls in CHOSEN:
        if name not in wanted:
            continue
        program = PROGRAMS[name]
        task = task_of(program, options.size, builder.cache, None)
        command = [builder.build(program.recipe, FINE).path, *task.arguments]
        recordings, seconds = measured(toolchain, command, calls, task.stdin,
                                       options.runs)
        lines += rows_of(name, recordings, seconds)
        periods.append("%s %d" % (name, recordings[64, False].periods))
    machine = describe(toolchain)
    print(INTRODUCTION % {
        "date": datetime.date.today(), "commit": machine["commit"][:7],
        "cpus": machine["cpus"], "system": machine["system"],
        "kernel": machine["kernel"], "rounds": options.runs,
        "periods": ", ".join(periods)})
    for line in lines:
        print(line)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("granularity.py: %s" % failure)
