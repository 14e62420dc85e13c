# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has CRIU's crit make a pagemap image of each line of `export -f page-runs`, and
compares what it then reads from that.

usage: check_crit.py FILE, in a directory to work in
"""

import json
import subprocess
import sys

# What the line says of the period besides. crit leaves it out.
OURS = {"pid", "period", "start_ns", "end_ns", "page_bytes", "is_whole"}

count = 0
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        period = json.loads(line)
        with open("period.json", "w", encoding="utf-8") as file:
            file.write(line)
        subprocess.run(
            ["crit", "encode", "-i", "period.json", "-o", "pagemap.img"],
            check=True)
        image = json.loads(subprocess.run(
            ["crit", "decode", "--pretty", "-i", "pagemap.img"], check=True,
            stdout=subprocess.PIPE).stdout)
        assert set(period) - OURS == {"magic", "entries"}, period.keys()
        assert image["magic"] == period["magic"] == "PAGEMAP", image
        assert image["entries"] == period["entries"], (image, period)
        count += len(image["entries"]) - 1
print(count, "runs")
