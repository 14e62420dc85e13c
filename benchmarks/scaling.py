#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how Pagetide's cost grows: with threads, with the pages that are
touched and those that ever were, with what is hashed, and how large traces
become. README.md beside this file says how to read the tables.

Exit status: 0; 1 if a run was void (it did not record what it should have);
2 if nothing could be measured.
"""

import json
import os
import pathlib
import sys

import commands
import cuts
import frame
import pauses
import sections
import threads
from failure import Failure
from sections import Table, attempt, of_kind
from tables import NOTHING, table
from toolchain import ROOT

HERE = pathlib.Path(__file__).absolute().parent

PAGE = 4096
MIB = 2**20
SHAPES = ("dense", "scattered", "random", "moving")
# Touched application memory: 1 MiB to 40 GiB.
SIZES = tuple(MIB * n // PAGE for n in (1, 10, 100, 1024, 10240, 40960))
SPAN = SIZES[-1]
# What the programs of the suite write in a period of 10 ms, about.
FEW = 1500
# Periods after which the recorder has left alone what is idle (twice the runtime's
# option idle_after, and some). With periods of 1 s that is not waited for.
LEFT_ALONE = 40

# Per size of the benchmark: `seconds` and `periods` bound each run, `rounds` are
# pairs of runs, `steps` the work of a thread. `cut_s` is how long a run of cuts
# takes.
SCALES = sections.by_size(
    sizes=((256, 25600), SIZES[::2] + SIZES[-1:], SIZES),
    crowd=((2, 100), (threads.ALONE, 256, 1024), (threads.ALONE, 256, 1024, 10000)),
    crowd_steps=(100000, 20000000, 100000000),
    hashed=((256,), (256, FEW, 25600), (256, FEW, 2560, 25600, 131072)),
    seconds=(0.02, 0.5, 2.0),
    periods=(20, 50, 200),
    rounds=(1, 3, 9),
    steps=(100000, 20000000, 40000000),
    cut_s=(0.5, 5, 8),
    cut_rounds=(1, 3, 15),
    cut_loads=(1, len(cuts.LOADS), len(cuts.LOADS)),
    cut_programs=((cuts.SERVER,), cuts.PROGRAMS, cuts.PROGRAMS),
    cut_periods_ms=((10,), (100, 500), (100, 500)),
    cut_requests=(2000, 60000, 60000),
    pause_mib=((64,), (256, 1024), (256, 1024, 8192, 32768)),
    pause_windows=(1, 10, 25),
)


#===- Runs -----------------------------------------------------------------===#


class Bench:
    """The programs of scaling/, built with one toolchain."""

    def __init__(self, toolchain, directory):
        self.toolchain = toolchain
        self.directory = pathlib.Path(directory)
        self.touch_program = self._build("touch", "-fpagetide-layout=rw")
        self.write_program = self._build("write")
        self.pause_program = self._build("pause", "-fno-pagetide")
        self.programs = {
            (name, build): self._build(name, flag)
            for name in ("share", "crowd")
            for build, flag in (("native", "-fno-pagetide"),
                                ("rw", "-fpagetide-layout=rw"))
        }

    def _build(self, name, *flags):
        out = self.directory / (name + "".join(flags))
        command = [self.toolchain.clang, "-O2", *flags, "-I", ROOT / "include"]
        command += [HERE / "scaling" / (name + ".c"), "-o", out]
        self.run(command)
        return out

    def run(self, command, **settings):
        """With these environment variables, and nothing that the user has
        set."""
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"} | settings
        return commands.run(command, self.directory, environment)

    def touch(self, trace, **options):
        """Runs touch.c. With `trace` also what the trace says, and it is void
        unless each period holds the pages that were touched."""
        path = self.directory / "trace.ptrace"
        words = ["%s=%d" % item for item in options.items()]
        if trace:
            words.append("trace=%s" % path)
        done = self.run([self.touch_program, *words])
        result = json.loads(done.stdout)
        if trace:
            result["trace"] = self._inspect(path, options)
        return result

    def write(self, words, period_ms, *options):
        """Runs write.c under `pagetide record`. Processor seconds, its own and the
        recorder's, and a row for each period but the last."""
        path = self.directory / "write.ptrace"
        pagetide = self.toolchain.pagetide
        before = commands.processor_seconds()
        self.run(
            [pagetide, "record", "--period", "%dms" % period_ms, *options,
             "--output", path, "--", self.write_program, *words]
        )
        seconds = commands.processor_seconds() - before
        rows = cuts.exported_periods(pagetide, path)
        path.unlink()
        return seconds, rows

    def _inspect(self, path, options):
        done = self.run([self.toolchain.pagetide, "report", "--json", path])
        path.unlink()
        facts = json.loads(done.stdout)["traces"][0]
        if facts["integrity"] != "complete":
            raise Failure("the trace is %s" % facts["integrity"])
        # What periods hold besides: stack, globals, the program's start.
        slack = 64
        pages = facts["granules"]["accessed"]
        periods = max(facts["periods"]["count"], 1)
        wanted = options["pages"]
        summary = {
            "bytes": facts["bytes"],
            "periods": facts["periods"]["count"],
            "overruns": facts["periods"]["overruns"],
            "pages": pages["median"],
        }
        # Random pages may coincide.
        least = wanted * 0.98
        if options.get("period_us"):
            # A pass may take several periods, or meet their ends.
            mean = round(pages["sum"] / periods)
            summary["pages"] = max(mean, round(pages["median"]))
            enough = pages["sum"] >= least
        else:
            enough = pages["median"] >= least
        if not enough or summary["pages"] > wanted * 1.5 + slack:
            raise Failure(
                "a period has %d pages instead of %d"
                % (summary["pages"], wanted)
            )
        return summary


