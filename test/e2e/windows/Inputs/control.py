# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs rounds.c and reaches it by pagetide ctl, or lets it record itself.

usage: control.py PAGETIDE ROUNDS ctl|api, in an empty directory
"""

import csv
import io
import json
import os
import subprocess
import sys
import time

PAGETIDE, ROUNDS, TEST = sys.argv[1:]
PAGE = 4096


def exported(what, trace):
    text = subprocess.run([PAGETIDE, "export", "-f", "csv", "--what", what, trace],
                          check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def check_rounds(trace, first, many, were_on):
    """Most periods have all pages of the thread, though it calls nobody. If marks
    were off before, its trace says since when its threads are exact."""
    written = {}
    for row in exported("pages", trace):
        page = int(row["address"], 16) - first
        if 0 <= page < many * PAGE and row["written"] == "1":
            written.setdefault(int(row["period"]), set()).add(page // PAGE)
    periods = exported("periods", trace)
    assert periods[0]["off"] == "0", periods[0]
    # On a busy machine the thread may have no processor in a period.
    whole = [p for p in periods if len(written.get(int(p["period"]), ())) == many]
    assert len(whole) > 3, (trace, [len(w) for w in written.values()])
    report = json.loads(subprocess.run(
        [PAGETIDE, "report", "--json", trace], check=True, capture_output=True,
        text=True).stdout)["traces"][0]
    # The thread, and the one that waited or asked.
    assert were_on or report["periods"]["exact_in_windows"] >= 2, report
    return periods


def shadow_kib(pid):
    """What the shadow has in memory, apart from the control block before it."""
    kib, counts = 0, False
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as smaps:
        for line in smaps:
            words = line.split()
            if "-" in words[0]:
                counts = "pagetide-shadow" in line and int(words[2], 16) > 0
            elif counts and words[0] == "Rss:":
                kib += int(words[1])
    return kib


def wakes(pid):
    """How often threads of the runtime have slept."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/status", encoding="utf-8") as status:
            lines = dict(line.split(":", 1) for line in status)
        if "pagetide" in lines["Name"]:
            total += int(lines["voluntary_ctxt_switches"])
    return total


def ctl():
    process = subprocess.Popen([ROUNDS], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    first, many = process.stdout.readline().split()

    def ask(*words):
        done = subprocess.run([PAGETIDE, "ctl", str(process.pid), *words],
                              text=True, capture_output=True, check=True)
        print("ctl", *words, done.stdout)
        return done.stdout

    def state():
        return json.loads(ask("status", "--json"))

    for name in "first.ptrace", "second.ptrace":
        assert not state()["marks"]
        ask("start", "-p", "20ms", "-o", name)
        time.sleep(0.3)
        assert state()["marks"] and shadow_kib(process.pid) > 0
        assert "20 ms every 60 ms" in ask("window", "20ms", "--every", "60ms")
        assert state()["window_ns"] == 20_000_000
        time.sleep(0.4)
        assert "throughout" in ask("window", "0")
        time.sleep(0.1)
        ask("stop")
        before = wakes(process.pid)
        time.sleep(0.5)
        # Plain code runs, so nothing comes into the shadow again.
        assert shadow_kib(process.pid) == 0, shadow_kib(process.pid)
        assert wakes(process.pid) - before <= 3
        periods = check_rounds(name, int(first, 16), int(many), False)
        off = [period["off"] for period in periods]
        assert "1" in off and off[-1] == "0", off
    rest, _ = process.communicate("now", timeout=60)
    assert rest == "ended\n" and process.returncode == 0


def api():
    done = subprocess.run([ROUNDS], stdout=subprocess.PIPE, text=True, check=True)
    first, many = done.stdout.split()[:2]
    for name in "first.ptrace", "second.ptrace":
        check_rounds(name, int(first, 16), int(many), name == "first.ptrace")


{"ctl": ctl, "api": api}[TEST]()
