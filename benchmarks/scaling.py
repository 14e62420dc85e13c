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
import statistics
import sys
import time

import commands
import crowd
import cuts
import plots
import report
import sections
from failure import Failure
from sections import Table, of_kind
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
# pairs of runs, `steps` the work of a thread, `micro` seconds of each
# micro-benchmark. `cut_s` is how long a run of cuts takes.
SCALES = {
    "smoke": {
        "sizes": (256, 25600),
        "live": (2, 16),
        "crowd": (2, 100),
        "crowd_steps": 100000,
        "hashed": (256,),
        "seconds": 0.02,
        "periods": 20,
        "rounds": 1,
        "steps": 100000,
        "micro": 0.0001,
        "cut_s": 0.5,
        "cut_rounds": 1,
        "cut_loads": 1,
        "cut_programs": (cuts.SERVER,),
        "cut_periods_ms": (10,),
        "cut_requests": 2000,
    },
    "quick": {
        "sizes": SIZES[::2] + SIZES[-1:],
        "live": (2, 16, 128, 512),
        "crowd": (crowd.ALONE, 256, 1024),
        "crowd_steps": 20000000,
        "hashed": (256, FEW, 25600),
        "seconds": 0.5,
        "periods": 50,
        "rounds": 3,
        "steps": 20000000,
        "micro": 0.02,
        "cut_s": 5,
        "cut_rounds": 3,
        "cut_loads": len(cuts.LOADS),
        "cut_programs": cuts.PROGRAMS,
        "cut_periods_ms": (100, 500),
        "cut_requests": 60000,
    },
    "full": {
        "sizes": SIZES,
        "live": (2, 16, 128, 512),
        "crowd": (crowd.ALONE, 256, 1024, 10000),
        "crowd_steps": 100000000,
        "hashed": (256, FEW, 2560, 25600, 131072),
        "seconds": 2.0,
        "periods": 200,
        "rounds": 9,
        "steps": 40000000,
        "micro": 0.2,
        "cut_s": 8,
        "cut_rounds": 15,
        "cut_loads": len(cuts.LOADS),
        "cut_programs": cuts.PROGRAMS,
        "cut_periods_ms": (100, 500),
        "cut_requests": 60000,
    },
}


class Void(Exception):
    """A run that did not do what it should have."""


#===- Runs -----------------------------------------------------------------===#


