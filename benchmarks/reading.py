#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long `pagetide` takes to read large traces: each report, the HTML
page and each export. Of several rounds the one with the least user time counts.
README.md beside this file says how to read the tables.

Exit status: 0; 1 if a command or a section failed; 2 if nothing could be
measured.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import commands
import frame
import sections
from failure import Failure
from frame import say
from sections import Table, of_kind
from tables import table


def _scale(report_bytes, export_bytes):
    """The bytes of the traces that reports read, and of that which exports read:
    a row of a table of text has ten times as many bytes."""
    return {
        "rounds": 1,
        "report_bytes": report_bytes,
        "export_bytes": export_bytes,
        # Four traces of each size, and a database of some bytes a row.
        "disk_bytes": 4 * report_bytes + 20 * export_bytes,
    }


SCALES = {
    "full": _scale(1000 * 10**6, 100 * 10**6),
    "quick": _scale(100 * 10**6, 10 * 10**6),
    "smoke": _scale(10**6, 10**6),
}

# The kind of trace (reading/large_trace.cpp), and the command's words. FILE is
# the trace, OUT a file to be written.
SUMMARY = ("report", "FILE")
REPORTS = (
    ("process", SUMMARY),
    ("scattered", SUMMARY),
    ("threads", SUMMARY),
    ("sites", SUMMARY),
    ("process", ("report", "--json", "FILE")),
    ("process", ("report", "heatmap", "FILE")),
    ("process", ("report", "heatmap", "-o", "OUT.svg", "FILE")),
    ("process", ("report", "wss", "FILE")),
    ("process", ("report", "hot", "FILE")),
    ("process", ("report", "mappings", "FILE")),
    ("process", ("report", "checksums", "FILE")),
    ("process", ("report", "processes", "FILE")),
    ("threads", ("report", "threads", "FILE")),
    ("sites", ("report", "sites", "FILE")),
    ("process", ("report", "wss", "--mapping", "[heap]", "FILE")),
    ("process", ("info", "FILE")),
    ("process", ("html", "FILE", "-o", "OUT.html")),
    ("sites", ("html", "FILE", "-o", "OUT.html")),
)
EXPORTS = (
    ("process", ("export", "-f", "csv", "FILE")),
    ("process", ("export", "-f", "jsonl", "FILE")),
    ("process", ("export", "-f", "json", "FILE")),
    ("process", ("export", "-f", "sqlite", "-o", "OUT.db", "FILE")),
    ("process", ("export", "-f", "chrome-trace", "FILE")),
    ("process", ("export", "-f", "page-runs", "FILE")),
    ("process", ("export", "-f", "csv", "--what", "periods", "FILE")),
    ("process", ("diff", "FILE", "FILE")),
)


def timed(command):
    """Seconds and memory of one run of a command, and what it wrote to standard
    error if it failed."""
    with tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        child = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
    # `diff` has a status for pages that cannot be compared, and says nothing.
    failed = child.returncode < 0 or (child.returncode != 0 and said)
    return {
        "wall_s": wall,
        "user_s": usage.ru_utime,
        "system_s": usage.ru_stime,
        "peak_mib": usage.ru_maxrss / 1024,
        "void": "exit status %d: %s" % (child.returncode, said[:400])
        if failed
        else None,
    }


def read_ahead(path):
    """From the disk into the kernel's cache: what is measured is the command."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


class Bench:
    """Makes each trace when it is first asked for, and reads it."""

    def __init__(self, toolchain, directory):
        self.pagetide = toolchain.pagetide
        self.program = toolchain.directory / "bin" / "pagetide-large-trace"
        if not self.program.exists():
            raise Failure(
                "%s is not there: build it (ninja -C %s pagetide-large-trace)"
                % (self.program, toolchain.directory)
            )
        self.directory = pathlib.Path(directory)
        self._made = {}

    def trace(self, kind, size):
        """Its path, and what it contains."""
        if (kind, size) not in self._made:
            path = self.directory / ("%s-%d.ptrace" % (kind, size))
            done = commands.run([self.program, kind, size, path], self.directory)
            facts = json.loads(done.stdout)
            facts["bytes"] = path.stat().st_size
            self._made[kind, size] = path, facts
        return self._made[kind, size]

    def read(self, path, words, rounds):
        """The best of some runs of a command, and the bytes that it wrote."""
        out = str(self.directory / "OUT")
        command = [self.pagetide] + [
            path if word == "FILE" else word.replace("OUT", out)
            for word in words
        ]
        read_ahead(path)
        results = []
        for _ in range(rounds):
            for old in self.directory.glob("OUT*"):
                old.unlink()
            results.append(timed(command))
        best = min(results, key=lambda r: (r["void"] or "", r["user_s"]))
        written = [file.stat().st_size for file in self.directory.glob("OUT*")]
        return {"written": sum(written), **best}


def _measure(bench, scale, section, runs):
    for kind, words in runs:
        path, facts = bench.trace(kind, scale[section + "_bytes"])
        record = {
            "record": section,
            "trace": kind,
            "command": " ".join(words),
            **facts,
            **bench.read(path, words, scale["rounds"]),
        }
        say("  %s, %s: %.1f s" % (record["command"], kind, record["wall_s"]))
        yield record


#===- Tables ---------------------------------------------------------------===#


def _traces_table(records):
    seen = {}
    for r in records:
        if "trace" in r:
            seen.setdefault((r["trace"], r["bytes"]), r)
    rows = [
        [kind, "%.0f" % (size / 1e6), "%.1f" % (r["rows"] / 1e6),
         str(r["periods"])]
        for (kind, size), r in seen.items()
    ]
    return table(["trace", "MB", "million rows", "periods"], rows)


def _commands_table(records, section):
    rows = [
        [
            "`%s`" % r["command"],
            r["trace"],
            "%.2f" % r["wall_s"],
            "%.2f" % r["user_s"],
            "%.2f" % r["system_s"],
            "%.0f" % r["peak_mib"],
            "%.1f" % (r["rows"] / r["wall_s"] / 1e6),
        ]
        for r in of_kind(records, section)
    ]
    header = ["pagetide", "trace", "wall s", "user s", "system s", "peak MiB",
              "million rows/s"]
    return table(header, rows)


DOCUMENT = sections.Document(
    "reading",
    (
        Table(None, "The traces", _traces_table),
        Table("report", "Reports, and the HTML page",
              lambda r: _commands_table(r, "report")),
        Table("export", "Exports and `diff`, on the smaller traces",
              lambda r: _commands_table(r, "export")),
    ),
)

BENCHMARK = sections.Benchmark(
    name="reading",
    help=__doc__,
    example="benchmarks/reading.py --quick --scratch /var/tmp",
    tables=(DOCUMENT,),
    sections={
        "report": lambda bench, scale: _measure(bench, scale, "report", REPORTS),
        "export": lambda bench, scale: _measure(bench, scale, "export", EXPORTS),
    },
    scales=SCALES,
    bench=Bench,
    label=lambda r: "`%s` of %s" % (r["command"], r["trace"]),
)


if __name__ == "__main__":
    sys.exit(frame.main(BENCHMARK, sys.argv[1:]))
