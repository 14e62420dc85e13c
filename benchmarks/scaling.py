#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how Pagetide's cost grows: with threads, with the pages that are
touched and those that ever were, with what is hashed, and how large traces
become. README.md beside this file says how to read the tables.

Exit status: 0; 1 if a run was void (it did not record what it should have);
2 if nothing could be measured.
"""

import argparse
import csv
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import plot
import report
from failure import Failure
from run import BUSY_LOAD, read_records, say
from toolchain import ROOT, Toolchain, describe

HERE = pathlib.Path(__file__).absolute().parent
BEGIN = "<!-- scaling: begin (written by benchmarks/scaling.py --doc) -->"
END = "<!-- scaling: end -->"
TIME_LIMIT_S = 300

PAGE = 4096
MIB = 2**20
SHAPES = ("dense", "scattered", "random", "moving")
# Touched application memory: 1 MiB to 40 GiB.
SIZES = tuple(MIB * n // PAGE for n in (1, 10, 100, 1024, 10240, 40960))
SPAN = SIZES[-1]
# Periods after which the recorder has left alone what is idle (twice the runtime's
# option idle_after, and some). With periods of 1 s that is not waited for.
LEFT_ALONE = 40

# Cuts: four threads write some 1,500 pages a period. A step is that of write.c.
CUT_THREADS = 4
CUT_LOADS = (
    # name, period in ms, milliseconds a step, pages, rounds of work, pause in us
    ("threads that wait", 100, 1.3, 5, 0, 1250),
    ("threads that wait", 500, 1.3, 1, 0, 1250),
    ("threads that compute", 100, 5, 9, 1500000, 0),
    ("threads that compute", 500, 5, 2, 1500000, 0),
)
# Of what is compared with: the same period, without checksums.
CUT_OPTIONS = ("--checksum", "written", "--unstable", "cut")

# Per size of the benchmark: `cut_s` is how long a run of cuts takes. `seconds` and `periods` bound each run, `rounds`
# are pairs of runs, `steps` the work of a thread, `micro` seconds of each
# micro-benchmark.
SCALES = {
    "smoke": {
        "sizes": (256, 25600),
        "live": (2, 16),
        "hashed": (256,),
        "seconds": 0.02,
        "periods": 20,
        "rounds": 1,
        "steps": 100000,
        "micro": 0.0001,
        "cut_s": 0.5,
        "cut_rounds": 1,
        "cut_loads": 1,
    },
    "quick": {
        "sizes": SIZES[::2] + SIZES[-1:],
        "live": (2, 16, 128, 512),
        "hashed": (256, 25600),
        "seconds": 0.5,
        "periods": 50,
        "rounds": 3,
        "steps": 20000000,
        "micro": 0.02,
        "cut_s": 5,
        "cut_rounds": 3,
        "cut_loads": len(CUT_LOADS),
    },
    "full": {
        "sizes": SIZES,
        "live": (2, 16, 128, 512),
        "hashed": (256, 2560, 25600, 131072),
        "seconds": 2.0,
        "periods": 200,
        "rounds": 9,
        "steps": 40000000,
        "micro": 0.2,
        "cut_s": 8,
        "cut_rounds": 15,
        "cut_loads": len(CUT_LOADS),
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

    def _build(self, name, *flags):
        out = self.directory / (name + "".join(flags))
        command = [self.toolchain.clang, "-O2", *flags, "-I", ROOT / "include"]
        command += [HERE / "scaling" / (name + ".c"), "-o", out]
        self._run(command, {})
        return out

    def _run(self, command, options):
        try:
            done = subprocess.run(
                [str(word) for word in command],
                cwd=self.directory,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"} | options,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=TIME_LIMIT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise Failure(
                "'%s' ran for more than %d s and was ended"
                % (" ".join(map(str, command)), TIME_LIMIT_S)
            ) from error
        if done.returncode != 0:
            raise Failure(
                "'%s' failed with status %d: %s"
                % (
                    " ".join(map(str, command)),
                    done.returncode,
                    done.stderr.strip()[:400],
                )
            )
        return done

    def share(self, build, kind, threads, steps, trace=None):
        """Processor and wall time of threads that work, and what they computed.
        With `trace` they are recorded."""
        options = {}
        if trace:
            options["PAGETIDE_OPTIONS"] = (
                "trace_path='%s':period=10ms:checksum=none" % trace
            )
        start = time.monotonic()
        done = self._run(
            [self.share_programs[build], kind, str(threads), str(steps)], options
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
        done = self._run([self.touch_program, *words], {})
        result = json.loads(done.stdout)
        if trace:
            result["trace"] = self._inspect(path, options)
        return result

    def write(self, words, period_ms, *options):
        """Runs write.c under `pagetide record`. Processor seconds, its own and the
        recorder's, and a row for each period but the last."""
        path = self.directory / "write.ptrace"
        pagetide = self.toolchain.pagetide
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._run(
            [pagetide, "record", "--period", "%dms" % period_ms, *options,
             "--output", path, "--", self.write_program, *words],
            {},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        table = self._run(
            [pagetide, "export", "--format", "csv", "--what", "periods", path],
            {},
        )
        path.unlink()
        rows = list(csv.DictReader(table.stdout.splitlines()))
        seconds = (after.ru_utime - before.ru_utime
                   + after.ru_stime - before.ru_stime)
        return seconds, [row for row in rows if row["final"] == "0"]

    def _inspect(self, path, options):
        done = self._run(
            [self.toolchain.pagetide, "report", "--json", path], {}
        )
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


def measure_cuts(bench, scale):
    """Pairs of recordings without checksums, and with those of a cut."""
    loads = CUT_LOADS[: scale["cut_loads"]]
    for name, period_ms, step_ms, *words in loads:
        steps = round(scale["cut_s"] * 1000 / step_ms)
        words = [str(n) for n in (CUT_THREADS, steps, *words)]
        for round_number in range(scale["cut_rounds"]):
            sides = [(), CUT_OPTIONS]
            if round_number % 2:
                sides.reverse()
            record = {
                "record": "cut",
                "options": {"load": name, "period_ms": period_ms},
                "void": None,
            }
            for options in sides:
                seconds, periods = bench.write(words, period_ms, *options)
                if not options:
                    record["plain_s"] = seconds
                    continue
                record["cut_s"] = seconds
                # Those in which all memory is written first are another thing.
                periods = [row for row in periods
                           if int(row["written"] or 0) < 10000]
                record["periods"] = [
                    {
                        "pages": int(row["written"]),
                        "pause_ns": int(row["cut_pause_ns"] or 0),
                        "cut": row["cut_ns"] != "",
                        "why_not": row["no_cut"],
                        "stable": int(row["stable"]),
                        "without": int(row["unstable"]) + int(row["gone"])
                        + int(row["unreadable"]),
                    }
                    for row in periods
                ]
            yield record


def measure_micro(bench, scale):
    """The snapshot alone, by the micro-benchmarks."""
    program = bench.toolchain.directory / "bin" / "pagetide-micro-runtime"
    if not program.exists():
        raise Failure(
            "%s is not there: build it (ninja -C %s pagetide-micro)"
            % (program, bench.toolchain.directory)
        )
    # The library says on standard error how it was built.
    done = bench._run(
        [
            program,
            "--benchmark_filter=^(snapshot/rw/read_and_written|idle|checksum|"
            "memcpy)/",
            "--benchmark_format=json",
            "--benchmark_min_time=%g" % scale["micro"],
        ],
        {},
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
    "trace": measure_traces,
    "cut": measure_cuts,
}


#===- Tables and curves ----------------------------------------------------===#


def _of(records, kind):
    return [r for r in records if r["record"] == kind and not r["void"]]


def _us(nanoseconds):
    return "%.1f" % (nanoseconds / 1e3)


def _size(pages):
    mib = pages * PAGE / MIB
    return "%g GiB" % (mib / 1024) if mib >= 1024 else "%g MiB" % mib


def threads_table(records):
    rows = []
    groups = {}
    for r in _of(records, "threads"):
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
    for r in _of(records, section):
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
    for r in _of(records, "micro"):
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
    for r in _of(records, "checksum"):
        options = r["options"]
        key = options["pages"], options["shape"]
        runs.setdefault(key, {})[options["checksum"]] = r["result"]["end_ns"][1]
    rows = []
    for (pages, shape), by_checksum in runs.items():
        if len(by_checksum) < 2:
            continue
        hashing = by_checksum[1] - by_checksum[0]
        rate = pages * PAGE / hashing if hashing > 0 else 0 # bytes a ns: GB/s
        rows.append(
            [
                "%s %s" % (_size(pages), SHAPES[shape]),
                _us(by_checksum[0]),
                _us(by_checksum[1]),
                "%.2f" % rate if rate else report.NOTHING,
            ]
        )
    header = ["written", "end us", "with checksums", "hashed GB/s"]
    return report.table(header, rows)


def live_table(records):
    rows = {}
    for r in _of(records, "live"):
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
    for r in _of(records, "trace"):
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


def cut_table(records):
    groups = {}
    for r in _of(records, "cut"):
        key = r["options"]["load"], r["options"]["period_ms"]
        groups.setdefault(key, []).append(r)
    rows = []
    for (load, period_ms), runs in groups.items():
        periods = [p for r in runs for p in r["periods"]]
        pauses = sorted(p["pause_ns"] for p in periods if p["cut"])
        if not pauses:
            continue
        without = sum(p["without"] for p in periods)
        hashed = without + sum(p["stable"] for p in periods)
        ratios = [r["cut_s"] / r["plain_s"] for r in runs]
        rows.append(
            [
                "%s, %d ms" % (load, period_ms),
                "%d" % statistics.median(p["pages"] for p in periods),
                str(len(periods)),
                str(len(pauses)),
                "%.2f / %.2f / %.2f" % tuple(
                    pauses[min(len(pauses) - 1, int(len(pauses) * part))] / 1e6
                    for part in (0.5, 0.99, 1)
                ),
                "%.2f%%" % (100 * without / max(hashed, 1)),
                "%.3f (%.3f..%.3f)"
                % (statistics.median(ratios), min(ratios), max(ratios)),
            ]
        )
    reasons = {}
    for r in _of(records, "cut"):
        for period in r["periods"]:
            if period["why_not"]:
                reasons[period["why_not"]] = (
                    reasons.get(period["why_not"], 0) + 1
                )
    header = ["load", "pages", "periods", "with a cut",
              "pause ms: median / 99% / most", "checksums without a value",
              "cpu over no checksums"]
    text = report.table(header, rows)
    for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
        text += "\n\nNo cut in %d: %s." % (count, reason)
    return text


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
    for r in _of(records, "micro"):
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
        if series:
            drawn[name] = plot.curves(
                title, "pages of 4 KiB", "microseconds", series
            )
    return drawn


def render(records, links=""):
    session = records[0]
    parts = [report.head(session)]
    titles = (
        ("threads", "Marked over native with 1 and 2 threads, processor time",
         threads_table),
        ("touched", "The end of a period, by pages touched in it",
         lambda r: pages_table(r, "touched")),
        ("mapped", "The same with 100 pages a period, by pages ever touched",
         lambda r: pages_table(r, "mapped")),
        ("micro", "The snapshot alone, and hashing", micro_table),
        ("checksum", "Checksums within a period's end", checksum_table),
        ("live", "Live threads, each with 8 pages a period", live_table),
        ("trace", "Size of the trace", trace_table),
        ("cut", "Cuts: 1 GiB, four threads, checksums of written pages",
         cut_table),
    )
    for kind, title, make in titles:
        if any(r["record"] == kind for r in records):
            parts += ["### " + title, make(records)]
    if links:
        parts.append(links)
    voids = [r for r in records if r.get("void")]
    if voids:
        parts.append("### Void in scaling")
        parts.append(
            "\n".join(
                "- %s %s: %s"
                % (
                    r["record"],
                    r.get("options") or r.get("name") or r.get("kind"),
                    r["void"],
                )
                for r in voids
            )
        )
    failures = [r for r in records if r["record"] == "failure"]
    if failures:
        parts.append("### Failed in scaling")
        parts.append(
            "\n".join("- %s: %s" % (r["section"], r["what"]) for r in failures)
        )
    return "\n\n".join(parts) + "\n"


#===- Command --------------------------------------------------------------===#


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: benchmarks/scaling.py --quick --sections threads,live",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick",
        dest="size",
        action="store_const",
        const="quick",
        help="fewer sizes and rounds: within a minute",
    )
    size.add_argument(
        "--smoke",
        dest="size",
        action="store_const",
        const="smoke",
        help="shows that everything works, measures nothing",
    )
    parser.add_argument(
        "--sections",
        metavar="A,B",
        help="only these: " + ", ".join(SECTIONS),
    )
    parser.add_argument(
        "--json",
        metavar="OUT",
        help="where the records go, one JSON object a line, and the curves "
        "beside them [below --build: benchmarks/scaling.jsonl]",
    )
    parser.add_argument(
        "--build",
        metavar="DIR",
        default=os.environ.get("PAGETIDE_BUILD", ROOT / "build"),
        help="the build of Pagetide to measure [$PAGETIDE_BUILD, or else build]",
    )
    parser.add_argument(
        "--from",
        dest="records",
        metavar="FILE",
        help="run nothing; print the tables of an earlier --json file",
    )
    parser.add_argument(
        "--doc",
        metavar="PLACE",
        help="put the tables into this document, or into that of the "
        "directory's documents which has their place, such as "
        "docs/measurements; the curves go into plots/ beside it",
    )
    options = parser.parse_args(arguments)
    options.size = options.size or "full"
    return options


