# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What cuts take: the threads' pauses, checksums without a value, and processor
time over a recording without checksums. Sections of scaling.py."""

import collections
import csv
import statistics

import key_value
from build import Builder
from commands import run
from failure import Failure
from frame import chosen
from measure import Runner, Task, difference
from programs import PROGRAMS as SUITE
from run import task_of
from sections import alternating, grouped
from tables import NOTHING, spread, table
from variants import BUILDS, Variant

# Four threads write some 1,500 pages a period. A step is that of write.c.
THREADS = 4
LOADS = (
    # name, period in ms, milliseconds a step, pages, rounds of work, pause in us
    ("threads that wait", 100, 1.3, 5, 0, 1250),
    ("threads that wait", 500, 1.3, 1, 0, 1250),
    ("threads that compute", 100, 5, 9, 1500000, 0),
    ("threads that compute", 500, 5, 2, 1500000, 0),
)
# Of what is compared with: the same period, without checksums.
OPTIONS = ("--checksum", "written", "--unstable", "cut")

SERVER = "key-value server"
PROGRAMS = ("sqlite3", "lua", "bzip2", "redis", SERVER)
CLIENTS = 4


def exported_periods(pagetide, trace):
    """A row of `export --what periods` for each period but the last, which the
    program's end cut short."""
    table = run(
        [pagetide, "export", "--format", "csv", "--what", "periods", trace],
        trace.parent,
    )
    rows = csv.DictReader(table.stdout.splitlines())
    return [row for row in rows if row["final"] == "0"]


def period_of(row):
    """What such a row says of its cut."""
    return {
        "pages": int(row["written"] or 0),
        "pause_ns": int(row["cut_pause_ns"] or 0),
        "cut": row["cut_ns"] != "",
        "why_not": row["no_cut"],
        "stable": int(row["stable"] or 0),
        "without": int(row["unstable"] or 0) + int(row["unreadable"] or 0),
        # Unmapped when they would have been hashed: there is nothing to hash.
        "gone": int(row["gone"] or 0),
    }


#===- Runs -----------------------------------------------------------------===#


def measure(bench, scale):
    """Pairs of recordings without checksums, and with those of a cut."""
    for name, period_ms, step_ms, *words in LOADS[: scale["cut_loads"]]:
        steps = round(scale["cut_s"] * 1000 / step_ms)
        words = [str(n) for n in (THREADS, steps, *words)]
        for round_number in range(scale["cut_rounds"]):
            record = {
                "record": "cut",
                "options": {"load": name, "period_ms": period_ms},
                "void": None,
            }
            for options in alternating(((), OPTIONS), round_number):
                seconds, periods = bench.write(words, period_ms, *options)
                if not options:
                    record["plain_s"] = seconds
                    continue
                record["cut_s"] = seconds
                # Those in which all memory is written first are another thing.
                record["periods"] = [
                    period_of(row)
                    for row in periods
                    if int(row["written"] or 0) < 10000
                ]
            yield record


class CutRunner(Runner):
    """Keeps what the trace says of each period but the last."""

    def _inspect(self, trace, engine):
        try:
            rows = exported_periods(self.pagetide, trace)
        except Failure as failure:
            self.remove_traces()
            return None, "a trace that cannot be exported: %s" % failure
        summary, fault = super()._inspect(trace, engine)
        if fault is None:
            summary["cuts"] = [period_of(row) for row in rows]
        return summary, fault


def _variants(period_ms):
    """Without checksums, and with those of a cut."""
    return [
        Variant(name, "near", words, "%dms" % period_ms, options=options)
        for name, words, options in (
            ("plain", "no checksums", ""),
            ("cut", "checksums of a cut", "checksum=written:unstable=cut"),
        )
    ]


