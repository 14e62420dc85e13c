# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of the records, as SVG that is readable on light and on dark pages."""

import html
import math
import pathlib

import break_even
from failure import Failure
from variants import ENGINES, OTHERS_LIMIT

# Colours that differ in lightness too, and stand out on white and on black.
COLOURS = (
    "#2f7fd1", "#e0851b", "#2aa06f", "#b05fc9", "#d64550", "#8a8f2a",
    "#1fa3b5", "#8d7a6b",
)
STYLE = """
  text { font: 12px sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: bold; }
  .faint { fill: #59636e; }
  .right { text-anchor: end; }
  .middle { text-anchor: middle; }
  .page { fill: #ffffff; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .axis { stroke: #59636e; stroke-width: 1; }
  .row { fill: #f6f8fa; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .faint { fill: #9198a1; }
    .page { fill: #0d1117; }
    .grid { stroke: #30363d; }
    .axis { stroke: #9198a1; }
    .row { fill: #151b23; }
  }
"""


class Picture:
    """Shapes, from the top left corner."""

    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.title = title
        self.shapes = []
        self.text(12, 24, title, "title")

    def text(self, x, y, words, kind=""):
        self.shapes.append(
            '<text x="%.1f" y="%.1f" class="%s">%s</text>'
            % (x, y, kind, html.escape(words))
        )

    def line(self, x1, y1, x2, y2, kind="grid", colour=None, dashes=None):
        style = 'class="%s"' % kind
        if colour:
            style = 'stroke="%s" stroke-width="2"' % colour
        if dashes:
            style += ' stroke-dasharray="%s"' % dashes
        self.shapes.append(
            '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>'
            % (x1, y1, x2, y2, style)
        )

    def box(self, x, y, width, height, colour=None, kind=""):
        style = 'fill="%s"' % colour if colour else 'class="%s"' % kind
        self.shapes.append(
            '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" %s/>'
            % (x, y, width, height, style)
        )

    def dot(self, x, y, colour, shape=0, words=""):
        """Shapes differ, not only colours. The words appear below a mouse."""
        if shape == 0:
            made = '<circle cx="%.1f" cy="%.1f" r="4.2"' % (x, y)
        else:
            corners = {
                1: ((-4, -4), (4, -4), (4, 4), (-4, 4)),
                2: ((0, -5.2), (5.2, 0), (0, 5.2), (-5.2, 0)),
                3: ((0, -5), (4.8, 4), (-4.8, 4)),
            }[shape % 4]
            made = '<polygon points="%s"' % " ".join(
                "%.1f,%.1f" % (x + dx, y + dy) for dx, dy in corners
            )
        self.shapes.append(
            '%s fill="%s" fill-opacity="0.85"><title>%s</title></%s>'
            % (
                made,
                colour,
                html.escape(words),
                "circle" if shape == 0 else "polygon",
            )
        )

    def curve(self, points, colour, dashes=None):
        self.shapes.append(
            '<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>'
            % (
                " ".join("%.1f,%.1f" % point for point in points),
                colour,
                ' stroke-dasharray="%s"' % dashes if dashes else "",
            )
        )

    def area(self, points, colour):
        self.shapes.append(
            '<polygon points="%s" fill="%s" fill-opacity="0.15"/>'
            % (" ".join("%.1f,%.1f" % point for point in points), colour)
        )

    def write(self, path):
        size = self.width, self.height
        path.write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
            'viewBox="0 0 %d %d" role="img">\n<title>%s</title>\n'
            "<style>%s</style>\n"
            '<rect class="page" width="%d" height="%d"/>\n%s\n</svg>\n'
            % (
                *size, *size, html.escape(self.title), STYLE, *size,
                "\n".join(self.shapes),
            ),
            encoding="utf-8",
        )


class Axis:
    """Values to places, linear or by powers of ten."""

    def __init__(self, low, high, start, end, powers=False):
        self.powers = powers
        self.low, self.high = low, high
        self.start, self.end = start, end

    def at(self, value):
        low, high = self.low, self.high
        if self.powers:
            value = math.log10(max(value, 1e-12))
            low, high = math.log10(low), math.log10(high)
        share = (value - low) / (high - low)
        share = min(max(share, 0), 1)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        if self.powers:
            first = math.ceil(math.log10(self.low) - 1e-9)
            last = math.floor(math.log10(self.high) + 1e-9)
            # Few powers: steps between them too.
            steps = (1, 2, 5) if last - first < 3 else (1,)
            return [
                step * 10.0**power
                for power in range(first - 1, last + 1)
                for step in steps
                if self.low * 0.999 <= step * 10.0**power <= self.high * 1.001
            ]
        span = self.high - self.low
        step = next(
            s for s in (0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100)
            if span / s <= 10 or s == 100
        )
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [step * number for number in range(first, last + 1)]