def measure(options):
    """The records, as they come."""
    names = options.sections.split(",") if options.sections else SECTIONS
    for name in names:
        if name not in SECTIONS:
            raise Failure(
                "'%s' is no section; there are: %s" % (name, ", ".join(SECTIONS))
            )
    toolchain = Toolchain(options.build)
    machine = describe(toolchain)
    scale = SCALES[options.size]
    if machine["load"] > BUSY_LOAD and options.size != "smoke":
        say("warning: the machine is busy (load %.1f)" % machine["load"])
    yield {
        "record": "session",
        "machine": machine,
        "size": options.size,
        "rounds": scale["rounds"],
    }
    with tempfile.TemporaryDirectory(prefix="pagetide-scaling-") as scratch:
        bench = Bench(toolchain, scratch)
        for name in names:
            start = time.monotonic()
            say("%s" % name)
            try:
                for record in SECTIONS[name](bench, scale):
                    if record["void"]:
                        say("  VOID: %s" % record)
                    yield record
            except Failure as failure:
                say("  FAILED: %s" % failure)
                yield {
                    "record": "failure",
                    "section": name,
                    "what": str(failure),
                    "void": None,
                }
            say("  done in %.1f s" % (time.monotonic() - start))


def run(options, path):
    records = []
    for record in measure(options):
        if not records:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("", encoding="utf-8")
        records.append(record)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
    say("records: %s" % path)
    for name, text in make_curves(records).items():
        path.with_name(name + ".svg").write_text(text, encoding="utf-8")
    return records


def main(arguments):
    options = parse_arguments(arguments)
    try:
        if options.records:
            records = read_records(options.records)
            if not records or records[0].get("record") != "session":
                raise Failure("there is no session record in %s" % options.records)
        else:
            default = pathlib.Path(options.build) / "benchmarks/scaling.jsonl"
            records = run(options, pathlib.Path(options.json or default))
        print(render(records), end="")
        if options.doc:
            document = report.document_with(options.doc, BEGIN, END)
            drawn = make_curves(records)
            links = "\n".join("![](plots/%s.svg)" % name for name in drawn)
            report.insert_into(document, render(records, links), BEGIN, END)
            plots = document.with_name("plots")
            plots.mkdir(exist_ok=True)
            for name, text in drawn.items():
                (plots / (name + ".svg")).write_text(text, encoding="utf-8")
    except Failure as failure:
        print("error: %s" % failure, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    bad = any(r.get("void") or r["record"] == "failure" for r in records)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
