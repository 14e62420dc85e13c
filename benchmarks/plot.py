# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Curves as SVG files: both axes logarithmic, a line a series."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 80, 190, 40, 56
# Told apart by those who do not see all colours, too; markers besides.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = (
    '<circle cx="{x}" cy="{y}" r="4"/>',
    '<path d="M {x} {y} m -4 -4 h 8 v 8 h -8 z"/>',
    '<path d="M {x} {y} m 0 -5 l 5 9 h -10 z"/>',
)


def _number(value):
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return "%g%s" % (value / factor, letter)
    return "%g" % value


def _decades(low, high):
    """The powers of ten that enclose both."""
    first = math.floor(math.log10(low))
    last = math.ceil(math.log10(high))
    return first, max(last, first + 1)


def curves(title, x_title, y_title, series):
    """`series`: {name: [(x, y), ...]}, everything above 0. Returns the SVG."""
    points = [point for line in series.values() for point in line]
    if not points or min(min(point) for point in points) <= 0:
        raise ValueError("no points to draw, or some that no logarithm has")
    x0, x1 = _decades(min(x for x, _ in points), max(x for x, _ in points))
    y0, y1 = _decades(min(y for _, y in points), max(y for _, y in points))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at_x(x):
        return LEFT + width * (math.log10(x) - x0) / (x1 - x0)

    def at_y(y):
        return TOP + height * (1 - (math.log10(y) - y0) / (y1 - y0))

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
        'font-family="sans-serif" font-size="12">' % (WIDTH, HEIGHT),
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="%d" y="22" font-size="15">%s</text>' % (LEFT, escape(title)),
    ]
    for power in range(x0, x1 + 1):
        x = at_x(10.0**power)
        parts.append(
            '<path d="M %.1f %d v %d" stroke="#ddd"/>'
            '<text x="%.1f" y="%d" text-anchor="middle">%s</text>'
            % (x, TOP, height, x, TOP + height + 18, _number(10.0**power))
        )
    for power in range(y0, y1 + 1):
        y = at_y(10.0**power)
        parts.append(
            '<path d="M %d %.1f h %d" stroke="#ddd"/>'
            '<text x="%d" y="%.1f" text-anchor="end">%s</text>'
            % (LEFT, y, width, LEFT - 8, y + 4, _number(10.0**power))
        )
    parts.append(
        '<text x="%d" y="%d" text-anchor="middle">%s</text>'
        % (LEFT + width / 2, HEIGHT - 14, escape(x_title))
    )
    parts.append(
        '<text transform="translate(20 %d) rotate(-90)" text-anchor="middle">'
        "%s</text>" % (TOP + height / 2, escape(y_title))
    )
    for i, (name, line) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        marker = MARKERS[i % len(MARKERS)]
        places = [
            ("%.1f" % at_x(x), "%.1f" % at_y(y)) for x, y in sorted(line)
        ]
        parts.append(
            '<g fill="%s" stroke="%s">' % (colour, colour)
            + '<polyline fill="none" stroke-width="1.5" points="%s"/>'
            % " ".join(",".join(place) for place in places)
            + "".join(marker.format(x=x, y=y) for x, y in places)
            + marker.format(x=WIDTH - RIGHT + 18, y=TOP + 12 + 20 * i)
            + "</g>"
        )
        parts.append(
            '<text x="%d" y="%d">%s</text>'
            % (WIDTH - RIGHT + 30, TOP + 16 + 20 * i, escape(name))
        )
    return "\n".join(parts) + "\n</svg>\n"
