# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Section crowd of scaling.py: many threads at once, those with a shadow of their
own and those that share one. Pairs of runs, native and recorded."""

import json
import statistics

import report
from sections import of_kind

#: Few have a shadow each under layout rw and precision near; the rest share.
ALONE = 64


def _run(bench, build, trace, kind, threads, steps):
    settings = {}
    if trace:
        settings["PAGETIDE_OPTIONS"] = (
            "trace_path='%s':period=100ms:checksum=none:verbosity=0" % trace
        )
    done = bench.run([bench.crowd_programs[build], kind, threads, steps],
                     **settings)
    return json.loads(done.stdout)


def measure(bench, scale):
    trace = bench.directory / "crowd.ptrace"
    for round_number in range(scale["rounds"]):
        for kind in ("asleep", "busy"):
            for threads in scale["crowd"]:
                steps = max(scale["crowd_steps"] // threads, 1)
                record = {
                    "record": "crowd", "kind": kind, "threads": threads,
                    "round": round_number, "void": None,
                }
                sides = ["native", "rw"]
                if round_number % 2:
                    sides.reverse()
                for side in sides:
                    record[side] = _run(
                        bench, side, trace if side == "rw" else None, kind,
                        threads, steps,
                    )
                if not trace.exists():
                    record["void"] = "nothing was recorded"
                trace.unlink(missing_ok=True)
                yield record


def table(records):
    """Medians of recorded over native. The last column compares a store's marked
    time with that of so many threads that each has a shadow of its own."""
    groups = {}
    for r in of_kind(records, "crowd"):
        groups.setdefault((r["kind"], r["threads"]), []).append(r)

    def median(of, value):
        return statistics.median(value(r) for r in of)

    def ratio(of, key):
        return "%.2f" % median(of, lambda r: r["rw"][key] / r["native"][key])

    rows = []
    for (kind, threads), of in groups.items():
        step = median(of, lambda r: r["rw"]["step_ns"])
        few = groups.get((kind, ALONE))
        growth = report.NOTHING
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
    return report.table(header, rows)
