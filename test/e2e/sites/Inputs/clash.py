# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records clash.c and expects that every reader names both functions.

    clash.py PAGETIDE OPTIONS-FILE PROGRAM
"""

import csv
import json
import pathlib
import re
import subprocess
import sys

PAGETIDE, OPTIONS, PROGRAM = sys.argv[1:]
TRACE = PROGRAM + ".ptrace"
AREA = ["--address-range", "0x100000000000:0x100000002fff"]


def told(*words):
    return subprocess.run([PAGETIDE, *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


names = sorted(re.findall(r"put_\d+", pathlib.Path(OPTIONS).read_text(encoding="utf-8")))
assert len(names) == 2 and names[0] != names[1], names
told("record", "-p", "0", "-o", TRACE, "--", PROGRAM)

# All three pages are of the id that both have.
sites = json.loads(told("report", "sites", "--json", *AREA, TRACE))["sites"]
site, = [site for site in sites if site["ambiguous"]]
assert sorted(place["function"] for place in site["places"]) == names, site
assert site["pages"] == 3 and site["periods"] == 1, site

text = told("report", "sites", *AREA, TRACE)
line, = re.findall(r"^ *(put_\d+) or (put_\d+) +3 ", text, re.M)[:1]
assert sorted(line) == names, text
assert "1 id is ambiguous: two places have it" in text, text

rows = list(csv.DictReader(told(
    "export", "-f", "csv", "--what", "sites", "--columns", "all", *AREA, TRACE).splitlines()))
row, = [row for row in rows if row["places"] == "2"]
assert sorted(re.findall(r"put_\d+", row["place"])) == names, row
assert row["function"] == "", row
