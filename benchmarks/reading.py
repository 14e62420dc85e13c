#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long `pagetide` takes to read large traces: each report, the HTML
page and each export. README.md beside this file says how to read the tables.

Exit status: 0; 1 if a command failed; 2 if nothing could be measured.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import report
from failure import Failure
from run import BUSY_LOAD, read_records, say
from toolchain import ROOT, Toolchain, describe

BEGIN = "<!-- reading: begin (written by benchmarks/reading.py --doc) -->"
END = "<!-- reading: end -->"

# Bytes of the traces that reports read, and of that which exports read: a row of
# a table of text has ten times as many bytes.
SIZES = {
    "full": (1000 * 10**6, 100 * 10**6),
    "quick": (100 * 10**6, 10 * 10**6),
    "smoke": (10**6, 10**6),
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
    ("sites", ("export", "-f", "page-access-tracer", "FILE")),
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


class Traces:
    """Makes each trace when it is first asked for."""

    def __init__(self, build, directory):
        self.program = pathlib.Path(build) / "bin" / "pagetide-large-trace"
        if not self.program.exists():
            raise Failure(
                "%s is not there: build it (ninja -C %s pagetide-large-trace)"
                % (self.program, build)
            )
        self.directory = directory
        self.made = {}

    def get(self, kind, size):
        """Its path, and what it contains."""
        if (kind, size) not in self.made:
            path = self.directory / ("%s-%d.ptrace" % (kind, size))
            done = subprocess.run(
                [self.program, kind, str(size), path],
                capture_output=True,
                text=True,
            )
            if done.returncode != 0:
                raise Failure(
                    "%s %s failed: %s"
                    % (self.program, kind, done.stderr.strip())
                )
            facts = json.loads(done.stdout)
            facts["bytes"] = path.stat().st_size
            self.made[kind, size] = path, facts
        return self.made[kind, size]


def measure(options):
    """The records, as they come."""
    toolchain = Toolchain(options.build)
    machine = describe(toolchain)
    if machine["load"] > BUSY_LOAD and options.size != "smoke":
        say("warning: the machine is busy (load %.1f)" % machine["load"])
    report_bytes, export_bytes = SIZES[options.size]
    free = shutil.disk_usage(options.scratch or tempfile.gettempdir()).free
    # Four traces of each size, and a database of some bytes a row.
    if free < 4 * report_bytes + 20 * export_bytes:
        raise Failure(
            "%s has only %d MB left for traces: name another directory by "
            "--scratch" % (options.scratch or tempfile.gettempdir(), free / 1e6)
        )
    yield {
        "record": "session",
        "machine": machine,
        "size": options.size,
        "rounds": options.rounds,
    }
    with tempfile.TemporaryDirectory(
        prefix="pagetide-reading-", dir=options.scratch
    ) as scratch:
        traces = Traces(options.build, pathlib.Path(scratch))
        for section, runs, size in (
            ("report", REPORTS, report_bytes),
            ("export", EXPORTS, export_bytes),
        ):
            for kind, words in runs:
                path, facts = traces.get(kind, size)
                out = str(pathlib.Path(scratch) / "OUT")
                command = [toolchain.pagetide] + [
                    str(path) if word == "FILE" else word.replace("OUT", out)
                    for word in words
                ]
                read_ahead(path)
                results = []
                for _ in range(options.rounds):
                    for old in pathlib.Path(scratch).glob("OUT*"):
                        old.unlink()
                    results.append(timed(command))
                written = [p.stat().st_size
                           for p in pathlib.Path(scratch).glob("OUT*")]
                record = {
                    "record": section,
                    "trace": kind,
                    "command": " ".join(words),
                    "written": sum(written),
                    **facts,
                    **min(results, key=lambda r: (r["void"] or "",
                                                  r["user_s"])),
                }
                say(
                    "  %s, %s: %.1f s"
                    % (record["command"], kind, record["wall_s"])
                )
                yield record


def run(options, path):
    records = []
    for record in measure(options):
        if not records:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("", encoding="utf-8")
        records.append(record)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
    say("records: %s" % path)
    return records


#===- Tables ---------------------------------------------------------------===#


def _traces_table(records):
    seen = {}
    for r in records:
        if r["record"] != "session":
            seen.setdefault((r["trace"], r["bytes"]), r)
    rows = [
        [kind, "%.0f" % (size / 1e6), "%.1f" % (r["rows"] / 1e6),
         str(r["periods"])]
        for (kind, size), r in seen.items()
    ]
    return report.table(["trace", "MB", "million rows", "periods"], rows)


def _commands_table(records, section):
    rows = []
    for r in records:
        if r["record"] != section or r["void"]:
            continue
        rows.append(
            [
                "`%s`" % r["command"],
                r["trace"],
                "%.2f" % r["wall_s"],
                "%.2f" % r["user_s"],
                "%.2f" % r["system_s"],
                "%.0f" % r["peak_mib"],
                "%.1f" % (r["rows"] / r["wall_s"] / 1e6),
            ]
        )
    header = ["pagetide", "trace", "wall s", "user s", "system s", "peak MiB",
              "million rows/s"]
    return report.table(header, rows)


def render(records):
    parts = [report.head(records[0]), "### The traces", _traces_table(records)]
    for section, title in (
        ("report", "Reports, and the HTML page"),
        ("export", "Exports and `diff`, on the smaller traces"),
    ):
        if any(r["record"] == section for r in records):
            parts += ["### " + title, _commands_table(records, section)]
    voids = [r for r in records if r.get("void")]
    if voids:
        parts += [
            "### Void in reading",
            "\n".join(
                "- `%s` of %s: %s" % (r["command"], r["trace"], r["void"])
                for r in voids
            ),
        ]
    return "\n\n".join(parts) + "\n"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", dest="size", action="store_const", const="quick",
        help="traces of a tenth of the size",
    )
    size.add_argument(
        "--smoke", dest="size", action="store_const", const="smoke",
        help="tiny traces: whether all works",
    )
    parser.add_argument(
        "--rounds", type=int, default=1, metavar="N",
        help="runs of each command, of which the one with the least user time "
        "counts [1]",
    )
    parser.add_argument(
        "--scratch", metavar="DIR",
        help="directory for traces and what is made of them [$TMPDIR or /tmp]",
    )
    parser.add_argument(
        "--json", metavar="FILE",
        help="where the records go, one JSON object a line "
        "[below --build: benchmarks/reading.jsonl]",
    )
    parser.add_argument(
        "--build", metavar="DIR",
        default=os.environ.get("PAGETIDE_BUILD", ROOT / "build"),
        help="the build of Pagetide to measure [$PAGETIDE_BUILD, or else build]",
    )
    parser.add_argument(
        "--from", dest="records", metavar="FILE",
        help="run nothing; print the tables of an earlier --json file",
    )
    parser.add_argument(
        "--doc", metavar="PLACE",
        help="put the tables into this document, or into that of the "
        "directory's documents which has their place, such as "
        "docs/measurements",
    )
    options = parser.parse_args(arguments)
    options.size = options.size or "full"
    if options.rounds < 1:
        parser.error("--rounds %d: give 1 or more" % options.rounds)
    return options


def main(arguments):
    options = parse_arguments(arguments)
    try:
        if options.records:
            records = read_records(options.records)
            if not records or records[0].get("record") != "session":
                raise Failure("there is no session record in %s" % options.records)
        else:
            default = pathlib.Path(options.build) / "benchmarks/reading.jsonl"
            records = run(options, pathlib.Path(options.json or default))
        text = render(records)
        print(text, end="")
        if options.doc:
            document = report.document_with(options.doc, BEGIN, END)
            report.insert_into(document, text, BEGIN, END)
    except Failure as failure:
        print("error: %s" % failure, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 1 if any(r.get("void") for r in records) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
