# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sections of scaling.py: two threads that share pages or do not, and many threads
at once, those with a shadow of their own and those that share one. Pairs of runs,
native and marked or recorded."""

import json
import os
import statistics
import time

from failure import Failure
from sections import alternating, grouped
from tables import NOTHING, spread, table

#: Few have a shadow each under layout rw and precision near; the rest share.
ALONE = 64


def _run(bench, program, build, words, period=None):
    """The finished process, recorded if there is a period, and whether it left a
    trace."""
    trace = bench.directory / "threads.ptrace"
    settings = {}
    if period:
        settings["PAGETIDE_OPTIONS"] = (
            "trace_path='%s':period=%s:checksum=none:verbosity=0"
            % (trace, period)
        )
    done = bench.run([bench.programs[program, build], *words], **settings)
    left = trace.exists()
    trace.unlink(missing_ok=True)
    return done, left


def measure(bench, scale):
    """Pairs of native and marked runs, by kind of sharing and threads."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Failure(
            "this process may use one processor only: what two threads do to "
            "each other cannot be seen"
        )
    for round_number in range(scale["rounds"]):
        for kind in ("private", "neighbouring", "shared"):
            for threads in (1, 2):
                for variant, period in (("rw", None), ("rw-10ms", "10ms")):
                    yield _pair(bench, scale, round_number, kind, threads,
                                variant, period)


def _pair(bench, scale, round_number, kind, threads, variant, period):
    record = {
        "record": "threads", "kind": kind, "threads": threads,
        "variant": variant, "round": round_number, "void": None,
    }
    outputs = set()
    for side in alternating(("native", "measured"), round_number):
        is_native = side == "native"
        start = time.monotonic()
        done, left = _run(bench, "share", "native" if is_native else "rw",
                          (kind, threads, scale["steps"]),
                          None if is_native else period)
        record[side] = {"cpu_s": int(done.stderr) / 1e9,
                        "wall_s": time.monotonic() - start}
        outputs.add(done.stdout)
        if period and not is_native and not left:
            record["void"] = "nothing was recorded"
    if len(outputs) != 1:
        record["void"] = "another output than native"
    return record


def table_of(records):
    groups = grouped(
        records, "threads", lambda r: (r["kind"], r["variant"], r["threads"]),
        lambda r: r["measured"]["cpu_s"] / r["native"]["cpu_s"])
    rows = []
    for kind, variant in dict.fromkeys(key[:2] for key in groups):
        found = [groups.get((kind, variant, n)) for n in (1, 2)]
        rows.append([
            "%s %s" % (kind, variant),
            *(spread(ratios) if ratios else NOTHING for ratios in found),
            "%.3f" % (statistics.median(found[1]) / statistics.median(found[0]))
            if all(found) else NOTHING,
        ])
    return table(["pages", "1 thread", "2 threads", "2 over 1"], rows)


def measure_crowd(bench, scale):
    for round_number in range(scale["rounds"]):
        for kind in ("asleep", "busy"):
            for threads in scale["crowd"]:
                steps = max(scale["crowd_steps"] // threads, 1)
                record = {
                    "record": "crowd", "kind": kind, "threads": threads,
                    "round": round_number, "void": None,
                }
                for side in alternating(("native", "rw"), round_number):
                    period = "100ms" if side == "rw" else None
                    done, left = _run(bench, "crowd", side,
                                      (kind, threads, steps), period)
                    record[side] = json.loads(done.stdout)
                    if period and not left:
                        record["void"] = "nothing was recorded"
                yield record


def crowd_table(records):
    """Medians of recorded over native. The last column compares a store's marked
    time with that of so many threads that each has a shadow of its own."""
    groups = grouped(records, "crowd", lambda r: (r["kind"], r["threads"]))

    def median(of, value):
        return statistics.median(value(r) for r in of)

    def ratio(of, key):
        return "%.2f" % median(of, lambda r: r["rw"][key] / r["native"][key])

    rows = []
    for (kind, threads), of in groups.items():
        step = median(of, lambda r: r["rw"]["step_ns"])
        few = groups.get((kind, ALONE))
        growth = NOTHING
        if few:
            growth = "%.2f" % (step / median(few, lambda r: r["rw"]["step_ns"]))
        rows.append([
            "%d %s" % (threads, kind),
            "%.1f" % (median(of, lambda r: r["rw"]["create_ns"]) / 1e3),
            ratio(of, "create_ns"),
            ratio(of, "all_ns"),
            ratio(of, "cpu_ns"),
            "%.2f" % step,
            growth,
        ])
    header = [
        "threads", "one start us", "over native", "start to end over native",
        "processor time over native", "ns a store", "over %d threads" % ALONE,
    ]
    return table(header, rows)
