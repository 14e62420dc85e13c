# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares traces of sparse.c in several units: each has the units of which the
first trace, in the finest, has a granule.

    fold.py PAGETIDE TRACE:UNIT...
"""

import csv
import subprocess
import sys

AREA = range(0x100000000000, 0x100000000000 + (16 << 20))


def rows_of(pagetide, trace, unit):
    """(period, address) to (was read, was written)."""
    done = subprocess.run([pagetide, "export", "--format", "csv", trace], check=True,
                          stdout=subprocess.PIPE, text=True)
    rows = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        address = int(row["address"], 16)
        if address not in AREA:
            continue
        assert address % unit == 0, (trace, row)
        assert row["may"] == "", (trace, row)
        written = row["written"] == "1"
        assert row["state"] == ("stable" if written else "none"), (trace, row)
        key = int(row["period"]), address
        assert key not in rows, (trace, row)
        rows[key] = row["read"] == "1", written
    return rows


def folded(rows, unit):
    units = {}
    for (period, address), (read, written) in rows.items():
        key = period, address // unit * unit
        before = units.get(key, (False, False))
        units[key] = before[0] or read, before[1] or written
    return units


def main():
    pagetide, *traces = sys.argv[1:]
    finest = None
    for text in traces:
        trace, unit = text.split(":")
        rows = rows_of(pagetide, trace, int(unit))
        if finest is None:
            finest = rows
            assert len(rows) > 1000, len(rows)
        expected = folded(finest, int(unit))
        assert rows == expected, (trace, set(rows.items()) ^ set(expected.items()))
        print(trace, len(rows))


if __name__ == "__main__":
    main()
