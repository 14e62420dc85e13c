# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A section of scaling.py: for how long engines hold up a thread that writes, by
the size of the memory. A stretch of time is as long as a period, so there is one
boundary in most of them."""

import json
import statistics

from failure import Failure
from frame import say
from sections import of_kind
from tables import NOTHING, table

PERIOD_MS = 200
WAYS = ("native", "uffd", "fork", "soft-dirty")
# Every page of the memory, or one in 2 MiB.
SHAPES = {"dense": 1, "sparse": 512}


def _available_mib():
    with open("/proc/meminfo", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) >> 10
    return 0


def measure(bench, scale):
    for mib in scale["pause_mib"]:
        for shape, stride in SHAPES.items():
            # Of pages that are written, a keeper has copies.
            if 2 * mib // stride > _available_mib():
                say("  %d MiB %s is left out: too little memory is free" % (mib, shape))
                continue
            for way in WAYS:
                yield _run(bench, scale, way, mib, shape)


def _run(bench, scale, way, mib, shape):
    record = {"record": "pause", "way": way, "mib": mib, "shape": shape,
              "longest_ns": None, "void": None}
    command = [bench.pause_program, mib, SHAPES[shape], PERIOD_MS,
               scale["pause_windows"]]
    trace = bench.directory / "pause.ptrace"
    if way != "native":
        command = [bench.toolchain.pagetide, "record", "--engine", way, "-p",
                   "%dms" % PERIOD_MS, "-o", trace, "--", *command]
    try:
        record["longest_ns"] = json.loads(bench.run(command).stdout)
        if way != "native" and not trace.exists():
            record["void"] = "it left no trace"
    except Failure as failure:
        if "cannot work on this kernel" not in str(failure):
            record["void"] = str(failure)
    trace.unlink(missing_ok=True)
    return record


def table_of(records):
    rows = {}
    for r in of_kind(records, "pause"):
        longest = r["longest_ns"]
        cell = NOTHING
        if longest:
            cell = "%.0f (%.0f)" % (statistics.median(longest) / 1e3,
                                    max(longest) / 1e3)
        rows.setdefault((r["mib"], r["shape"]), {})[r["way"]] = cell
    return table(
        ["memory", *WAYS],
        [["%d MiB %s" % key, *(row.get(way, NOTHING) for way in WAYS)]
         for key, row in rows.items()])
