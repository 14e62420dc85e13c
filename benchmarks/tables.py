# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables in Markdown that reads well in a terminal."""

import math
import statistics

NOTHING = "-"


def table(header, rows):
    """Its columns are as wide as what is in them."""
    widths = [max(map(len, column)) for column in zip(header, *rows)]

    def line(cells):
        padded = [cells[0].ljust(widths[0])]
        padded += [c.rjust(w) for c, w in zip(cells[1:], widths[1:])]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * widths[0]] + ["-" * (w - 1) + ":" for w in widths[1:]]
    return "\n".join([line(header), line(rule), *map(line, rows)])


def geomean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def spread(values, form="%.3f"):
    """The median, the least and the greatest."""
    text = "%s (%s..%s)" % (form, form, form)
    return text % (statistics.median(values), min(values), max(values))


def list_part(title, lines):
    """A part that is a list, or none if the list is empty."""
    listed = "\n".join("- " + line for line in lines)
    return ["### %s\n\n%s" % (title, listed)] if listed else []


def head(session, rounds):
    """What was measured when, and on what."""
    machine = session["machine"]
    text = """\
Measured %(date)s, sizes `%(size)s`, rounds: %(rounds)d.

- %(cpu)s, %(cpus)d CPUs, %(caches)s, %(memory_mib)s MiB of memory, %(system)s, Linux %(kernel)s
- %(pagetide)s, commit %(commit)s, compiled by %(compiler)s
- load at the start: %(load).2f""" % {
        **machine, "size": session["size"], "rounds": rounds,
        "caches": machine["caches"] or "caches unknown",
    }
    if session["size"] == "smoke":
        text += (
            "\n\n**Sizes `smoke` take milliseconds: they show that everything "
            "works, and say nothing about speed.**"
        )
    return text
