#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads each export of traces back, and compares it with the report.

usage: check_exports.py PAGETIDE TRACE...

The readers are those of Python: csv, json, sqlite3. A trace must have layout
rw. A trace that is damaged, or has no end, is compared as far as it can be
read.
"""

import collections
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

PAGETIDE = sys.argv[1]
SCRIPT = os.path.join(os.path.dirname(__file__), *[".."] * 4, "examples", "page_access_tracer.py")


def run(*words):
    done = subprocess.run([PAGETIDE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode in (0, 2), (words, done)
    return done.stdout.decode()


def export(form, trace, *words):
    return run("export", "--format", form, *words, trace)


def csv_rows(trace, *words):
    return list(csv.DictReader(io.StringIO(export("csv", trace, *words))))


def equal(what, a, b):
    assert a == b, f"{what}: {a} is not {b}"


class Pages:
    """What the rows of pages say, by period and address."""

    def __init__(self, rows):
        self.kinds = collections.defaultdict(set)
        self.mappings = {}
        for row in rows:
            may = row["may"].split("+") if row["may"] else []
            carried = "+carried" in row["state"]
            kinds = self.kinds[row["period"], row["address"]]
            if row["read"] == "1":
                kinds.add("may-read" if "read" in may else "read")
            if row["written"] == "1" and carried:
                kinds.add("carried")
            if row["written"] == "1" and not carried:
                kinds.add("may-written" if "written" in may else "written")
            self.mappings[row["period"], row["address"]] = row["mapping"]

    def count(self, kind, keys=None):
        keys = self.kinds if keys is None else keys
        return sum(kind in kinds_of(self.kinds[key]) for key in keys)


def kinds_of(kinds):
    """As reports count them: accessed, carried or may is what it is."""
    certain = kinds & {"read", "written"}
    if certain:
        return certain | {"accessed"}
    return {"carried"} if "carried" in kinds else {"may"}


def check_tables(trace, report):
    pages = Pages(csv_rows(trace, "--columns", "all"))
    [process] = csv_rows(trace, "--what", "processes")
    periods = csv_rows(trace, "--what", "periods")
    whole = [row for row in periods if row["is_whole"] == "1"]
    keys = collections.defaultdict(list)
    for key in pages.kinds:
        keys[key[0]].append(key)
    for name in ("accessed", "read", "written", "carried", "may"):
        total = report["granules"][name]["sum"] if report["granules"][name] else None
        if report["complete"]:
            equal(f"{trace}: sum of {name}", sum(int(row[name]) for row in periods), total)
            equal(f"{trace}: process's {name}", int(process[name]), total)
        for row in periods:
            equal(f"{trace}: {name} of period {row['period']}",
                  pages.count(name, keys[row["period"]]), int(row[name]))
    equal(f"{trace}: periods", len(whole), report["periods"]["count"])
    equal(f"{trace}: process's periods", int(process["periods"]), len(whole))
    equal(f"{trace}: distinct", int(process["distinct_accessed"]),
          report["granules"]["accessed"]["distinct"])
    for name in ("driven", "final", "harvested", "partial"):
        equal(f"{trace}: {name}", sum(int(row[name]) for row in whole), report["periods"][name])
    for name in ("stable", "unstable", "gone", "unreadable"):
        equal(f"{trace}: {name}", sum(int(row[name]) for row in periods),
              report["checksums"][name])
    equal(f"{trace}: complete", process["complete"] == "1", report["complete"])
    equal(f"{trace}: problem", process["problem"], report["problem"] or "")
    equal(f"{trace}: command's file", process["executable"], report.get("executable", ""))

    found = collections.defaultdict(lambda: [0, 0, 0, 0])
    for key, kinds in pages.kinds.items():
        if kinds != {"carried"}:
            for i, name in enumerate(("accessed", "read", "written", "may")):
                found[pages.mappings[key]][i] += name in kinds_of(kinds)
    told = {m["name"]: [m["accessed"], m["read"], m["written"], m["may"]]
            for m in report["mappings"]}
    found = {name: sums for name, sums in found.items() if any(sums)}
    equal(f"{trace}: mappings", found, told)

    threads = csv_rows(trace, "--what", "threads")
    equal(f"{trace}: threads", [int(row["tid"]) for row in threads],
          [thread["tid"] for thread in report["threads"]])
    for row, thread in zip(threads, report["threads"]):
        equal(f"{trace}: thread's name", row["name"], thread["name"])
        for name in ("periods", "accessed", "read", "written", "may"):
            equal(f"{trace}: thread's {name}", int(row[name]) if row[name] else None,
                  thread.get(name))
    return pages, periods


def check_sites(trace):
    """The sites' sums are those of the rows that name them."""
    rows = csv_rows(trace, "--columns", "read_site,write_site")
    reads = collections.Counter(row["read_site"] for row in rows if row["read_site"])
    writes = collections.Counter(row["write_site"] for row in rows if row["write_site"])
    for site in csv_rows(trace, "--what", "sites"):
        equal(f"{trace}: reads of {site['place']}", reads.pop(site["site"], 0),
              int(site["read"]) + int(site["may_read"]))
        equal(f"{trace}: writes of {site['place']}", writes.pop(site["site"], 0),
              int(site["written"]) + int(site["may_written"]))
    equal(f"{trace}: other sites", (reads, writes), ({}, {}))


