# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: follows.py PAGETIDE WANDERS, in an empty directory

A full trace of windows is followed by the next one.
"""

import csv
import glob
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time

TOOL, WANDERS = sys.argv[1:]
KEEP = 2
os.mkdir("traces")
with subprocess.Popen([WANDERS], env={
        **os.environ,
        "PAGETIDE_OPTIONS": "trace_path=traces/w:window=80ms:every=160ms:period=2ms:"
                            f"keep_traces={KEEP}:trace_limit_mib=1"}) as program:
    seen = set()
    while len(seen) < KEEP:
        assert program.poll() is None
        time.sleep(0.05)
        seen |= {os.stat(trace).st_ino for trace in glob.glob("traces/*")}
    time.sleep(0.5)
    program.send_signal(signal.SIGALRM)
assert program.returncode == 0, program.returncode
TRACES = glob.glob("traces/*")
assert len(TRACES) == KEEP, TRACES
reports = [json.loads(subprocess.run([TOOL, "report", "--json", trace],
                                     check=True, capture_output=True,
                                     text=True).stdout)["traces"][0]
           for trace in TRACES]
full = ["another one goes on" in str(report["notes"]) for report in reports]
assert full.count(False) <= 1, full  # the last one
assert all(report["complete"] for report in reports)
# Each begins with a window, and says since when its only thread is exact.
assert all(report["periods"]["exact_in_windows"] for report in reports)
assert all(report["granules"]["accessed"]["distinct_is_lower_bound"]
           for report in reports if report["periods"]["off"])

# Alone: a report shows all traces of a run.
largest = shutil.copy(max(TRACES, key=os.path.getsize), "largest.ptrace")


def wss(*options):
    return json.loads(subprocess.run(
        [TOOL, "report", "wss", "--json", *options, largest], check=True,
        capture_output=True, text=True).stdout)


sizes = [stretch["accessed"] for stretch in wss("--to", "320ms")["stretches"]]
estimate = wss()["estimate"]
print(sizes, estimate)
assert None in sizes and any(sizes)
assert estimate["whole"] <= estimate["windows"]
if estimate["whole"] > 1:
    assert estimate["low"] <= estimate["mean"] <= estimate["high"], estimate
    assert estimate["mean"] <= 16384 + 8, estimate
periods = list(csv.DictReader(io.StringIO(subprocess.run(
    [TOOL, "export", "-f", "csv", "--what", "periods", largest], check=True,
    capture_output=True, text=True).stdout)))
assert all((period["off"] == "1") == (period["accessed"] == "")
           for period in periods)
