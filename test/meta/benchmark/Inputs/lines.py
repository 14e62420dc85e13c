# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of benchmarks/run.py, made of lines that are known: two programs, for
whom marks cost 10% and 30%; engines that cost 1 and 8 us for each page."""

import json

NATIVE_S = 2.0
MARKS = {"bzip2": 0.1, "lua": 0.3}
US = {"write": 0, "uffd": 1, "fork": 8}
# Length in seconds, pages written.
PERIODS = {"1ms": (1e-3, 500), "10ms": (1e-2, 1000), "100ms": (0.1, 1500),
           "1s": (1.0, 2000)}
TOO_LONG = "lua", "fork-1ms"


def record(kind, **fields):
    print(json.dumps({"record": kind} | fields))


def pair(program, variant, against, cpu_s, trace=None, too_long=None):
    base = {"cpu_s": NATIVE_S, "wall_s": NATIVE_S, "peak_kib": 1024}
    measured = base | {"cpu_s": cpu_s, "wall_s": cpu_s, "trace": trace}
    record(
        "pair",
        program=program,
        variant=variant,
        against=against,
        round=0,
        first=against,
        void="took more than 40 s" if too_long else None,
        said="",
        too_long=too_long,
        base=base,
        measured=None if too_long else measured,
    )


machine = dict.fromkeys(
    ("cpu", "caches", "system", "pagetide", "compiler", "commit", "kernel"), "x"
)
machine |= {"date": "today", "cpus": 1, "memory_mib": 1, "load": 0.0}
groups = {
    "peers": [way + "-" + period for way in US for period in PERIODS],
    "ablation": ["near-without-chunks"],
}
record(
    "session",
    machine=machine,
    size="full",
    groups={g: {"variants": v, "rounds": 1} for g, v in groups.items()},
    seed=1,
)
for program, marks in MARKS.items():
    for way, us in US.items():
        for period, (seconds, pages) in PERIODS.items():
            variant = way + "-" + period
            rate = pages / seconds  # in native time
            periods = NATIVE_S / seconds
            cost = us * 1e-6 * rate + (marks if way == "write" else 0)
            trace = {"accessed_sum": pages * periods, "periods": periods,
                     "duration_s": NATIVE_S * (1 + cost), "overruns": 0,
                     "accessed_median": pages, "bytes": 1024}
            late = 40.0 if (program, variant) == TOO_LONG else None
            pair(
                program, variant, "native", NATIVE_S * (1 + cost), trace, late
            )
    pair(program, "near-without-chunks", "near", 1.5 * NATIVE_S)