def one_run(bench, section, trace, **options):
    """A record of one run of touch.c."""
    return attempt({"record": section, "options": options}, bench.touch, trace,
                   **options)


def periods_of(scale, pages):
    """How many periods of that many pages a run has: fewer where they take
    long."""
    return max(3, min(scale["periods"], int(2e6 / max(pages, 1))))


def by_periods(bench, section, scale, work, warm_up, **options):
    """Runs whose periods the program ends, and those of 1 ms and 1 s. `warm_up`
    has how many periods pass first, for each of the three."""
    yield one_run(bench, section, True, **options, before=warm_up[0],
                  periods=periods_of(scale, work))
    for period_us, before in zip((1000, 1000000), warm_up[1:]):
        if scale["seconds"] >= 0.1 or period_us == 1000:  # or else smoke
            yield one_run(
                bench, section, True, **options, before=before,
                period_us=period_us,
                periods=max(3, round(scale["seconds"] * 1e6 / period_us)),
            )


def measure_pages(bench, scale):
    """The end of periods against pages touched, and against pages mapped."""
    for pages in scale["sizes"]:
        for shape in (0, 1):
            if not shape or pages * 4 <= SPAN:  # or else not scattered any more
                yield from by_periods(bench, "touched", scale, pages, (0, 0, 0),
                                      pages=pages, shape=shape, span=SPAN)
        # The first ones take longer than 1 ms, up to that a GiB.
        long_ago = LEFT_ALONE * max(1, pages * PAGE >> 30)
        yield from by_periods(bench, "mapped", scale, pages / 100,
                              (LEFT_ALONE, long_ago, 0), pages=100,
                              mapped=pages, span=SPAN)


def measure_checksums(bench, scale):
    """Each size without checksums and with them: the difference is hashing."""
    for pages in scale["hashed"]:
        for shape in (0, 1):
            for checksum in (0, 1):
                yield one_run(
                    bench, "checksum", False, pages=pages, shape=shape,
                    span=pages * (4 if shape else 1), write=1,
                    checksum=checksum, periods=min(30, periods_of(scale, pages)),
                )


def measure_traces(bench, scale):
    for pages in (100, 10000):
        for shape in range(len(SHAPES)):
            yield one_run(
                bench, "trace", True, pages=pages, shape=shape, span=SPAN,
                periods=scale["periods"],
            )


SECTIONS = {
    "threads": threads.measure,
    "pages": measure_pages,
    "checksum": measure_checksums,
    "crowd": threads.measure_crowd,
    "trace": measure_traces,
    "pause": pauses.measure,
    "cut": cuts.measure,
    "cut-programs": cuts.measure_programs,
}


#===- Tables ---------------------------------------------------------------===#


def _us(nanoseconds):
    return "%.1f" % (nanoseconds / 1e3)


def _size(pages):
    mib = pages * PAGE / MIB
    return "%g GiB" % (mib / 1024) if mib >= 1024 else "%.3g MiB" % mib


