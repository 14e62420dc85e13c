# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""emulate_pages.py ADDRESS COUNT: the CSV on standard input has COUNT pages from
ADDRESS on, all written."""

import csv
import sys

ADDRESS, COUNT = int(sys.argv[1], 16), int(sys.argv[2])
written = {int(row["address"], 16) for row in csv.DictReader(sys.stdin)
           if row["written"] == "1"}
missing = [hex(page) for page in range(ADDRESS, ADDRESS + COUNT * 4096, 4096)
           if page not in written]
sys.exit(f"not written: {missing}" if missing else 0)
