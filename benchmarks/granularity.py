#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the unit of page sets and checksums costs, on real programs.

Builds each program once, exact, with granules of 64 bytes, and records it in
units of several sizes (option granularity). A period ends at every Nth call of
libc, so all runs have the same periods.
"""

import csv
import os
import pathlib
import subprocess
import sys

import frame
import sections
from build import Builder
from commands import processor_seconds, run
from failure import Failure
from frame import chosen
from programs import PROGRAMS
from run import task_of
from sections import Table, of_kind
from tables import table
from variants import Build

FINE = Build("fine", ("-fpagetide-layout=rw", "-fpagetide-granule=6",
                      "-fpagetide-mode=always"), "rw")
UNITS = (64, 512, 4096, 65536, 2097152)
# A program, and at every how many calls of libc its periods end.
CALLS = {"lua": 20000, "sqlite3": 20000, "bzip2": 600}
SCALES = sections.by_size(rounds=(1, 3, 9))


def size_text(count):
    for shift, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << shift:
            return ("%.1f %s" % (count / (1 << shift), name)).replace(".0 ", " ")
    return "%d B" % count


class Bench:
    def __init__(self, toolchain, directory):
        self.pagetide = toolchain.pagetide
        self.builder = Builder(toolchain, toolchain.directory / "benchmarks")
        self.directory = pathlib.Path(directory)

    def seconds_of(self, command, options, stdin):
        """User and system time of one run, with all its threads."""
        environment = os.environ | {"PAGETIDE_OPTIONS": options}
        before = processor_seconds()
        with open(stdin or os.devnull, "rb") as file:
            run(command, self.directory, environment, file, subprocess.DEVNULL)
        return processor_seconds() - before

    def read(self, trace):
        """Units in sets, of all periods, and of these those that are written."""
        command = [self.pagetide, "export", "--format", "csv", trace]
        rows = written = 0
        periods = set()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
            for row in csv.DictReader(tool.stdout):
                rows += 1
                written += row["written"] == "1"
                periods.add(row["period"])
        if tool.returncode != 0:
            raise Failure("%s cannot be exported" % trace)
        size = trace.stat().st_size
        return {"bytes": size, "periods": len(periods), "rows": rows,
                "written": written}


def _recorded(bench, command, stdin, rounds, options):
    """What was recorded, and the least processor time of all rounds."""
    trace = bench.directory / "trace"
    seconds, facts = [], None
    for _ in range(rounds):
        words = "trace_path=%s:%s" % (trace, options) if options else ""
        seconds.append(bench.seconds_of(command, words, stdin))
        if options:
            facts = facts or bench.read(trace)
            trace.unlink()
    return {"cpu_s": min(seconds), "trace": facts}


def measure(bench, scale):
    # Larger inputs would say the same.
    size = "smoke" if scale["size"] == "smoke" else "quick"
    for name in chosen(scale["programs"], CALLS, "program"):
        task = task_of(PROGRAMS[name], size, bench.builder)
        program = bench.builder.build(PROGRAMS[name].recipe, FINE).path
        work = [program, *task.arguments], task.stdin, scale["rounds"]
        native = _recorded(bench, *work, "")
        for unit in UNITS:
            words = "period=0:end_period_calls=%d:granularity=%d" % (
                CALLS[name], unit)
            yield {
                "record": "granularity", "program": name, "unit": unit,
                "void": None, "native_s": native["cpu_s"],
                "sets": _recorded(bench, *work, words),
                "sums": _recorded(bench, *work, words + ":checksum=written"),
            }


def table_of(records):
    rows = [
        [
            "%s, %s" % (r["program"], size_text(r["unit"])),
            "%d" % r["sets"]["trace"]["periods"],
            "{:,}".format(r["sets"]["trace"]["rows"]),
            size_text(r["sets"]["trace"]["bytes"]),
            "%.2f" % (r["sets"]["cpu_s"] / r["native_s"]),
            size_text(r["sums"]["trace"]["written"] * r["unit"]),
            size_text(r["sums"]["trace"]["bytes"]),
            "%.2f" % (r["sums"]["cpu_s"] / r["native_s"]),
        ]
        for r in of_kind(records, "granularity")
    ]
    header = ["program, unit", "periods", "units in all sets", "trace",
              "processor time", "bytes of written units",
              "trace, with checksums", "processor time, with checksums"]
    return table(header, rows)


BENCHMARK = sections.Benchmark(
    name="granularity",
    help=__doc__,
    example="benchmarks/granularity.py --quick --programs lua,bzip2",
    tables=(sections.Document(
        "granularity",
        (Table("granularity", "Units, without checksums and with", table_of),)),),
    sections={"units": measure},
    scales=SCALES,
    bench=Bench,
    options=(sections.PROGRAMS,),
    label=lambda r: "%s in units of %d" % (r["program"], r["unit"]),
)


if __name__ == "__main__":
    sys.exit(frame.main(BENCHMARK, sys.argv[1:]))