def _legend(picture, x, y, names, shapes=False):
    for number, name in enumerate(names):
        width = 30 + 7.2 * len(name)
        if x + width > picture.width - 8:
            x, y = 12, y + 18
        colour = COLOURS[number % len(COLOURS)]
        if shapes:
            picture.dot(x + 5, y - 4, colour, number % 4, name)
        else:
            picture.box(x, y - 9, 10, 10, colour)
        picture.text(x + 15, y, name)
        x += width
    return y


def _number(value):
    return "%g" % round(value, 6)


NO_VALUE = "void"
LEFT, RIGHT, WIDTH, TALL = 150, 24, 860, 560


def _values(m, group, names, quantity="cpu_s"):
    """By program, the value of each variant: a ratio, None if there is none,
    infinity if it took too long. With geomeans if no value is missing."""
    ran = m.variants(group, "kernel", "real")
    variants = [v for v in ran if v.name in names]
    rows = []
    for program in m.programs("kernel", "real"):
        row = []
        for variant in variants:
            value = m.ratio(program, variant, quantity)
            if value is None and m.too_long(program, variant):
                value = math.inf
            row.append(value)
        rows.append((program, row))
    for title, kinds in (
        ("geomean, kernels", ("kernel",)),
        ("geomean, real", ("real",)),
    ):
        names_here = set(m.programs(*kinds))
        here = [row for program, row in rows if program in names_here]
        if not here:
            continue
        columns = list(zip(*here))
        rows.append(
            (
                title,
                [
                    math.exp(sum(map(math.log, c)) / len(c))
                    if all(v and v != math.inf for v in c)
                    else None
                    for c in columns
                ],
            )
        )
    return variants, rows


def bars(m, group, names, title):
    """Bars from 1, a row a program."""
    variants, rows = _values(m, group, names)
    finite = [v for _, row in rows for v in row if v and v != math.inf]
    if not variants or not finite:
        return None
    thickness = 7
    row_height = thickness * len(variants) + 8
    top = 66
    picture = Picture(WIDTH, top + row_height * len(rows) + 46, title)
    _legend(picture, 12, 46, [v.name for v in variants])
    low = min(0.95, min(finite))
    axis = Axis(low, max(1.1, *finite) * 1.02, LEFT, WIDTH - RIGHT)
    bottom = top + row_height * len(rows)
    for number, (program, _) in enumerate(rows):
        if number % 2 == 0:
            picture.box(
                0, top + number * row_height, WIDTH, row_height, kind="row"
            )
    for tick in axis.ticks():
        x = axis.at(tick)
        picture.line(x, top, x, bottom)
        picture.text(x, bottom + 16, _number(tick), "middle faint")
    picture.text(
        (LEFT + WIDTH - RIGHT) / 2,
        bottom + 36,
        "user and system time over %s" % variants[0].against,
        "middle",
    )
    for number, (program, row) in enumerate(rows):
        y = top + number * row_height + 4
        picture.text(LEFT - 8, y + row_height / 2, program, "right")
        for place, value in enumerate(row):
            at = y + place * thickness
            if value is None or value == math.inf:
                picture.text(
                    axis.at(1) + 4, at + thickness, NO_VALUE, "faint"
                )
                continue
            x = sorted((axis.at(1), axis.at(value)))
            colour = COLOURS[place % len(COLOURS)]
            picture.box(
                x[0], at, max(x[1] - x[0], 0.8), thickness - 1, colour
            )
    picture.line(axis.at(1), top, axis.at(1), bottom, "axis")
    return picture


