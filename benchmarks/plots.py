# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of the records, as SVG."""

import io
import math

from failure import Failure
from variants import OTHERS_LIMIT

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
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_short)
        axes.xaxis.set_minor_formatter(_short)

    return _by_program(m, group, names, title, draw)


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
    picture = draw(m, group, names, title)
    return {name: picture} if picture else {}
