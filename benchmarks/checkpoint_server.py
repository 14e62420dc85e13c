# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key-value server under load, with a checkpoint each second and without. A
section of checkpoints.py."""

import json
import os
import pathlib
import statistics
import subprocess
import time
from typing import NamedTuple

import key_value
from failure import Failure
from sections import alternating, attempt, of_kind
from tables import NOTHING, spread, table

CLIENTS = 4
TIME_LIMIT_S = 120


class Way(NamedTuple):
    name: str
    is_marked: bool
    saves: bool  # within the period, by a thread that holds updates back
    is_on: bool  # whether there is a checkpoint each period


NONE = "no checkpoints"
WAYS = (
    Way(NONE, True, False, False),
    Way("in the background", True, False, True),
    Way("saved while changes wait", True, True, True),
    Way("no marks, no checkpoints", False, True, False),
    Way("no marks, saved whole while changes wait", False, True, True),
    # As far from 1 as this row is, so far chance alone leads.
    Way("no checkpoints, again", True, False, False),
)


def _checkpoints(bench, directory):
    """How many the folder lists, and bytes of all but bases."""
    done = subprocess.run(
        [bench.toolchain.pagetide, "checkpoint", "list", "--json", "saved"],
        cwd=directory, capture_output=True, text=True,
    )
    if done.returncode != 0:
        return []
    return [c["file_bytes"] for c in json.loads(done.stdout)["checkpoints"]]


def _beside_requests_ns(pid):
    """Processor time of the server's threads but those that answer, and of its
    children (man 5 proc). The threads that answer are the busiest."""
    process = pathlib.Path("/proc") / str(pid)
    threads = sorted(
        int((thread / "schedstat").read_text().split()[0])
        for thread in (process / "task").iterdir()
    )
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[13]) + int(fields[14])  # cutime, cstime
    children = ticks * 1000000000 // os.sysconf("SC_CLK_TCK")
    return sum(threads[:-CLIENTS]) + children


def _beside_requests_ms_per_s(pid, scale):
    """Over most of the client's run; None if the server ended early."""
    time.sleep(scale["server_warm_up_s"])
    try:
        begin, before = time.monotonic(), _beside_requests_ns(pid)
        time.sleep(scale["server_s"] * 0.9)
        took = time.monotonic() - begin
        return (_beside_requests_ns(pid) - before) / took / 1e6
    except OSError:
        return None


def _load(server, pid, directory, scale):
    """What the client printed, and what the server did beside answering."""
    client = subprocess.Popen(
        server.client(CLIENTS, "%gs" % scale["server_s"],
                      scale["server_warm_up_s"]),
        cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )
    try:
        beside = _beside_requests_ms_per_s(pid, scale)
        answer, complaint = client.communicate(timeout=TIME_LIMIT_S)
    finally:
        client.kill()
        client.wait()
    if client.returncode != 0:
        raise Failure("the client failed: %s" % complaint.strip())
    return {**json.loads(answer), "beside_ms_per_s": beside}


def _run(bench, server, way, scale):
    directory = bench.fresh_directory()
    period_ms = scale["server_period_ms"] if way.is_on else None
    program = server.marked if way.is_marked else server.native
    with open(directory / "stderr", "wb") as errors:
        process = subprocess.Popen(
            [program, *server.arguments(period_ms, way.saves or not way.is_on)],
            cwd=directory, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=errors,
        )
    try:
        result = _load(server, process.pid, directory, scale)
        status = process.wait(TIME_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise Failure(
            "server or client ran for more than %d s" % TIME_LIMIT_S
        ) from error
    finally:
        process.kill()
        process.wait()
    said = (directory / "stderr").read_text(errors="replace").strip()
    if status != 0:
        raise Failure("the server ended with status %d: %s" % (status, said))
    result["checkpoints"] = _checkpoints(bench, directory)
    result["said"] = said[:400]
    if way.is_on and not result["checkpoints"]:
        raise Failure("the server made no checkpoint: %s" % said[:400])
    return result


def measure(bench, scale):
    """In each round every way once; the order alternates."""
    server = key_value.Server(bench.toolchain, bench.directory)
    for round_number in range(scale["rounds"]):
        for way in alternating(WAYS, round_number):
            options = {"way": way.name, "round": round_number,
                       "period_ms": scale["server_period_ms"]}
            yield attempt({"record": "server", "options": options}, _run, bench,
                          server, way, scale)


def _rate(result):
    return result["requests"] / result["seconds"]


def table_of(records):
    by_way = {}
    for r in of_kind(records, "server"):
        by_round = by_way.setdefault(r["options"]["way"], {})
        by_round[r["options"]["round"]] = r["result"]
    none = by_way.get(NONE, {})
    rows = []
    for name in [way.name for way in WAYS if way.name in by_way]:
        runs = by_way[name]
        both = sorted(set(none) & set(runs))
        files = [n for run in runs.values() for n in run["checkpoints"]]
        rows.append(
            [
                name,
                "{:,.0f}".format(statistics.median(map(_rate, runs.values()))),
                spread([_rate(runs[n]) / _rate(none[n]) for n in both])
                if both else NOTHING,
                *(
                    "%.2f" % (statistics.median(
                        run[field] for run in runs.values()) / 1e3)
                    for field in ("median_us", "p99_us", "p999_us")
                ),
                "%.1f" % (max(run["most_us"] for run in runs.values()) / 1e3),
                "{:,.1f}".format(statistics.median(files) / 1024)
                if files else NOTHING,
                "%.1f" % statistics.median(
                    run["beside_ms_per_s"] for run in runs.values()),
            ]
        )
    header = ["checkpoints", "requests a second", "over none", "ms: median",
              "99%", "99.9%", "longest", "file KiB", "cpu ms a second"]
    return table(header, rows)