def dots(m, group, names, title):
    """A dot each, a row a program, ratios by powers."""
    variants, rows = _values(m, group, names)
    finite = [v for _, row in rows for v in row if v and v != math.inf]
    if not variants or not finite:
        return None
    top, row_height = 66 if len(variants) < 8 else 84, 20
    picture = Picture(WIDTH, top + row_height * len(rows) + 46, title)
    _legend(picture, 12, 46, [v.name for v in variants], shapes=True)
    bottom = top + row_height * len(rows)
    late = any(v == math.inf for _, row in rows for v in row)
    high = OTHERS_LIMIT * 1.2 if late else max(1.5, *finite) * 1.05
    axis = Axis(min(0.9, *finite), high, LEFT, WIDTH - RIGHT, powers=True)
    for number, (program, _) in enumerate(rows):
        if number % 2 == 0:
            picture.box(
                0, top + number * row_height, WIDTH, row_height, kind="row"
            )
        picture.text(
            LEFT - 8, top + number * row_height + 14, program, "right"
        )
    ticks = axis.ticks()
    if len(ticks) < 4:
        ticks = [t for t in (1, 1.1, 1.2, 1.5, 2, 3) if t <= axis.high]
    for tick in ticks:
        x = axis.at(tick)
        picture.line(x, top, x, bottom)
        picture.text(x, bottom + 16, _number(tick), "middle faint")
    picture.line(axis.at(1), top, axis.at(1), bottom, "axis")
    late_words = " (right edge: more than %d)" % OTHERS_LIMIT if late else ""
    picture.text(
        (LEFT + WIDTH - RIGHT) / 2,
        bottom + 36,
        "user and system time over " + variants[0].against + late_words,
        "middle",
    )
    for number, (program, row) in enumerate(rows):
        y = top + number * row_height + row_height / 2
        for place, value in enumerate(row):
            if value is None:
                continue
            picture.dot(
                axis.at(value),
                y,
                COLOURS[place % len(COLOURS)],
                place % 4,
                "%s %s: %.2f" % (program, variants[place].name, value),
            )
    return picture


def _frame(title, below, beside, x_axis, y_axis, x_names=None):
    """A picture with axes."""
    picture = Picture(WIDTH, TALL, title)
    for tick in x_axis.ticks():
        x = x_axis.at(tick)
        picture.line(x, y_axis.start, x, y_axis.end)
        words = x_names[tick] if x_names else _short_number(tick)
        picture.text(x, y_axis.start + 16, words, "middle faint")
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        picture.line(x_axis.start, y, x_axis.end, y)
        picture.text(
            x_axis.start - 6, y + 4, _short_number(tick), "right faint"
        )
    picture.line(x_axis.start, y_axis.start, x_axis.end, y_axis.start, "axis")
    picture.line(x_axis.start, y_axis.start, x_axis.start, y_axis.end, "axis")
    picture.text(
        (x_axis.start + x_axis.end) / 2, y_axis.start + 36, below, "middle"
    )
    picture.text(12, y_axis.end - 10, beside)
    return picture


def _short_number(value):
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return "%g%s" % (value / size, letter)
    return "%g" % value


def _decades(values):
    return (
        10.0 ** math.floor(math.log10(min(values))),
        10.0 ** math.ceil(math.log10(max(values))),
    )


def break_even_plot(found):
    """The line by period length, and where the programs lie."""
    seconds = break_even.SECONDS
    low, middle, high = break_even.typical_marks(found)
    cheapest = {}
    for point in found.points:
        key = point.program, point.period
        best = cheapest.get(key)
        if best is None or point.cost < best.cost:
            cheapest[key] = point
    pages = {}
    for point in found.points:
        if point.way != break_even.MARKS:
            key = point.program, point.period
            pages[key] = max(pages.get(key, 0), point.pages, 1)
    if not pages:
        return None
    lines = {}
    for engine, line in found.engines.items():
        lines[engine] = [
            [
                (s, break_even.least_pages(line, marks, s))
                for s in (1e-3, 1e-2, 1e-1, 1)
            ]
            for marks in (low, middle, high)
        ]
    drawn = [
        n for three in lines.values() for one in three for _, n in one if n
    ]
    x_axis = Axis(5e-4, 2, LEFT - 60, WIDTH - RIGHT, powers=True)
    counts = _decades([*pages.values(), *drawn])
    y_axis = Axis(*counts, TALL - 60, 140, powers=True)
    names = {s: period for period, s in seconds.items()}
    x_axis.ticks = lambda: list(names)
    picture = _frame(
        "From how many pages a period onward marks are cheaper than the kernel",
        "length of a period",
        "pages written in a period",
        x_axis,
        y_axis,
        names,
    )
    colours = {
        way: COLOURS[n] for n, way in enumerate((break_even.MARKS, *ENGINES))
    }
    for number, (engine, three) in enumerate(lines.items()):
        places = [
            [(x_axis.at(s), y_axis.at(max(n, 1e-9))) for s, n in one]
            for one in three
            if all(n is not None for _, n in one)
        ]
        if len(places) < 3:
            continue
        colour = colours[engine]
        picture.area([*places[0], *reversed(places[2])], colour)
        picture.curve(places[1], colour, "6 3" if number else None)
    # Programs beside each other, not on top of each other.
    programs = list(dict.fromkeys(program for program, _ in pages))
    for (program, period), count in pages.items():
        best = cheapest[program, period]
        shift = (programs.index(program) + 0.5) / len(programs) - 0.5
        picture.dot(
            x_axis.at(seconds[period]) + 90 * shift,
            y_axis.at(count),
            colours[best.way],
            list(colours).index(best.way),
            "%s, %s: %d pages, cheapest: %s"
            % (program, period, count, best.way),
        )
    for number, way in enumerate(colours):
        words = "cheapest here: " + way
        if way in lines:
            words += " (line: break-even of marks with it)"
        picture.dot(17, 44 + 18 * number, colours[way], number)
        picture.text(27, 48 + 18 * number, words)
    picture.text(
        WIDTH - RIGHT,
        48,
        "above a line marks are cheaper; bands: half of the programs",
        "right faint",
    )
    return picture