class Bench:
    """The programs of scaling/, built with one toolchain."""

    def __init__(self, toolchain, directory):
        self.toolchain = toolchain
        self.directory = pathlib.Path(directory)
        self.touch_program = self._build("touch", "-fpagetide-layout=rw")
        self.write_program = self._build("write")
        self.share_programs = {
            "native": self._build("share", "-fno-pagetide"),
            "rw": self._build("share", "-fpagetide-layout=rw"),
        }
        self.crowd_programs = {
            "native": self._build("crowd", "-fno-pagetide"),
            "rw": self._build("crowd", "-fpagetide-layout=rw"),
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

    def share(self, build, kind, threads, steps, trace=None):
        """Processor and wall time of threads that work, and what they computed.
        With `trace` they are recorded."""
        settings = {}
        if trace:
            settings["PAGETIDE_OPTIONS"] = (
                "trace_path='%s':period=10ms:checksum=none" % trace
            )
        start = time.monotonic()
        done = self.run(
            [self.share_programs[build], kind, threads, steps], **settings
        )
        wall = time.monotonic() - start
        return {"cpu_s": int(done.stderr) / 1e9, "wall_s": wall}, done.stdout

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
            raise Void("the trace is %s" % facts["integrity"])
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
            raise Void(
                "a period has %d pages instead of %d"
                % (summary["pages"], wanted)
            )
        return summary


def measure_threads(bench, scale):
    """Pairs of native and marked runs, by kind of sharing and threads."""
    cpus = len(os.sched_getaffinity(0))
    counts = [n for n in (1, 2) if n <= cpus]
    if len(counts) < 2:
        raise Failure(
            "this process may use one processor only: what two threads do to "
            "each other cannot be seen"
        )
    trace = bench.directory / "share.ptrace"
    for round_number in range(scale["rounds"]):
        for kind in ("private", "neighbouring", "shared"):
            for threads in counts:
                for variant in ("rw", "rw-10ms"):
                    sides = ["native", variant]
                    if round_number % 2:
                        sides.reverse()
                    record = {
                        "record": "threads",
                        "kind": kind,
                        "threads": threads,
                        "variant": variant,
                        "round": round_number,
                        "void": None,
                    }
                    outputs = set()
                    for side in sides:
                        result, output = bench.share(
                            side.partition("-")[0],
                            kind,
                            threads,
                            scale["steps"],
                            trace if side == "rw-10ms" else None,
                        )
                        outputs.add(output)
                        record["native" if side == "native" else "measured"] = (
                            result
                        )
                    if len(outputs) != 1:
                        record["void"] = "another output than native"
                    if variant == "rw-10ms":
                        if not trace.exists():
                            record["void"] = "nothing was recorded"
                        trace.unlink(missing_ok=True)
                    yield record


def one_run(bench, section, trace, **options):
    """A record of one run of touch.c."""
    record = {"record": section, "options": options, "void": None}
    try:
        record["result"] = bench.touch(trace, **options)
    except Void as void:
        record["void"] = str(void)
    return record


def periods_of(scale, pages):
    """How many periods of that many pages a run has: fewer where they take
    long."""
    return max(3, min(scale["periods"], int(2e6 / max(pages, 1))))


def measure_pages(bench, scale):
    """The end of periods against pages touched, and against pages mapped."""
    for pages in scale["sizes"]:
        for shape in (0, 1):
            if shape and pages * 4 > SPAN:
                continue  # not scattered any more
            yield one_run(
                bench, "touched", True, pages=pages, shape=shape, span=SPAN,
                periods=periods_of(scale, pages),
            )
            for period_us in (1000, 1000000):
                periods = max(3, round(scale["seconds"] * 1e6 / period_us))
                if scale["seconds"] < 0.1 and period_us > 1000:
                    continue  # smoke
                yield one_run(
                    bench, "touched", True, pages=pages, shape=shape, span=SPAN,
                    periods=periods, period_us=period_us,
                )
        yield one_run(
            bench, "mapped", True, pages=100, mapped=pages, span=SPAN,
            before=LEFT_ALONE, periods=periods_of(scale, pages / 100),
        )
        for period_us in (1000, 1000000):
            periods = max(3, round(scale["seconds"] * 1e6 / period_us))
            if scale["seconds"] < 0.1 and period_us > 1000:
                continue
            yield one_run(
                bench, "mapped", True, pages=100, mapped=pages, span=SPAN,
                # The first ones take longer than 1 ms, up to that a GiB.
                before=LEFT_ALONE * max(1, pages * PAGE >> 30)
                if period_us == 1000 else 0,
                periods=periods, period_us=period_us,
            )


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


def measure_live(bench, scale):
    for threads in scale["live"]:
        for per_thread in (0, 1):
            yield one_run(
                bench, "live", False, pages=8, span=8 * threads,
                threads=threads, per_thread=per_thread,
                periods=scale["periods"],
            )


def measure_traces(bench, scale):
    for pages in (100, 10000):
        for shape in range(len(SHAPES)):
            yield one_run(
                bench, "trace", True, pages=pages, shape=shape, span=SPAN,
                periods=scale["periods"],
            )


def measure_micro(bench, scale):
    """The snapshot alone, by the micro-benchmarks."""
    program = bench.toolchain.directory / "bin" / "pagetide-micro-runtime"
    if not program.exists():
        raise Failure(
            "%s is not there: build it (ninja -C %s pagetide-micro)"
            % (program, bench.toolchain.directory)
        )
    # The library says on standard error how it was built.
    done = bench.run(
        [
            program,
            "--benchmark_filter=^(snapshot/rw/read_and_written|idle|checksum|"
            "memcpy)/",
            "--benchmark_format=json",
            "--benchmark_min_time=%g" % scale["micro"],
        ]
    )
    for run in json.loads(done.stdout)["benchmarks"]:
        yield {
            "record": "micro",
            "name": run["name"].removesuffix("/manual_time"),
            "us": run["real_time"],
            "bytes_per_second": run.get("bytes_per_second"),
            "void": run.get("error_message"),
        }


SECTIONS = {
    "threads": measure_threads,
    "micro": measure_micro,
    "pages": measure_pages,
    "checksum": measure_checksums,
    "live": measure_live,
    "crowd": crowd.measure,
    "trace": measure_traces,
    "cut": cuts.measure,
    "cut-programs": cuts.measure_programs,
}


#===- Tables and curves ----------------------------------------------------===#


def _us(nanoseconds):
    return "%.1f" % (nanoseconds / 1e3)


def _size(pages):
    mib = pages * PAGE / MIB
    return "%g GiB" % (mib / 1024) if mib >= 1024 else "%.3g MiB" % mib


def threads_table(records):
    rows = []
    groups = {}
    for r in of_kind(records, "threads"):
        key = r["kind"], r["variant"]
        ratio = r["measured"]["cpu_s"] / r["native"]["cpu_s"]
        groups.setdefault(key, {}).setdefault(r["threads"], []).append(ratio)
    for (kind, variant), by_threads in groups.items():
        medians = {n: statistics.median(v) for n, v in by_threads.items()}
        cells = [
            "%.3f (%.3f..%.3f)"
            % (medians[n], min(by_threads[n]), max(by_threads[n]))
            if n in medians
            else report.NOTHING
            for n in (1, 2)
        ]
        growth = report.NOTHING
        if 1 in medians and 2 in medians:
            growth = "%.3f" % (medians[2] / medians[1])
        rows.append(["%s %s" % (kind, variant), *cells, growth])
    return report.table(["pages", "1 thread", "2 threads", "2 over 1"], rows)


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
            "writer_ns": result["writer_ns"] / periods,
            "pages": result["trace"]["pages"],
            "overruns": result["trace"]["overruns"] / periods,
        }
    return groups