def check_json(trace):
    for table in ("pages", "periods", "processes", "threads", "mappings", "sites"):
        words = ("--what", table, "--columns", "all")
        rows = csv_rows(trace, *words)
        lines = [json.loads(line) for line in export("jsonl", trace, *words).splitlines()]
        document = json.loads(export("json", trace, *words))
        for name, others in (("jsonl", lines), ("json", document["rows"])):
            others = [{key: "" if value is None else str(value) for key, value in row.items()}
                      for row in others]
            equal(f"{trace}: {table} as {name}", others, rows)


def check_sqlite(trace):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.db")
        export("sqlite", trace, "--output", path)
        equal("files beside the database", os.listdir(folder), ["trace.db"])
        database = sqlite3.connect(path)
        equal("integrity", database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        equal("version", database.execute("PRAGMA user_version").fetchone(), (1,))
        database.row_factory = sqlite3.Row
        number = {"address", "start", "end", "combined"}
        for table in ("periods", "processes", "threads", "mappings", "sites"):
            rows = csv_rows(trace, "--what", table, "--columns", "all")
            stored = [dict(row) for row in database.execute(f"SELECT * FROM {table}")]
            equal(f"{trace}: rows of {table}", len(stored), len(rows))
            for row, other in zip(rows, stored):
                equal(f"{trace}: columns of {table}", list(row), list(other))
                for column, value in row.items():
                    there = other[column]
                    if column in number and value:
                        value, there = int(value, 16), there % 2**64
                    if isinstance(there, int) and there < 0:
                        there %= 2**64  # SQLite's integers have a sign
                    equal(f"{trace}: {table}.{column}", "" if there is None else str(there),
                          str(value))
        rows = csv_rows(trace, "--columns", "all")
        view = database.execute("SELECT * FROM page_rows")
        count = 0
        for row, other in zip(rows, view):
            count += 1
            other = dict(other)
            other["address"] = other.pop("hex_address")
            for column, there in other.items():
                if row["mapping"] or column != "mapping":
                    if isinstance(there, int):
                        there %= 2**64
                    if column in ("start_ns", "end_ns", "time_ns", "pid") and there is None:
                        continue
                    equal(f"{trace}: page_rows.{column}", "" if there is None else str(there),
                          row[column])
        equal(f"{trace}: page_rows", count, len(rows))
        database.close()


def check_event(event):
    """The rules of the Trace Event Format for the events that are used."""
    assert isinstance(event["name"], str) and event["name"]
    assert set(event) <= {"name", "ph", "pid", "tid", "ts", "args"}, event
    assert type(event["pid"]) is int and type(event["tid"]) is int
    assert 0 < event["pid"] < 2**31 and 0 <= event["tid"] < 2**31
    assert isinstance(event["args"], dict) and event["args"]
    if event["ph"] == "M":
        assert event["name"] in ("process_name", "thread_name"), event
        assert list(event["args"]) == ["name"] and isinstance(event["args"]["name"], str)
        return
    equal("phase", event["ph"], "C")
    assert isinstance(event["ts"], (int, float)) and event["ts"] >= 0
    assert all(isinstance(value, (int, float)) for value in event["args"].values())


def check_chrome_trace(trace, periods):
    document = json.loads(export("chrome-trace", trace))
    assert isinstance(document["traceEvents"], list)
    assert document["displayTimeUnit"] in ("ms", "ns")
    times = {}
    last = {}
    owners = {}
    for event in document["traceEvents"]:
        check_event(event)
        if event["ph"] == "C":
            key = event["name"]
            # Perfetto has one counter for a process and a name, whatever the thread.
            owner = owners.setdefault((event["pid"], key), event["tid"])
            equal(f"{trace}: owner of {key}", event["tid"], owner)
            assert len(event["args"]) == 1, event
            assert last.get(key, -1) < event["ts"], f"{key}: time does not rise"
            last[key] = event["ts"]
            times.setdefault(key, []).append((event["ts"], list(event["args"].values())[0]))
    unit = "granules" if "granules accessed" in times else "pages"
    for kind in ("accessed", "read", "written"):
        changes = times.get(f"{unit} {kind}", [])
        for row in periods:
            start = int(row["start_ns"]) / 1000
            before = [value for ts, value in changes if ts <= start + 0.0005]
            equal(f"{trace}: {kind} at {start}", before[-1] if before else 0, int(row[kind]))
    for key, changes in times.items():
        equal(f"{trace}: last value of {key}", changes[-1][1], 0)


LINE = re.compile(r" *(\S+)-(\d+) +\[\d{3}\] \.{4} +(\d+\.\d{6}): (\w+): (.*)")


def check_page_access_tracer(trace):
    done = subprocess.run([SCRIPT, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=os.environ | {"PATH": os.path.dirname(PAGETIDE) + ":" + os.environ["PATH"]})
    lines = done.stdout.splitlines()
    [process] = csv_rows(trace, "--what", "processes")
    is_whole = process["complete"] == "1"
    equal(f"{trace}: status", done.returncode == 0, is_whole)
    equal(f"{trace}: END", "__reset_page_access_trace: END " in lines[-1], is_whole)
    counts = collections.Counter()
    sites = collections.Counter()
    time = 0
    for number, line in enumerate(lines):
        found = LINE.fullmatch(line)
        assert found, line
        assert float(found[3]) >= time, f"{line}: time falls"
        time = float(found[3])
        if found[4] == "init_page_access_trace":
            assert number == 0 and re.fullmatch(r"START \S+", found[5]), line
        elif found[4] == "__reset_page_access_trace":
            assert number == len(lines) - 1 and re.fullmatch(r"END \S+", found[5]), line
        else:
            equal("event", found[4], "handle_mm_fault")
            task, kind, site, address = found[5].split(" ")
            equal("task", task, found[2])
            counts[kind] += 1
            sites[kind, int(site, 16)] += 1
            int(address, 16)
    rows = csv_rows(trace, "--columns", "+read_site,write_site")
    for kind, name in (("R", "read"), ("W", "written")):
        column = "read_site" if kind == "R" else "write_site"
        expected = collections.Counter(
            int(row[column] or 0) for row in rows
            if row[name] == "1" and name not in row["may"].split("+") and
            (kind == "R" or "+carried" not in row["state"]))
        equal(f"{trace}: sites of {name}", expected,
              collections.Counter({s: n for (k, s), n in sites.items() if k == kind}))
    equal(f"{trace}: reads", counts["R"],
          sum(row["read"] == "1" and "read" not in row["may"].split("+") for row in rows))
    equal(f"{trace}: writes", counts["W"],
          sum(row["written"] == "1" and "written" not in row["may"].split("+") and
              "+carried" not in row["state"] for row in rows))


def check_page_runs(trace, pages):
    for words, wanted in (
            ((), {"written", "may-written", "carried"}),
            (("--reads",), {"read", "may-read"}),
            (("--reads", "--writes"), {"read", "may-read", "written", "may-written", "carried"})):
        expected = collections.defaultdict(set)
        for (period, address), kinds in pages.kinds.items():
            if kinds & wanted:
                expected[int(period)].add(int(address, 16))
        found = collections.defaultdict(set)
        for line in export("page-runs", trace, *words).splitlines():
            image = json.loads(line)
            equal("magic", image["magic"], "PAGEMAP")
            # pagemap_head and pagemap_entry of CRIU's images: 64 bits for addresses, 32 for
            # counts, and flags by name, as crit shows them.
            equal("head", list(image["entries"][0]), ["pages_id"])
            assert 0 < image["entries"][0]["pages_id"] < 2**32
            end = 0
            for entry in image["entries"][1:]:
                equal("entry", list(entry), ["vaddr", "nr_pages", "flags"])
                assert re.fullmatch("0x[0-9a-f]+", entry["vaddr"]), entry
                assert isinstance(entry["nr_pages"], int) and 0 < entry["nr_pages"] < 2**32
                equal("flags", entry["flags"], "PE_PRESENT")
                first = int(entry["vaddr"], 16)
                equal("page", first % 4096, 0)
                assert first > end or end == 0, "neighbouring runs are one"
                end = first + entry["nr_pages"] * 4096
                found[image["period"]].update(range(first, end, 4096))
        found = {period: each for period, each in found.items() if each}
        if pages.granule == 4096:
            equal(f"{trace}: page runs {words}", found, dict(expected))
        else:
            rounded = {period: {address & -4096 for address in each}
                       for period, each in expected.items()}
            equal(f"{trace}: page runs {words}", found, rounded)


for trace in sys.argv[2:]:
    [report] = json.loads(run("report", "--json", "--only", trace))["traces"]
    pages, periods = check_tables(trace, report)
    pages.granule = report["granule_bytes"]
    check_sites(trace)
    check_json(trace)
    check_sqlite(trace)
    check_chrome_trace(trace, periods)
    check_page_access_tracer(trace)
    check_page_runs(trace, pages)
    print(f"{trace}: {len(pages.kinds)} pages of {len(periods)} periods")
