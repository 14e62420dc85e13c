# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From how many pages a period onward marks are cheaper than having the kernel
track writes.

The kernel's tracking costs something for each page written in a period,
whatever is done to the page; marks cost something for each store, whatever it
hits. So,
with x the pages written in a period over the period's length,

    cost of an engine over native  = a + b * x      the same a for all programs
    cost of marks over native      = a + b * x      each program its own a

Lengths are in native time: what the program would have taken for that piece of
work. A period of T in real time is one of T / (1 + cost) in native time.
"""

import statistics
from typing import NamedTuple, Optional

from tables import NOTHING, geomean, table
from variants import ENGINES, PERIODS, VARIANTS

MARKS = "write"
SECONDS = {"1ms": 1e-3, "10ms": 1e-2, "100ms": 1e-1, "1s": 1.0}

# What a cost is never known better than: if the engine's cost is below this,
# errors count as if it was this.
LEAST_COST = 0.02


class Point(NamedTuple):
    """A program, recorded one way with periods of one length."""

    program: str
    way: str  # MARKS, or an engine
    rate: float  # x: pages written in a period, over its length in native time
    cost: float  # over native; 0: none


class Line(NamedTuple):
    """cost = a + b * rate."""

    a: float
    b: float  # seconds a page

    def at(self, rate):
        return self.a + self.b * rate


class BreakEven(NamedTuple):
    points: list
    engines: dict  # Line by engine
    marks: dict  # Line by program; the b is the same


def _point(measurements, program, way, period):
    variant = VARIANTS["%s-%s" % (way, period)]
    pairs = measurements.valid(program, variant)
    if not pairs:
        return None

    def middle(value):
        return statistics.median(map(value, pairs))

    pages = middle(lambda p: p["measured"]["trace"]["accessed_sum"])
    native_s = middle(lambda p: p["base"]["cpu_s"])
    if not native_s:
        return None
    return Point(
        program,
        way,
        pages / native_s,
        middle(lambda p: p["measured"]["cpu_s"] / p["base"]["cpu_s"]) - 1,
    )


def fit_line(points):
    """The line with the least sum of squared relative errors. A cost of 100%
    for a million pages and one of 5% for a thousand count the same. None where
    all points have one rate."""
    fits = [max(p.cost, LEAST_COST) for p in points]
    line = None
    for _ in range(50):
        weights = [1 / max(fit, LEAST_COST) ** 2 for fit in fits]
        total = sum(weights)
        x = sum(w * p.rate for w, p in zip(weights, points)) / total
        y = sum(w * p.cost for w, p in zip(weights, points)) / total
        across = sum(w * (p.rate - x) ** 2 for w, p in zip(weights, points))
        if not across:
            return None
        slope = sum(
            w * (p.rate - x) * (p.cost - y) for w, p in zip(weights, points)
        )
        slope = max(slope / across, 0)
        line = Line(y - slope * x, slope)
        if line.a < 0:
            # Nothing is cheaper than native: the line begins there.
            squares = sum(w * p.rate**2 for w, p in zip(weights, points))
            product = sum(
                w * p.rate * p.cost for w, p in zip(weights, points)
            )
            line = Line(0.0, max(product / squares, 0))
        fits = [line.at(p.rate) for p in points]
    return line


def fit_marks(points):
    """A line for each program, all with the same slope."""
    by_program = {}
    for point in points:
        by_program.setdefault(point.program, []).append(point)
    product = squares = 0.0
    for those in by_program.values():
        x = statistics.fmean(p.rate for p in those)
        y = statistics.fmean(p.cost for p in those)
        product += sum((p.rate - x) * (p.cost - y) for p in those)
        squares += sum((p.rate - x) ** 2 for p in those)
    slope = max(product / squares, 0) if squares else 0.0
    return {
        program: Line(
            max(statistics.median(p.cost - slope * p.rate for p in those), 0),
            slope,
        )
        for program, those in by_program.items()
    }


def derive(measurements):
    """What the records of group `peers` say; None if there are too few."""
    points = []
    for program in measurements.programs("kernel", "real"):
        for way in (MARKS, *ENGINES):
            for period in PERIODS:
                point = _point(measurements, program, way, period)
                if point:
                    points.append(point)
    engines = {}
    for engine in ENGINES:
        those = [p for p in points if p.way == engine]
        line = fit_line(those) if len(those) >= 2 else None
        if line:
            engines[engine] = line
    marks = fit_marks([p for p in points if p.way == MARKS])
    if not engines or not marks:
        return None
    return BreakEven(points, engines, marks)


def least_pages(engine, marks, seconds) -> Optional[float]:
    """From how many pages a period of that length onward marks are cheaper;
    None: they never are."""
    if marks.a <= engine.a:
        return 0.0
    if engine.b <= marks.b:
        return None
    rate = (marks.a - engine.a) / (engine.b - marks.b)
    return rate * seconds / (1 + marks.at(rate))


def quartiles(values):
    """Lower, middle, upper; of few values the least and the greatest."""
    values = sorted(values)
    middle = statistics.median(values)
    if len(values) < 4:
        return values[0], middle, values[-1]
    low, _, high = statistics.quantiles(values, n=4)
    return low, middle, high


def typical_marks(found):
    """Lines of the marks' cost: of the lower quartile of programs, the median
    and the upper one."""
    (slope,) = {line.b for line in found.marks.values()}
    return [
        Line(a, slope) for a in quartiles([m.a for m in found.marks.values()])
    ]


def deviation(points, line):
    """The median distance of the points from the line, over what it says."""
    return statistics.median(
        abs(p.cost - line.at(p.rate)) / max(line.at(p.rate), LEAST_COST)
        for p in points
    )


#===- Tables ---------------------------------------------------------------===#


def _percent(cost):
    return "%.1f%%" % (100 * cost)


def _pages(count):
    if count is None:
        return "never"
    return "always" if count == 0 else "%d" % round(count)


def parts(m):
    """Titles and tables: lines, break-even, and what they come from."""
    found = derive(m)
    if found is None:
        return []
    low, middle, high = typical_marks(found)
    lines = [
        [
            "write (marks)",
            "%.3f" % (1e6 * middle.b),
            "%s (%s..%s)" % tuple(_percent(x.a) for x in (middle, low, high)),
            "%d" % sum(p.way == MARKS for p in found.points),
            NOTHING,
        ]
    ]
    for engine, line in found.engines.items():
        points = [p for p in found.points if p.way == engine]
        lines.append(
            [
                engine,
                "%.3f" % (1e6 * line.b),
                _percent(line.a),
                "%d" % len(points),
                "%.0f%%" % (100 * deviation(points, line)),
            ]
        )
    limits = []
    for engine, line in found.engines.items():
        row = [engine]
        for period in PERIODS:
            cells = [_pages(least_pages(line, marks, SECONDS[period]))
                     for marks in (middle, low, high)]
            row.append("%s (%s..%s)" % tuple(cells))
        limits.append(row)
    header = "cost = a + b x", "b: us a page", "a", "points", "off the line"
    return [
        "### Break-even: the lines",
        table(header, lines),
        "### Break-even: pages written in a period, from which on marks are "
        "cheaper",
        table(["engine", *PERIODS], limits),
        "### Break-even: by period, over native",
        _period_table(m),
    ]


def _period_table(m):
    """What recording writes costs by each means, and where marks are not the
    cheapest."""
    names = m.programs("kernel", "real")
    rows = []
    for period in PERIODS:
        columns = {
            way: [
                m.ratio(n, VARIANTS[way + "-" + period], "cpu_s") for n in names
            ]
            for way in (MARKS, *ENGINES)
        }
        row = [period]
        for column in columns.values():
            row.append(NOTHING if None in column else "%.3f" % geomean(column))
        marks = columns[MARKS]
        for engine in ENGINES:
            lost = [
                name
                for name, ours, its in zip(names, marks, columns[engine])
                if ours and its and its < ours
            ]
            row.append(", ".join(lost) or NOTHING)
        rows.append(row)
    header = ["period", *("geomean " + w for w in columns)]
    header += [engine + " is cheaper for" for engine in ENGINES]
    return table(header, rows)
