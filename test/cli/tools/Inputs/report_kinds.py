#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""report_kinds.py PAGETIDE SITES OTHER: every kind of report as a table.

The kinds are those that `pagetide report --help` names, so a new one is tested
too. SITES is a trace for kinds that need sites, OTHER for all others."""

import csv
import io
import json
import os
import re
import subprocess
import sys

pagetide, with_sites, other = sys.argv[1:]

# The list of --json that has the rows of --csv. None: it has more than rows.
LISTS = {"processes": "processes", "mappings": "mappings", "wss": "stretches",
         "hot": "ranges", "checksums": "mappings", "threads": "threads",
         "sites": None, "heatmap": None}
# Those of which the smallest come first.
ASCENDING = {"pid", "tid", "start_ns", "end_ns", "age"}


def run(*words):
    return subprocess.run([pagetide, "report", *words], capture_output=True,
                          text=True, timeout=60, check=False,
                          env=dict(os.environ, COLUMNS="200"))


def output(*words):
    done = run(*words)
    assert done.returncode == 0 and not done.stderr, (words, done)
    return done.stdout


def table(*words):
    rows = list(csv.reader(io.StringIO(output(*words, "--csv"))))
    assert all(len(row) == len(rows[0]) for row in rows), words
    return rows[0], rows[1:]


def as_csv(value):
    return "" if value is None else str(int(value)) \
        if isinstance(value, bool) else str(value)


def key(name, value):
    """What sorts before others has a smaller key."""
    if value == "":
        return (2, 0)
    if value.isdigit():
        return (0, int(value) if name in ASCENDING else -int(value))
    address = re.fullmatch("0x[0-9a-f]+", value)
    return (0, int(value, 16)) if address else (1, value)


def check(kind, trace):
    columns, rows = table(kind, trace)
    assert len(rows) > 1 or kind == "processes", (kind, rows)
    assert len(set(columns)) == len(columns), columns

    values = json.loads(output(kind, "--json", trace))
    if LISTS[kind]:
        listed = values[LISTS[kind]]
        assert [list(row) for row in listed] == [columns] * len(rows), kind
        assert [[as_csv(cell) for cell in row.values()]
                for row in listed] == rows, kind

    for number, name in enumerate(columns):
        words = (kind, "--sort", name, trace)
        got = table(*words)[1]
        assert sorted(got) == sorted(rows), words
        keys = [key(name, row[number]) for row in got]
        assert keys == sorted(keys), (words, keys)
        if kind != "heatmap":
            output(*words)
            if LISTS[kind]:
                listed = json.loads(output(*words, "--json"))[LISTS[kind]]
                assert [as_csv(row[name]) for row in listed] == \
                    [row[number] for row in got], words

    done = run(kind, "--sort", "nonsense", "--csv", trace)
    assert done.returncode != 0 and not done.stdout, done
    message = " ".join(done.stderr.split())
    assert ", ".join(columns) in message and "nonsense" in message, message
    done = run(kind, "--json", "--csv", trace)
    assert done.returncode != 0 and not done.stdout, done
    return len(columns)


def main():
    shown = run("--help").stdout.split("Kinds of reports.")[1]
    kinds = re.findall(r"^  ([a-z]+) {2,}", shown.split("\n\n")[0],
                       re.MULTILINE)
    assert set(kinds) == set(LISTS), kinds
    for kind in kinds:
        trace = with_sites if kind == "sites" else other
        print(kind, check(kind, trace), "columns")

    # What text shows first follows --sort.
    lines = output("mappings", "--sort", "name", other).splitlines()
    columns, rows = table("mappings", "--sort", "name", other)
    places = [next(i for i, line in enumerate(lines) if row[0] in line)
              for row in rows[:5]]
    assert places == sorted(places), lines
    # A picture has no rows.
    done = run("heatmap", "--sort", "pid", other)
    assert done.returncode == 2 and "--csv" in done.stderr, done


main()
