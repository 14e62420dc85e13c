# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shared_memory.py FILE: checks `report processes --json` of shared_memory.c."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
processes = {row["pid"]: row for row in report["processes"]}
assert len(processes) == 4, processes
parent = min(processes)
workers = set(processes) - {parent}

shared = {row["name"].split("/")[-1]: row for row in report["shared_memory"]}
assert len(report["shared_memory"]) == 2, report["shared_memory"]
zero = shared["zero (deleted)"]
assert set(zero["pids"]) == set(processes), zero
assert (zero["distinct"], zero["written"]) == (40, 40), zero
file = shared["file"]
assert set(file["pids"]) == workers, file
assert (file["distinct"], file["written"]) == (20, 20), file
assert processes[parent]["shared"] == 40
assert all(processes[pid]["shared"] == 60 for pid in workers), processes
