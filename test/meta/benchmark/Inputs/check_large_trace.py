"""Whether a report of a large trace has all its rows.

check_large_trace.py BYTES TRACE FACTS REPORT
"""

import json
import os
import sys

wanted, trace, facts, document = sys.argv[1:]
with open(facts, encoding="utf-8") as file:
    made = json.load(file)
with open(document, encoding="utf-8") as file:
    read = json.load(file)["traces"][0]
size = os.path.getsize(trace)
assert 1 <= size / int(wanted) < 1.2, size
assert read["integrity"] == "complete", read["integrity"]
assert read["periods"]["count"] == made["periods"] > 5, made
# Rows of the summary's union: threads share few pages.
granules = read["granules"]
rows = granules["accessed"]["sum"] + granules["may"]["sum"]
assert 0.5 < rows / made["rows"] <= 1, (rows, made)
# Checksums are of what was written, and most of the file is theirs.
sums = read["checksums"]
assert sums["stable"] + sums["unstable"] == granules["written"]["sum"], sums
assert sums["stable"] * 8 > 0.6 * size, (sums, size)
