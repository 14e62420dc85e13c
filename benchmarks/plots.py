# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of the records, as SVG."""

import io
import math

import break_even
from failure import Failure
from variants import ENGINES, OTHERS_LIMIT

# Colours of Okabe and Ito: people who do not see all colours tell them apart.
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
    "#8a8f2a", "#8d7a6b",
)
MARKERS = "osD^vPX*"
OVER_NATIVE = "user and system time over "


def _pyplot():
    """matplotlib, with what all plots share."""
    try:
        import matplotlib
    except ImportError as error:
        raise Failure(
            "plots need matplotlib: install python3-matplotlib, as "
            "scripts/setup.sh does"
        ) from error
    matplotlib.use("svg")
    from matplotlib import pyplot

    pyplot.rcParams.update({
        "axes.grid": True, "axes.axisbelow": True, "grid.color": "#d1d9e0",
        "axes.prop_cycle": pyplot.cycler(color=COLOURS), "font.size": 9,
        "legend.frameon": False, "svg.fonttype": "none",
        # The same records give the same bytes.
        "svg.hashsalt": "pagetide",
    })
    return pyplot


def _text(figure):
    """The picture as an SVG."""
    made = io.StringIO()
    figure.savefig(made, format="svg", bbox_inches="tight", metadata={"Date": None})
    _pyplot().close(figure)
    return made.getvalue()


def _short(value, _=None):
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return "%g%s" % (value / size, letter)
    return "%g" % round(value, 6)


def _powers(axis, name):
    """Both directions of an axis by powers of ten, with short numbers."""
    getattr(axis, "set_%sscale" % name)("log")
    getattr(axis, name + "axis").set_major_formatter(_short)


def _values(m, group, names):
    """The variants, and by program the value of each: a ratio, None if there is
    none, infinity if it took too long. With geomeans if no value is missing."""
    variants = [v for v in m.variants(group, "kernel", "real") if v.name in names]
    rows = []
    for program in m.programs("kernel", "real"):
        row = []
        for variant in variants:
            value = m.ratio(program, variant, "cpu_s")
            late = value is None and m.too_long(program, variant)
            row.append(math.inf if late else value)
        rows.append((program, row))
    for title, kind in (("geomean, kernels", "kernel"), ("geomean, real", "real")):
        columns = list(zip(*(r for p, r in rows if p in m.programs(kind))))
        rows += [(title, [
            math.exp(sum(map(math.log, c)) / len(c))
            if all(v and v != math.inf for v in c) else None for c in columns
        ])] if columns else []
    return variants, rows


def _by_program(m, group, names, title, draw):
    """A row a program; `draw(axes, values, number, count, variant)` draws one of the
    variants."""
    variants, rows = _values(m, group, names)
    if not any(v and v != math.inf for _, row in rows for v in row):
        return None
    figure, axes = _pyplot().subplots(figsize=(8.6, 1.2 + 0.26 * len(rows)))
    for number, variant in enumerate(variants):
        draw(axes, [row[number] for _, row in rows], number, len(variants),
             variant)
    axes.set_yticks(range(len(rows)), [program for program, _ in rows])
    axes.invert_yaxis()
    axes.axvline(1, color="#59636e", linewidth=1)
    axes.set_title(title, loc="left", pad=34)
    axes.set_xlabel(OVER_NATIVE + variants[0].against)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4)
    return title, _text(figure)


def bars(m, group, names, title):
    """Bars from 1. A program without a value has none."""

    def draw(axes, values, number, count, variant):
        height = 0.8 / count
        places = [y + (number - (count - 1) / 2) * height for y in range(len(values))]
        widths = [v - 1 if v and v != math.inf else 0 for v in values]
        axes.barh(places, widths, height, left=1, label=variant.name)

    return _by_program(m, group, names, title, draw)


def dots(m, group, names, title):
    """A dot each, ratios by powers. What took too long is at the right edge."""

    def draw(axes, values, number, _, variant):
        shown = [(min(v, OTHERS_LIMIT * 1.2), y) for y, v in enumerate(values) if v]
        axes.plot(*zip(*shown) if shown else ((), ()), MARKERS[number % 8],
                  alpha=0.85, label=variant.name)
        _powers(axes, "x")
        axes.xaxis.set_minor_formatter(_short)

    return _by_program(m, group, names, title, draw)