def pages_table(records, section):
    rows = []
    for (shape, size), by_period in pages_rows(records, section).items():
        title = "%s %s" % (_size(size), shape)
        if section == "mapped":
            title = _size(size)
        row = [title, str(size)]
        driven = by_period.get(0)
        row += (
            [_us(driven["end_ns"]), _us(driven["recorder_ns"])]
            if driven
            else [report.NOTHING] * 2
        )
        for period_us in (1000, 1000000):
            run = by_period.get(period_us)
            row += (
                [str(int(run["pages"])), _us(run["recorder_ns"])]
                if run
                else [report.NOTHING] * 2
            )
        rows.append(row)
    header = [
        "touched" if section == "touched" else "ever touched", "pages",
        "end us", "recorder us",
        "pages at 1 ms", "recorder us", "pages at 1 s", "recorder us",
    ]
    return report.table(header, rows)


def micro_table(records):
    rows = []
    for r in of_kind(records, "micro"):
        rate = r["bytes_per_second"]
        rows.append(
            [
                r["name"],
                "%.2f" % r["us"],
                "%.1f" % (rate / 1e9) if rate else report.NOTHING,
            ]
        )
    return report.table(["micro-benchmark", "us", "GB/s"], rows)


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
                "%.2f" % rate if rate else report.NOTHING,
            ]
        )
    header = [
        "written", "pages", "end us", "with checksums", "recorder us",
        "with checksums", "hashed GB/s",
    ]
    return report.table(header, rows)


