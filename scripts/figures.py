#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills the figures of documents in from docs/measurements, so that each has one
source.

A figure is followed by a comment that says where it is from:

    1.25<!--cost: near; geomean, real-->

That is docs/measurements/cost.md: of the first table that has a column `near` and
a row that begins with `geomean, real`, what stands where they meet. A third part
is what the title of the table begins with, if the first table is not meant. The
figure keeps its number of decimals. Of a cell such as `1.57 (1.46..2.10)` the
first number counts.

usage: figures.py            writes the figures that are not those of the tables
       figures.py --check    names them; exit status 1 if there are any
Further words are documents, instead of those that have figures.
"""

import decimal
import functools
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).absolute().parent.parent
MEASUREMENTS = TOP / "docs" / "measurements"
DOCUMENTS = ("README.md",) + tuple(
    "docs/using/%s.md" % name for name in ("building", "comparison", "performance"))

FIGURE = re.compile(r"(\d[\d,]*(?:\.\d+)?)<!--(\w+): ([^;>]+); ([^;>]+?)(?:; ([^>]+?))?-->")
# What looks like one and has no source: a number with two decimals or more that is
# no part of a version, a name or an address.
UNSOURCED = re.compile(r"(?<![\w./-])\d+\.\d\d+\b(?![.-]\w)")
CODE = re.compile(r"^```.*?^```$|<!--.*?-->", re.MULTILINE | re.DOTALL)


@functools.cache
def tables(document):
    """Of a document of measurements: title, columns and rows of each table."""
    title, columns, found = "", None, []
    for line in (MEASUREMENTS / (document + ".md")).read_text().splitlines():
        if line.startswith("#"):
            title = line.lstrip("# ")
        if not line.startswith("|"):
            columns = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if columns is None:
            columns = cells
            found.append((title, columns, []))
        elif not set(cells[0]) <= set("-: "):
            found[-1][2].append(cells)
    return found


def cell(document, column, row, title):
    """What a figure's source has."""
    for head, columns, rows in tables(document):
        if column in columns and head.startswith(title):
            for cells in rows:
                if cells[0].startswith(row):
                    return cells[columns.index(column)]
    raise LookupError(
        "docs/measurements/%s.md has no table%s with a column '%s' and a row '%s...'"
        % (document, " '%s...'" % title if title else "", column, row))


def as_written(found, figure):
    """The number of a cell, with the decimals of the figure."""
    number = re.match(r"-?[\d,]*\.?\d+", found)
    if not number:
        raise LookupError("a cell that is no number: '%s'" % found)
    last = decimal.Decimal(1).scaleb(-len(figure.partition(".")[2]))
    exact = decimal.Decimal(number[0].replace(",", ""))
    return str(exact.quantize(last, decimal.ROUND_HALF_UP))


def filled(path):
    """The document's text as it is, as it should be, and what is wrong with it."""
    text, faults = path.read_text(), []

    def fill(match):
        figure, document, column, row, title = match.groups()
        try:
            right = as_written(cell(document, column, row, title or ""), figure)
        except (LookupError, OSError) as error:
            faults.append("%s: %s" % (match[0], error))
            return match[0]
        if right != figure:
            faults.append("%s: is %s now" % (match[0], right))
        return right + match[0][len(figure):]

    right = FIGURE.sub(fill, text)
    for number in UNSOURCED.finditer(CODE.sub("", FIGURE.sub("", text))):
        faults.append("%s has no source" % number[0])
    return text, right, faults


def main(words):
    check = "--check" in words
    places = [word for word in words if word != "--check"] or DOCUMENTS
    wrong = False
    for place in places:
        path = TOP / place
        text, right, faults = filled(path)
        if not check and right != text:
            path.write_text(right)
            faults = filled(path)[2]
        for fault in faults:
            print("%s: %s" % (place, fault))
        wrong |= bool(faults)
    if wrong and check:
        print("scripts/figures.py fills in what the tables have")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