def pages_rows(records, section):
    """Runs by size and shape: the end of a period that the program waits for,
    and the recorder's processor time for one, by how they end."""
    groups = {}
    for r in of_kind(records, section):
        options, result = r["options"], r["result"]
        size = options["mapped" if section == "mapped" else "pages"]
        row = groups.setdefault((SHAPES[options.get("shape", 0)], size), {})
        periods = max(result["trace"]["periods"], 1)
        row[options.get("period_us", 0)] = {
            "end_ns": result["end_ns"][1],
            "recorder_ns": result["recorder_ns"] / periods,
            "pages": result["trace"]["pages"],
        }
    return groups


def pages_table(records, section):
    rows = []
    for (shape, size), by_period in pages_rows(records, section).items():
        title = _size(size) + (" " + shape if section == "touched" else "")
        row = [title, str(size)]
        for period_us, first in ((0, lambda run: _us(run["end_ns"])),
                                 (1000, lambda run: str(int(run["pages"]))),
                                 (1000000, lambda run: str(int(run["pages"])))):
            run = by_period.get(period_us)
            row += [first(run), _us(run["recorder_ns"])] if run else [NOTHING] * 2
        rows.append(row)
    header = [
        "touched" if section == "touched" else "ever touched", "pages",
        "end us", "recorder us",
        "pages at 1 ms", "recorder us", "pages at 1 s", "recorder us",
    ]
    return table(header, rows)


def checksum_table(records):
    runs = {}
    for r in of_kind(records, "checksum"):
        options = r["options"]
        key = options["pages"], options["shape"]
        runs.setdefault(key, {})[options["checksum"]] = (
            r["result"]["end_ns"][1],
            r["result"]["recorder_ns"] / options["periods"],
        )
    rows = []
    for (pages, shape), by_checksum in runs.items():
        if len(by_checksum) < 2:
            continue
        plain_end, plain_recorder = by_checksum[0]
        end, recorder = by_checksum[1]
        hashing = end - plain_end
        rate = pages * PAGE / hashing if hashing > 0 else 0 # bytes a ns: GB/s
        rows.append(
            [
                "%s %s" % (_size(pages), SHAPES[shape]),
                str(pages),
                _us(plain_end),
                _us(end),
                _us(plain_recorder),
                _us(recorder),
                "%.2f" % rate if rate else NOTHING,
            ]
        )
    header = [
        "written", "pages", "end us", "with checksums", "recorder us",
        "with checksums", "hashed GB/s",
    ]
    return table(header, rows)


def trace_table(records):
    rows = []
    for r in of_kind(records, "trace"):
        options, trace = r["options"], r["result"]["trace"]
        per_period = trace["bytes"] / max(trace["periods"], 1)
        rows.append(
            [
                "%d %s" % (options["pages"], SHAPES[options["shape"]]),
                "%.0f" % per_period,
                "%.3f" % (per_period / max(trace["pages"], 1)),
                _us(r["result"]["writer_ns"] / max(trace["periods"], 1)),
            ]
        )
    header = ["pages a period", "bytes a period", "bytes a page", "writer us"]
    return table(header, rows)


DOCUMENTS = (
    sections.Document(
        "scaling",
        (
            Table("threads",
                  "Marked over native with 1 and 2 threads, processor time",
                  threads.table_of),
            Table("touched", "The end of a period, by pages touched in it",
                  lambda r: pages_table(r, "touched")),
            Table("mapped",
                  "The same with 100 pages a period, by pages ever touched",
                  lambda r: pages_table(r, "mapped")),
            Table("checksum", "Checksums within a period's end",
                  checksum_table),
            Table("crowd", "Many threads at once, recorded over native",
                  threads.crowd_table),
            Table("trace", "Size of the trace", trace_table),
            Table("pause",
                  "Engines: the longest time that a write takes in 200 ms, in "
                  "us: the median (the most)", pauses.table_of),
        ),
    ),
    sections.Document(
        "cuts",
        (
            Table("cut",
                  "Cuts: 1 GiB, four threads, checksums of written pages",
                  lambda r: cuts.table_of(r, "cut")),
            Table("cut-program",
                  "Cuts of programs: checksums of written pages",
                  lambda r: cuts.table_of(r, "cut-program")),
        ),
        "cut_rounds",
    ),
)

BENCHMARK = sections.Benchmark(
    name="scaling",
    help=__doc__,
    example="benchmarks/scaling.py --quick --sections threads,trace",
    tables=DOCUMENTS,
    sections=SECTIONS,
    scales=SCALES,
    counts=("rounds", "cut_rounds"),
    bench=Bench,
    options=(sections.PROGRAMS,),
)


if __name__ == "__main__":
    sys.exit(frame.main(BENCHMARK, sys.argv[1:]))
