# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables from the records of a run: Markdown that reads well in a terminal."""

import math
import pathlib
import statistics

from failure import Failure
from programs import PROGRAMS
from variants import BUILDS, NATIVE, VARIANTS

BEGIN = "<!-- measured: begin (written by benchmarks/run.py --doc) -->"
END = "<!-- measured: end -->"

NOTHING = "-"


class Measurements:
    """The records, by what they say."""

    def __init__(self, records):
        self.session = next(
            (r for r in records if r["record"] == "session"), None
        )
        if self.session is None:
            raise Failure(
                "there is no session record: this is no file of benchmarks/"
                "run.py, or its first line is missing"
            )
        self.pairs = {}
        self.builds = {}  # by recipe and way
        self.failures = {}  # what failed, by program
        for record in records:
            if record["record"] == "pair":
                key = record["program"], record["variant"]
                self.pairs.setdefault(key, []).append(record)
            elif record["record"] == "build":
                self.builds[record["recipe"], record["build"]] = record
            elif record["record"] == "failure":
                self.failures[record["program"]] = record["what"]

    def programs(self, *kinds):
        measured = {program for program, _ in self.pairs} | set(self.failures)
        return [
            p.name
            for p in PROGRAMS.values()
            if p.name in measured and p.kind in kinds
        ]

    def variants(self, *kinds):
        """Those that programs of these kinds were run as."""
        measured = {
            variant
            for program, variant in self.pairs
            if PROGRAMS[program].kind in kinds
        }
        return [v for v in VARIANTS.values() if v.name in measured]

    def voids(self):
        return [p for pairs in self.pairs.values() for p in pairs if p["void"]]

    def natives(self, program, quantity):
        return [
            pair["native"][quantity]
            for (name, _), pairs in self.pairs.items()
            for pair in pairs
            if name == program and not pair["void"]
        ]

    def valid(self, program, variant):
        """The pairs, or None where there is none or a single one is void."""
        pairs = self.pairs.get((program, variant.name))
        if program in self.failures or not pairs:
            return None
        if any(pair["void"] for pair in pairs):
            return None
        return pairs

    def ratios(self, program, variant, quantity):
        pairs = self.valid(program, variant)
        if pairs is None or not all(p["native"][quantity] for p in pairs):
            return None
        return [p["measured"][quantity] / p["native"][quantity] for p in pairs]


def table(header, rows):
    """A Markdown table, its columns as wide as what is in them."""
    widths = [max(map(len, column)) for column in zip(header, *rows)]

    def line(cells):
        padded = [cells[0].ljust(widths[0])]
        padded += [c.rjust(w) for c, w in zip(cells[1:], widths[1:])]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * widths[0]] + ["-" * (w - 1) + ":" for w in widths[1:]]
    return "\n".join([line(header), line(rule), *map(line, rows)])


def geomean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def _ratio_cell(ratios):
    if ratios is None:
        return "void"
    middle = statistics.median(ratios)
    if len(ratios) == 1:
        return "%.2f" % middle
    return "%.2f (%.2f..%.2f)" % (middle, min(ratios), max(ratios))


def _geomean_rows(m, variants, values):
    """A row for the kernels, one for the real programs, one for all. A program
    that is missing or void leaves no geomean: the rest is another suite."""
    rows = []
    for title, kinds in (
        ("kernels", ("kernel",)),
        ("real programs", ("real",)),
        ("all", ("kernel", "real")),
    ):
        names = m.programs(*kinds)
        if not names or (title == "all" and len(rows) < 2):
            continue
        cells = []
        for variant in variants:
            column = [values(name, variant) for name in names]
            whole = all(value is not None for value in column)
            cells.append("%.3f" % geomean(column) if whole else NOTHING)
        rows.append(("geomean, %s (%d)" % (title, len(names)), cells))
    return rows


def ratio_table(m, quantity):
    """Each program's time, and the median ratio of each variant."""
    variants = m.variants("kernel", "real")
    rows = []
    for program in m.programs("kernel", "real"):
        native = m.natives(program, quantity)
        cells = ["%.3f" % statistics.median(native) if native else NOTHING]
        cells += [_ratio_cell(m.ratios(program, v, quantity)) for v in variants]
        rows.append([program, *cells])

    def middle(program, variant):
        ratios = m.ratios(program, variant, quantity)
        return statistics.median(ratios) if ratios else None

    for title, cells in _geomean_rows(m, variants, middle):
        rows.append([title, NOTHING, *cells])
    return table(["program", "native s", *(v.name for v in variants)], rows)


def start_table(m):
    """Milliseconds that starting and ending takes more than native."""
    rows = []
    for program in m.programs("start"):
        native = m.natives(program, "wall_s")
        middle = NOTHING
        if native:
            middle = "%.2f" % (statistics.median(native) * 1e3)
        rows.append(["native", middle, NOTHING, NOTHING])
        for variant in m.variants("start"):
            pairs = m.valid(program, variant)
            cells = ["void"] * 3
            if pairs:
                wall = [
                    (p["measured"]["wall_s"] - p["native"]["wall_s"]) * 1e3
                    for p in pairs
                ]
                cpu = [
                    (p["measured"]["cpu_s"] - p["native"]["cpu_s"]) * 1e3
                    for p in pairs
                ]
                total = statistics.median(
                    p["measured"]["wall_s"] * 1e3 for p in pairs
                )
                cells = ["%.2f" % total, _quartiles(wall), _quartiles(cpu)]
            rows.append([variant.name, *cells])
    header = ["", "wall ms", "wall ms over native", "cpu ms over native"]
    return table(header, rows)


def _quartiles(values):
    if len(values) < 4:
        return "%.2f" % statistics.median(values)
    low, middle, high = statistics.quantiles(values, n=4)
    return "%.2f (%.2f..%.2f)" % (middle, low, high)