def _axes(title, below, beside):
    figure, axes = _pyplot().subplots(figsize=(8.6, 5.4))
    axes.set_title(title, loc="left")
    axes.set_xlabel(below)
    axes.set_ylabel(beside)
    _powers(axes, "x")
    _powers(axes, "y")
    return figure, axes


def break_even_plot(found):
    """The line by period length, and where the programs lie."""
    seconds = break_even.SECONDS
    cheapest, pages = {}, {}
    for point in found.points:
        key = point.program, point.period
        if key not in cheapest or point.cost < cheapest[key].cost:
            cheapest[key] = point
        if point.way != break_even.MARKS:
            pages[key] = max(pages.get(key, 0), point.pages, 1)
    if not pages:
        return None
    title = "From how many pages a period onward marks are cheaper than the kernel"
    figure, axes = _axes(title, "length of a period", "pages written in a period")
    ways = (break_even.MARKS, *ENGINES)
    for engine, line in found.engines.items():
        low, middle, high = (
            [break_even.least_pages(line, marks, s) for s in seconds.values()]
            for marks in break_even.typical_marks(found)
        )
        if None in (*low, *middle, *high):
            continue
        colour = COLOURS[ways.index(engine)]
        axes.fill_between(seconds.values(), low, high, color=colour, alpha=0.15)
        axes.plot(seconds.values(), middle, color=colour,
                  label="above it marks are cheaper than %s (band: half of the "
                  "programs)" % engine)
    # Programs beside each other, not on top of each other.
    programs = list(dict.fromkeys(program for program, _ in pages))
    for number, way in enumerate(ways):
        shown = [
            (seconds[period] * 2 ** ((programs.index(program) + 0.5) / len(programs) - 0.5),
             count)
            for (program, period), count in pages.items()
            if cheapest[program, period].way == way
        ]
        axes.plot(*zip(*shown) if shown else ((), ()), MARKERS[number],
                  color=COLOURS[number], label="cheapest here: " + way)
    axes.set_xticks(list(seconds.values()), list(seconds))
    axes.legend()
    return title, _text(figure)


def engine_plot(found):
    """Costs by pages per second, with the lines."""
    points = [p for p in found.points if p.rate > 0]
    if not points:
        return None
    title = "What tracking writes costs, by how fast pages are written anew"
    figure, axes = _axes(
        title, "pages written in a period / its length (1/s, native time)",
        "cost over native (1: twice the time)")
    least = 0.003
    low, high = min(p.rate for p in points), max(p.rate for p in points)
    rates = [low * (high / low) ** (i / 80) for i in range(81)]
    for number, way in enumerate((break_even.MARKS, *ENGINES)):
        shown = [(p.rate, max(p.cost, least)) for p in points if p.way == way]
        axes.plot(*zip(*shown) if shown else ((), ()), MARKERS[number],
                  color=COLOURS[number], label=way)
        line = found.engines.get(way)
        if way == break_even.MARKS:
            line = break_even.typical_marks(found)[1]
        if line:
            axes.plot(rates, [max(line.at(r), least) for r in rates],
                      color=COLOURS[number])
    axes.legend(title="a dot: a program, periods of one length; line: a + b x")
    return title, _text(figure)


# By group: (name of the file, how it is drawn, variants or None for all, title).
_BY_PROGRAM = {
    "main": ("cost", bars, ("rw-10ms", "near-10ms", "access", "near-access", "write"),
             "What marks cost, and recording at 10 ms"),
    "periods": ("periods", dots, None,
                "Layout rw: periods, threads apart, checksums"),
    "peers": ("peers", dots,
              ("rw-10ms", "near-10ms", "write-10ms", "uffd-10ms", "fork-10ms",
               "asan", "memprof", "tsan"),
              "Marks (recorded at 10 ms) and other tools"),
    "ablation": ("ablation", bars, None,
                 "Precision near with one optimisation of the pass switched off"),
}


def of_group(m, group):
    """What can be drawn of the group's records: (title, SVG) by name."""
    if group.name not in _BY_PROGRAM:
        return {}
    name, draw, names, title = _BY_PROGRAM[group.name]
    names = names or [n for n in group.variants if n != "control"]
    drawn = {name: draw(m, group, names, title)}
    found = break_even.derive(m) if group.name == "peers" else None
    if found:
        drawn["break-even"] = break_even_plot(found)
        drawn["engines"] = engine_plot(found)
    return {name: picture for name, picture in drawn.items() if picture}
