# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every stable checksum of a page is that of a content the page had.

The program says what these are, in lines "NAME ADDRESS HASH..." of its output.
A page with the name "certain" must have a stable checksum, at least once.
"""

import csv
import sys

known = {}
for line in open(sys.argv[1], encoding="ascii"):
    name, address, *hashes = line.split()
    known[int(address, 16)] = name, {int(value, 16) for value in hashes}

failures, stable, seen = [], set(), set()
for row in csv.DictReader(open(sys.argv[2], encoding="utf-8")):
    address = int(row["address"], 16)
    if address not in known:
        continue
    name, hashes = known[address]
    seen.add(name)
    if row["checksum"]:
        stable.add(name)
        if int(row["checksum"], 16) not in hashes:
            failures.append(f"{name}: period {row['period']} of {row['pid']}: "
                            f"{row['checksum']} is of no content it had")
for name, _ in known.values():
    if name not in seen:
        failures.append(f"{name}: in no set")
    if name == "certain" and name not in stable:
        failures.append(f"{name}: never stable")
print("\n".join(failures[:20]))
sys.exit(bool(failures))