def memory_table(m):
    """Peak resident memory, in MiB."""
    kinds = "kernel", "real"
    variants = [v for v in m.variants(*kinds) if v.build != NATIVE.build]
    rows = []
    for program in m.programs(*kinds):
        native = m.natives(program, "peak_kib")
        row = [program]
        row.append("%.1f" % (max(native) / 1024) if native else NOTHING)
        for variant in variants:
            pairs = m.valid(program, variant)
            row.append(
                "%.1f" % (max(p["measured"]["peak_kib"] for p in pairs) / 1024)
                if pairs
                else "void"
            )
        rows.append(row)
    return table(["program", "native", *(v.name for v in variants)], rows)


def build_table(m):
    """Code size and compile time over native."""
    built = {build for _, build in m.builds}
    builds = [b for b in BUILDS if b in built and b != NATIVE.build]
    names = [PROGRAMS[p].recipe.name for p in m.programs("kernel", "real")]
    recipes = [r for r in dict.fromkeys(names) if (r, NATIVE.build) in m.builds]

    def ratio(recipe, build, quantity):
        record = m.builds.get((recipe, build))
        native = m.builds[recipe, NATIVE.build]
        return record[quantity] / native[quantity] if record else None

    columns = [(b, q) for q in ("code_bytes", "compile_s") for b in builds]
    rows = []
    for recipe in recipes:
        native = m.builds[recipe, NATIVE.build]
        row = [
            recipe,
            "%.1f" % (native["code_bytes"] / 1024),
            "%.2f" % native["compile_s"],
        ]
        for build, quantity in columns:
            value = ratio(recipe, build, quantity)
            row.append("%.2f" % value if value else NOTHING)
        rows.append(row)
    means = ["geomean", NOTHING, NOTHING]
    for build, quantity in columns:
        values = [ratio(recipe, build, quantity) for recipe in recipes]
        means.append("%.2f" % geomean(values) if all(values) else NOTHING)
    words = {"code_bytes": "code", "compile_s": "compile"}
    header = ["program", "code KiB", "compile s"]
    header += ["%s %s" % (words[q], b) for b, q in columns]
    return table(header, [*rows, means] if rows else rows)


def trace_table(m):
    """What the recorder made of it."""
    rows = []
    for program in m.programs("kernel", "real"):
        for variant in m.variants("kernel", "real"):
            pairs = m.valid(program, variant) if variant.period else None
            if not pairs:
                continue
            traces = [p["measured"]["trace"] for p in pairs]

            def middle(name):
                return statistics.median(trace[name] for trace in traces)

            periods = middle("periods")
            rows.append(
                [
                    "%s %s" % (program, variant.name),
                    "%d" % periods,
                    "%d" % middle("overruns"),
                    "%.2f" % (1e3 * middle("duration_s") / max(periods, 1)),
                    "%d" % middle("accessed_median"),
                    "%.1f" % (middle("bytes") / 1024),
                ]
            )
    header = ["run", "periods", "overruns", "ms a period", "pages", "trace KiB"]
    return table(header, rows)


def head(session):
    machine = session["machine"]
    lines = [
        "Measured %s, sizes `%s`, rounds: %d." % (
            machine["date"], session["size"], session["rounds"]
        ),
        "",
        "- %s, %d CPUs, %s, %s MiB of memory, %s, Linux %s"
        % (
            machine["cpu"],
            machine["cpus"],
            machine["caches"] or "caches unknown",
            machine["memory_mib"],
            machine["system"],
            machine["kernel"],
        ),
        "- %s, commit %s, compiled by %s"
        % (machine["pagetide"], machine["commit"], machine["compiler"]),
        "- load at the start: %.2f" % machine["load"],
    ]
    if session["size"] == "smoke":
        lines += [
            "",
            "**Sizes `smoke` take milliseconds: they show that everything "
            "works, and say nothing about speed.**",
        ]
    return "\n".join(lines)


def render(records):
    """All tables of a run."""
    m = Measurements(records)
    parts = [head(m.session)]
    if m.programs("kernel", "real"):
        parts += [
            "### User and system time, over native",
            ratio_table(m, "cpu_s"),
            "### Wall time, over native",
            ratio_table(m, "wall_s"),
        ]
    if m.programs("start"):
        parts += ["### Start and end of an empty program", start_table(m)]
    if m.programs("kernel", "real"):
        parts += [
            "### Code size and compile time, over native",
            build_table(m),
            "### Peak resident memory, MiB",
            memory_table(m),
        ]
    if any(v.period for v in m.variants("kernel", "real")):
        parts += ["### What was recorded", trace_table(m)]
    voids = m.voids()
    if voids:
        parts.append(
            "### Void\n\n"
            + "\n".join(
                "- %s, native and %s, round %d: %s"
                % (p["program"], p["variant"], p["round"], p["void"])
                for p in voids
            )
        )
    if m.failures:
        parts.append(
            "### Failed\n\n"
            + "\n".join("- %s: %s" % item for item in m.failures.items())
        )
    return "\n\n".join(parts) + "\n"


def insert_into(document, text, begin_line=BEGIN, end_line=END):
    """Puts the tables into a document, in place of the ones before."""
    path = pathlib.Path(document)
    try:
        old = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Failure(
            "cannot read %s: %s" % (document, error.strerror)
        ) from error
    before, begin, rest = old.partition(begin_line)
    _, end, after = rest.partition(end_line)
    if not begin or not end:
        raise Failure(
            "%s has no place for tables: put the lines '%s' and '%s' where "
            "they are to stand" % (document, begin_line, end_line)
        )
    path.write_text(
        before + begin + "\n\n" + text + "\n" + end + after, encoding="utf-8"
    )