def _work(bench, name, builder, scale):
    """(executable, task)"""
    if name == SERVER:
        server = key_value.Server(bench.toolchain, bench.directory)
        command = server.client(CLIENTS, scale["cut_requests"])
        return server.marked, Task(server.arguments(), client=command)
    program = SUITE[name]
    size = "quick" if scale["size"] == "smoke" else "full"
    task = task_of(program, size, builder)
    return builder.build(program.recipe, BUILDS["near"]).path, task


def _pair(runner, executable, task, sides):
    """A record of one pair of runs."""
    record = {"record": "cut-program", "void": None}
    results = {}
    for side in sides:
        result, measured, fault = runner.run(executable, task, side)
        results[side.name] = result
        record[side.name + "_s"] = measured["cpu_s"]
        if fault or result.status != 0:
            record["void"] = "%s has %s" % (
                side.name,
                fault or "exit status %d: %s"
                % (result.status, runner.stderr_of_last_run()),
            )
            return record
        if side.name == "cut":
            record["periods"] = measured["trace"]["cuts"]
    if differs := difference(results["cut"], results["plain"]):
        record["void"] = "cut has " + differs.replace("native", "plain")
    return record


def measure_programs(bench, scale):
    """The same pairs, of programs."""
    toolchain = bench.toolchain
    builder = Builder(toolchain, toolchain.directory / "benchmarks")
    runner = CutRunner(builder.launcher(), toolchain, bench.directory)
    names = scale["cut_programs"]
    if scale["programs"]:
        names = chosen(scale["programs"], PROGRAMS, "program")
    for name in names:
        try:
            executable, task = _work(bench, name, builder, scale)
        except Failure as failure:
            yield {
                "record": "cut-program",
                "options": {"load": name},
                "void": str(failure),
            }
            continue
        for period_ms in scale["cut_periods_ms"]:
            for round_number in range(scale["cut_rounds"]):
                sides = alternating(_variants(period_ms), round_number)
                record = _pair(runner, executable, task, sides)
                record["options"] = {"load": name, "period_ms": period_ms}
                yield record


#===- Table ----------------------------------------------------------------===#


def _pauses(periods):
    """In ms: median, 99% and most."""
    pauses = sorted(p["pause_ns"] for p in periods if p["cut"])
    if not pauses:
        return NOTHING
    return "%.2f / %.2f / %.2f" % tuple(
        pauses[min(len(pauses) - 1, int(len(pauses) * part))] / 1e6
        for part in (0.5, 0.99, 1)
    )


def _share(periods, name):
    """The pages with that outcome, of all that were to be hashed."""
    pages = sum(p.get(name, 0) for p in periods)
    all_pages = sum(
        p["stable"] + p["without"] + p.get("gone", 0) for p in periods
    )
    return "%.2f%%" % (100 * pages / max(all_pages, 1))


def table_of(records, kind):
    groups = grouped(
        records, kind,
        lambda r: (r["options"]["load"], r["options"]["period_ms"]))
    rows, reasons = [], collections.Counter()
    for (load, period_ms), runs in groups.items():
        periods = [p for r in runs for p in r["periods"]]
        with_cut = [p for p in periods if p["cut"]]
        reasons.update(
            (load, p["why_not"]) for p in periods if p["why_not"])
        rows.append(
            [
                "%s, %d ms" % (load, period_ms),
                "%d" % statistics.median([p["pages"] for p in periods] or [0]),
                str(len(periods)),
                str(len(with_cut)),
                _pauses(periods),
                _share(periods, "without"),
                _share(with_cut, "without"),
                _share(periods, "gone"),
                spread([r["cut_s"] / r["plain_s"] for r in runs]),
            ]
        )
    header = ["load", "pages", "periods", "with a cut",
              "pause ms: median / 99% / most", "checksums without a value",
              "of those with a cut", "gone",
              "cpu over no checksums"]
    text = table(header, rows)
    for (load, reason), count in reasons.most_common():
        text += "\n\nNo cut in %d of %s: %s." % (count, load, reason)
    return text
