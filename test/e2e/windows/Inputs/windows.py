#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: windows.py PAGETIDE TRACE PAGES

In each window, the thread of exact.c went round all of its pages after the
window's first period. PAGES has the number of the first page, and how many.
"""

import csv
import io
import subprocess
import sys


def exported(what, tool, trace):
    text = subprocess.run([tool, "export", "-f", "csv", "--what", what, trace],
                          check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def main():
    tool, trace, pages = sys.argv[1:]
    first, many = map(int, open(pages).read().split()[:2])
    windows, last_was_off = [[]], False
    for period in exported("periods", tool, trace):
        is_off = period["off"] == "1"
        if last_was_off and not is_off:
            windows.append([])
        if not is_off:
            windows[-1].append(period["period"])
        last_was_off = is_off
    written = {}
    for row in exported("pages", tool, trace):
        page = int(row["address"], 16) // 4096 - first
        if 0 <= page < many:
            written.setdefault(row["period"], set()).add(page)
    whole = 0
    for window in windows:
        seen = set().union(*(written.get(period, set()) for period in window[1:]))
        if seen and len(seen) != many:
            sys.exit(f"periods {window}: {len(seen)} of {many} pages")
        whole += bool(seen)
    print(f"{whole} of {len(windows)} windows have all pages")
    if whole < 3: # on a busy machine the thread may have had no processor
        sys.exit("too few to say anything")


main()
