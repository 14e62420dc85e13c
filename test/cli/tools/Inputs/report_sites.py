# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `pagetide report sites --json --annotate sort.cpp` says of the sample."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    told = json.load(file)

assert told["pagetide_report_sites"] == 1
assert told["site_count"] == 5 and not told["is_lower_bound"]
sites = {site["id"]: site for site in told["sites"]}
fill = sites["0x100"]
assert fill == {
    "id": "0x100", "ambiguous": False,
    "places": [{
        "function": "sort::fill(unsigned int*)", "file": "/src/sort.cpp",
        "line": 12, "column": 7, "reads": False, "writes": True, "libc": False,
        "inlined_in": [{"function": "main", "file": "/src/main.cpp",
                        "line": 40, "column": 3}]}],
    "pages": 6, "written": 6, "shared": 2, "most_threads": 2, "periods": 3,
    "accessed": 15}, fill
assert sites["0x300"]["ambiguous"]
assert [place["line"] for place in sites["0x300"]["places"]] == [50, 60]
call = sites["0x400"]["places"][0]
assert call["libc"] and call["offset"] == 0x1234 and call["line"] is None, call
assert call["file"] == "/lib/libz.so.1" and call["function"] is None, call
assert sites["0x500"]["places"] == []
assert told["annotated"] == ["/src/sort.cpp"]
assert told["lines"] == [{"line": 12, "pages": 6, "written": 6, "shared": 2,
                          "most_threads": 2}], told["lines"]