def live_table(records):
    rows = {}
    for r in of_kind(records, "live"):
        options, result = r["options"], r["result"]
        row = rows.setdefault(options["threads"], [str(options["threads"])])
        row += [
            _us(result["end_ns"][1]),
            _us(result["recorder_ns"] / options["periods"]),
        ]
    header = ["threads", "end us", "recorder us", "by thread: end us",
              "recorder us"]
    return report.table(header, [r for r in rows.values() if len(r) == 5])


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
    return report.table(header, rows)


def make_curves(records):
    """SVG texts by name, of what was measured."""
    ends, cpu, micro = {}, {}, {}
    for (shape, size), by_period in pages_rows(records, "touched").items():
        for period_us, run in by_period.items():
            x = size if not period_us else run["pages"]
            name = {0: "ended by the program", 1000: "1 ms", 1000000: "1 s"}
            cpu.setdefault("%s, %s" % (shape, name[period_us]), []).append(
                (x, run["recorder_ns"] / 1e3)
            )
            if not period_us:
                ends.setdefault("touched, " + shape, []).append(
                    (size, run["end_ns"] / 1e3)
                )
    for (_, size), by_period in pages_rows(records, "mapped").items():
        if 0 in by_period:
            ends.setdefault("ever touched", []).append(
                (size, by_period[0]["end_ns"] / 1e3)
            )
        for period_us, name in ((1000, "1 ms"), (1000000, "1 s")):
            if period_us in by_period:
                cpu.setdefault("ever touched, " + name, []).append(
                    (size, by_period[period_us]["recorder_ns"] / 1e3)
                )
    for r in of_kind(records, "micro"):
        parts = r["name"].split("/")
        if parts[0] in ("snapshot", "idle") and parts[-1].isdigit():
            name = "idle" if parts[0] == "idle" else "snapshot"
            micro.setdefault("%s, %s" % (name, parts[-2]), []).append(
                (int(parts[-1]), r["us"])
            )
    drawn = {}
    for name, title, series in (
        ("scaling-end", "The end of a period", ends),
        ("scaling-recorder", "Recorder's processor time a period", cpu),
        ("scaling-snapshot", "The snapshot alone", micro),
    ):
        # A run on a busy machine may have no time to show: no logarithm has it.
        series = {
            line: shown
            for line, points in series.items()
            if (shown := [point for point in points if min(point) > 0])
        }
        if series:
            drawn[name] = plots.curves(
                title, "pages of 4 KiB", "microseconds", series
            )
    return drawn


DOCUMENTS = (
    sections.Document(
        "scaling",
        "rounds",
        (
            Table("threads",
                  "Marked over native with 1 and 2 threads, processor time",
                  threads_table),
            Table("touched", "The end of a period, by pages touched in it",
                  lambda r: pages_table(r, "touched")),
            Table("mapped",
                  "The same with 100 pages a period, by pages ever touched",
                  lambda r: pages_table(r, "mapped")),
            Table("micro", "The snapshot alone, and hashing", micro_table),
            Table("checksum", "Checksums within a period's end",
                  checksum_table),
            Table("live", "Live threads, each with 8 pages a period",
                  live_table),
            Table("crowd", "Many threads at once, recorded over native",
                  crowd.table),
            Table("trace", "Size of the trace", trace_table),
        ),
    ),
    sections.Document(
        "cuts",
        "cut_rounds",
        (
            Table("cut",
                  "Cuts: 1 GiB, four threads, checksums of written pages",
                  lambda r: cuts.table(r, "cut")),
            Table("cut-program",
                  "Cuts of programs: checksums of written pages",
                  lambda r: cuts.table(r, "cut-program")),
        ),
    ),
)

BENCHMARK = sections.Benchmark(
    name="scaling",
    help=__doc__,
    example="benchmarks/scaling.py --quick --sections threads,live",
    documents=DOCUMENTS,
    sections=SECTIONS,
    scales=SCALES,
    counts=("rounds", "cut_rounds"),
    bench=Bench,
    options=(sections.PROGRAMS,),
    curves=make_curves,
)


if __name__ == "__main__":
    sys.exit(sections.main(BENCHMARK, sys.argv[1:]))
