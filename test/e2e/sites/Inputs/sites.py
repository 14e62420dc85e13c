# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records sites.c in one mode and compares what `pagetide report sites` says of it.

    sites.py PAGETIDE SOURCE PROGRAM LAYOUT MODE [RECORD-OPTION...]
"""

import json
import os
import subprocess
import sys

PAGETIDE, SOURCE, PROGRAM, LAYOUT, MODE, *OPTIONS = sys.argv[1:]
AREA = ["--address-range", "0x100000000000:0x10000003ffff"]


def line_of(mark):
    with open(SOURCE, encoding="utf-8") as source:
        return next(number for number, line in enumerate(source, 1)
                    if line.rstrip().endswith(f"/* {mark} */"))


def report(trace, *options):
    done = subprocess.run([PAGETIDE, "report", "sites", "--json", *AREA, *options,
                           trace], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def site_at(sites, mark, libc=False):
    line = line_of(mark)
    found = [site for site in sites for place in site["places"]
             if place["line"] == line and place["libc"] == libc]
    assert len(found) == 1, f"{mark}: {len(found)} sites at line {line}: {sites}"
    return found[0]


def expect(site, **figures):
    for name, wanted in figures.items():
        assert site[name] == wanted, (name, wanted, site)


def main():
    trace = f"{LAYOUT}-{MODE}.ptrace"
    subprocess.run([PAGETIDE, "record", "-o", trace, *OPTIONS, "--",
                    os.path.abspath(PROGRAM), MODE],
                   check=MODE != "killed", stderr=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    assert os.path.exists(trace)
    told = report(trace)
    sites = told["sites"]
    one_cell = LAYOUT == "site"
    # Addresses of calls in the last period of a killed program are lost.
    unknown = [site for site in sites if not site["places"]]
    assert len(unknown) == (MODE == "killed"), unknown
    assert not any(site["ambiguous"] for site in sites), sites

    written = None if one_cell else 5 * (2 if MODE == "fork" else 1)
    put = site_at(sites, "put")
    expect(put, pages=10 if MODE == "fork" else 5, written=written, shared=0)
    place = put["places"][0]
    assert place["function"] == "put" and place["writes"] and not place["reads"]
    assert [(caller["function"], caller["line"]) for caller in
            place["inlined_in"]] == [("write_five", line_of("write_five"))], place

    expect(site_at(sites, "look"), pages=7, written=None if one_cell else 0,
           shared=3, most_threads=2)
    expect(site_at(sites, "work"), pages=3, written=None if one_cell else 3,
           shared=3, most_threads=2)

    # What the pass has the runtime do has the place of the access.
    expect(site_at(sites, "memset"), pages=3, written=None if one_cell else 3)
    # Another call of libc is known by its address, and found by libdw.
    text = unknown[0] if unknown else site_at(sites, "snprintf", libc=True)
    expect(text, pages=1, written=None if one_cell else 1)
    assert unknown or text["places"][0]["function"] == "main", text

    # Only these touched the area.
    assert len(sites) == 5, sites
    if not one_cell:
        reads = report(trace, "--reads")["sites"]
        assert [site["places"][0]["function"] for site in reads] == ["look"], reads
    lines = {line["line"]: line["pages"] for line in
             report(trace, "--annotate", "sites.c")["lines"]}
    assert lines[line_of("look")] == 7 and lines[line_of("memset")] == 3, lines


main()
