# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a program's processor time goes: samples by library, taken by perf."""

import collections
import shutil
import statistics
import subprocess

from failure import Failure
from tables import NOTHING, table

# Not a multiple of anything that a program does each millisecond.
HERTZ = 1997

# Of fewer samples a share is off by some percent.
LEAST_SAMPLES = 100

# What a sample is in. The rest of the user time is in other libraries.
PAGETIDE, LIBC, PROGRAM, OTHER = "libpagetide", "libc", "program", "other"


def sampler(data):
    """The command that runs a program and writes samples to the file `data`.
    The clock is a timer of the kernel, so no hardware counter is needed. Only
    user time is sampled: that is what a user may do by default."""
    return [
        _perf(), "record", "--quiet", "--no-buildid-cache", "--event",
        "cpu-clock:u", "--freq", str(HERTZ), "--output", str(data), "--",
    ]


def _perf():
    return shutil.which("perf") or "perf"


def why_not(directory):
    """Why no program can be sampled here; None: it can be."""
    if shutil.which("perf") is None:
        return "perf is missing; install Debian's package linux-perf"
    data = directory / "perf.data"
    trial = subprocess.run(
        [*sampler(data), "true"], capture_output=True, text=True
    )
    data.unlink(missing_ok=True)
    if trial.returncode == 0:
        return None
    said = trial.stderr.strip().splitlines() or ["nothing"]
    return (
        "perf record failed with status %d and said: %s; see "
        "/proc/sys/kernel/perf_event_paranoid (2 or less is needed)"
        % (trial.returncode, said[0])
    )


def read_samples(data, program):
    """How many samples were in what. `program` is the executable's name."""
    report = subprocess.run(
        [
            _perf(), "report", "--input", data, "--stdio", "--quiet",
            "--fields", "sample,dso", "--field-separator", ";",
        ],
        capture_output=True,
        text=True,
    )
    if report.returncode != 0:
        raise Failure(
            "perf report failed with status %d: %s"
            % (report.returncode, report.stderr.strip()[:400])
        )
    counts = collections.Counter()
    for line in report.stdout.splitlines():
        number, _, library = line.partition(";")
        if library:
            counts[_kind(library.strip(), program)] += int(number)
    return dict(counts)


def _kind(library, program):
    if library.startswith("libpagetide.so"):
        return PAGETIDE
    if library.startswith("libc.so") or library.startswith("libc-"):
        return LIBC
    return PROGRAM if library == program else OTHER


def share(record, kind):
    """The share of all processor time, the kernel's included, that a profile's
    run spent in that; None if there were too few samples."""
    samples, measured = record["samples"], record["measured"]
    count = sum(samples.values())
    if record["void"] or count < LEAST_SAMPLES:
        return None
    user_share = measured["user_s"] / measured["cpu_s"]
    return samples.get(kind, 0) / count * user_share


def cell(record):
    """The shares of libpagetide, libc and the program, in percent."""
    if record is None:
        return NOTHING
    if record["void"]:
        return "void"
    shares = [share(record, kind) for kind in (PAGETIDE, LIBC, PROGRAM)]
    if None in shares:
        return NOTHING
    return " / ".join("%.1f" % (100 * x) for x in shares)


#===- Table ----------------------------------------------------------------===#


def _table(m, group, kinds_of_programs):
    variants = [
        v
        for v in m.variants(group, "kernel", "real")
        if any(variant == v.name for _, variant in m.profiles)
    ]
    if not variants:
        return None

    def profile(program, variant):
        return m.profiles.get((program, variant.name))

    rows = [
        [name, *(cell(profile(name, v)) for v in variants)]
        for name in m.programs("kernel", "real")
    ]
    for title, kinds in kinds_of_programs[:2]:
        shares = [
            [
                share(record, PAGETIDE)
                for name in m.programs(*kinds)
                if (record := profile(name, v))
            ]
            for v in variants
        ]
        if any(shares):
            rows.append(
                ["most in libpagetide, %s" % title]
                + [
                    "%.1f" % (100 * max(column))
                    if column and None not in column
                    else NOTHING
                    for column in shares
                ]
            )
    for title, kinds in kinds_of_programs[:2]:
        rows += _added_rows(m, title, m.programs(*kinds), variants)
    return table(["program", *(v.name for v in variants)], rows)


def _added_rows(m, title, programs, variants):
    """What libpagetide and libc take together, less what libc takes natively."""
    columns = [[_added(m, name, v) for name in programs] for v in variants]
    known = [[x for x in column if x is not None] for column in columns]
    if not any(known):
        return []
    return [
        ["%s added to libc, %s" % (word, title)]
        + ["%.1f" % (100 * choose(x)) if x else NOTHING for x in known]
        for word, choose in (("median", statistics.median), ("most", max))
    ]


def _added(m, program, variant):
    """As a share of native's time, or None."""
    native = m.profiles.get((program, "control"))
    marked = m.profiles.get((program, variant.name))
    ratio = m.ratio(program, variant, "cpu_s")
    if not native or not marked or not ratio:
        return None
    shares = [
        share(native, LIBC),
        share(marked, LIBC),
        share(marked, PAGETIDE),
    ]
    if None in shares:
        return None
    before, libc, pagetide = shares
    return (libc + pagetide) * ratio - before


def parts(m, group, kinds_of_programs):
    """Where the time goes, by program and marked variant."""
    title = "### Share of time in libpagetide / in libc / in the program, percent"
    if m.unprofiled:
        return [title, "Not measured: %s." % m.unprofiled]
    text = _table(m, group, kinds_of_programs)
    return [title, text] if text else []
