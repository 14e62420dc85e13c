# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_report_json.py PAGETIDE DIRECTORY: reports of the sample traces.

Each must be valid JSON with the fields that docs/reference/cli-output.md names,
and say what is known of the sample.
"""

import json
import subprocess
import sys

pagetide, directory = sys.argv[1:]


def report(*names, status=0):
    done = subprocess.run(
        [pagetide, "report", "--json", *names],
        cwd=directory,
        stdout=subprocess.PIPE,
    )
    assert done.returncode == status, (names, done.returncode)
    document = json.loads(done.stdout.decode("utf-8"))
    assert document["pagetide_report"] == 1
    return document


FIELDS = set(
    """file bytes integrity stop_offset complete problem missing partial
    without_mappings damaged_bytes damage end run_id pid parent_pid layout
    precision cell_bytes granule_bytes page_bytes per_thread skips_constants marks_late checksum
    unstable monotonic_ns realtime_ns duration_ns period_ns periods granules
    curve mappings threads checksums cuts note_count notes""".split()
)
OF_PROCESS = {"executable", "arguments", "options", "engine", "runtime_version"}
FIGURES = {"median", "p95", "max", "sum", "distinct", "distinct_is_lower_bound"}

traces = {}
samples = """basic threads access write fine parts carried harvested failed-exec
    empty header-only unknown-frame missing long hostile unfinished cut
    cut-parts later-minor""".split()
for name in samples:
    (trace,) = report(name)["traces"]
    traces[name] = trace
    fields = set(trace)
    assert FIELDS <= fields, (name, FIELDS - fields)
    assert fields - FIELDS <= OF_PROCESS, (name, fields - FIELDS)
    for kind, figures in trace["granules"].items():
        assert figures is None or set(figures) == FIGURES, (name, kind)
    assert (trace["problem"] is None) == trace["complete"]
    assert not trace["damage"] and trace["damaged_bytes"] == 0

assert traces["basic"]["granules"]["accessed"]["distinct"] == 15
assert traces["basic"]["arguments"][2] == "two words.txt"
assert traces["basic"]["periods"] == dict(
    count=3, driven=0, off=0, off_ns=0, exact_in_windows=0, final=1, harvested=0,
    partial=0, missing=0, overruns=2
)
assert traces["basic"]["granules"]["written"] == dict(
    median=7, p95=8, max=8, sum=15, distinct=10, distinct_is_lower_bound=False
)
assert traces["basic"]["checksums"] == dict(
    stable=12, unstable=1, gone=1, unreadable=1
)
assert traces["basic"]["mappings"][0] == dict(
    name="[heap]",
    accessed=13,
    read=10,
    written=13,
    may=0,
    distinct=8,
    distinct_is_lower_bound=False,
)
assert traces["basic"]["notes"] == [
    dict(
        time_ns=1000000003,
        period=1,
        code="threads-shared",
        text="more threads than slots",
    )
]
assert traces["access"]["granules"]["read"] is None
assert traces["access"]["granules"]["written"] is None
assert traces["write"]["granules"]["read"] is None
assert traces["write"]["granules"]["written"]["sum"] == 3
assert traces["fine"]["granule_bytes"] == 64
assert traces["carried"]["granules"]["carried"]["sum"] == 1
assert traces["carried"]["granules"]["may"]["sum"] == 2
assert traces["carried"]["granules"]["may_read"]["sum"] == 1
assert traces["carried"]["granules"]["may_written"]["sum"] == 2
assert traces["carried"]["mappings"][0]["may"] == 2
assert traces["access"]["granules"]["may_read"] is None
assert traces["access"]["granules"]["may"]["sum"] == 1
assert traces["basic"]["precision"] == "exact"
assert traces["harvested"]["end"]["text"] == "death by SIGKILL"
assert traces["harvested"]["periods"]["partial"] == 1
assert traces["missing"]["periods"]["missing"] == 3
assert traces["missing"]["integrity"] == "complete"
assert traces["missing"]["missing"] == [dict(first=1, last=3)]
assert not traces["missing"]["complete"]
assert traces["unfinished"]["integrity"] == "unfinished"
assert traces["unfinished"]["end"] is None
assert traces["cut"]["integrity"] == "cut"
assert len(traces["long"]["curve"]["max_accessed"]) == 256
assert max(traces["long"]["curve"]["max_accessed"]) == 502
assert [t["tid"] for t in traces["threads"]["threads"]] == [0, 4242, 4243]
assert traces["threads"]["threads"][2]["accessed"] == 8
assert traces["hostile"]["executable"] == "/tmp/\x1b[31mred\ufffd"

(damaged,) = report("damaged", status=2)["traces"]
assert damaged["integrity"] == "damaged" and damaged["stop_offset"] == 344
assert damaged["missing"] == [dict(first=2, last=None)]

(inside,) = report("damaged-inside", status=2)["traces"]
assert inside["integrity"] == "damaged" and not inside["complete"]
assert inside["periods"]["count"] == 5 and inside["periods"]["missing"] == 1
assert inside["missing"] == [dict(first=3, last=3)] and inside["partial"] == []
(place,) = inside["damage"]
assert place["offset"] == inside["stop_offset"]
assert place["bytes"] == inside["damaged_bytes"] > 0
assert place["reason"] == "the frame's hash is wrong"
assert "period 3 is missing" in inside["problem"]

both = report("basic", "unfinished", "nothing", status=2)
assert [t["file"] for t in both["traces"]] == ["basic", "unfinished"]
assert both["totals"] == {"traces": 2, "incomplete": 1, "periods": 6}
assert report("nothing", status=2)["traces"] == []