def engine_plot(found):
    """Costs by pages per second, with the lines."""
    points = [p for p in found.points if p.rate > 0]
    if not points:
        return None
    x_axis = Axis(
        *_decades([p.rate for p in points]), LEFT - 60, WIDTH - RIGHT, True
    )
    least = 0.003
    _, most = _decades([max(p.cost, 0.1) for p in points])
    y_axis = Axis(least, most, TALL - 60, 110, powers=True)
    picture = _frame(
        "What tracking writes costs, by how fast pages are written anew",
        "pages written in a period / length of the period (1/s, native time)",
        "cost over native (1: twice the time)",
        x_axis,
        y_axis,
    )
    ways = (break_even.MARKS, *ENGINES)
    _legend(picture, 12, 54, ways, shapes=True)
    picture.text(
        WIDTH - RIGHT,
        54,
        "a dot: a program, periods of one length; line: a + b x",
        "right faint",
    )
    for number, way in enumerate(ways):
        for point in points:
            if point.way == way:
                picture.dot(
                    x_axis.at(point.rate),
                    y_axis.at(max(point.cost, least)),
                    COLOURS[number],
                    number,
                    "%s %s-%s: %.1f%%"
                    % (point.program, way, point.period, 100 * point.cost),
                )
        line = found.engines.get(way)
        if way == break_even.MARKS:
            line = break_even.typical_marks(found)[1]
        if line is None:
            continue
        steps = 80
        ratio = x_axis.high / x_axis.low
        rates = [x_axis.low * ratio ** (i / steps) for i in range(steps + 1)]
        picture.curve(
            [
                (x_axis.at(r), y_axis.at(line.at(r)))
                for r in rates
                if least <= line.at(r) <= y_axis.high
            ],
            COLOURS[number],
        )
    return picture


def _pictures(m):
    """(group, name of the file, picture or None) of what was measured."""
    groups = {group.name: group for group in m.groups()}
    if "main" in groups:
        yield "main", "cost", bars(
            m,
            groups["main"],
            ("rw-10ms", "near-10ms", "access", "near-access", "write"),
            "What marks cost, and recording at 10 ms",
        )
    if "periods" in groups:
        yield "periods", "periods", dots(
            m,
            groups["periods"],
            groups["periods"].variants[1:],
            "Layout rw: periods, threads apart, checksums",
        )
    if "peers" in groups:
        yield "peers", "peers", dots(
            m,
            groups["peers"],
            (
                "rw-10ms", "near-10ms", "write-10ms", "uffd-10ms",
                "mprotect-10ms", "asan", "memprof", "tsan",
            ),
            "Marks (recorded at 10 ms) and other tools",
        )
        found = break_even.derive(m)
        if found:
            yield "peers", "break-even", break_even_plot(found)
            yield "peers", "engines", engine_plot(found)
    if "ablation" in groups:
        yield "ablation", "ablation", bars(
            m,
            groups["ablation"],
            groups["ablation"].variants,
            "Precision near with one optimisation of the pass switched off",
        )


def draw(m, directory):
    """Draws what can be drawn of these records; returns by group (title, path)
    of each."""
    directory = pathlib.Path(directory)
    drawn = {}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for group, name, picture in _pictures(m):
            if picture:
                path = directory / (name + ".svg")
                picture.write(path)
                drawn.setdefault(group, []).append((picture.title, path))
    except OSError as error:
        raise Failure("cannot draw into %s: %s" % (directory, error)) from error
    return drawn
