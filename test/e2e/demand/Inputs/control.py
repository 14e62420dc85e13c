# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs serves.c and reaches it by pagetide ctl, as a user would.

usage: control.py PAGETIDE SERVES TEST, in an empty directory
"""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

PAGETIDE, SERVES, TEST = sys.argv[1:]
PAGE, PAGES = 4096, 64


class Server:
    def __init__(self, how="", before=(), options=None):
        env = dict(os.environ)
        env.pop("PAGETIDE_OPTIONS", None)
        if options is not None:
            env["PAGETIDE_OPTIONS"] = options
        self.process = subprocess.Popen(
            [*before, SERVES, how], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=env)
        ready, *where = self.process.stdout.readline().split()
        assert ready == "ready"
        self.memory = [int(address, 16) for address in where]
        self.pid = self.process.pid

    def ctl(self, *words, status=0):
        done = subprocess.run([PAGETIDE, "ctl", str(self.pid), *words],
                              text=True, capture_output=True)
        print("ctl", *words, done.returncode, done.stdout, done.stderr)
        assert done.returncode == status, (done.returncode, status)
        return done.stdout + done.stderr

    def state(self):
        return json.loads(self.ctl("status", "--json"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def ends(self):
        rest, _ = self.process.communicate("now", timeout=60)
        assert rest == "ended\n", rest
        assert self.process.returncode == 0, self.process.returncode


def pages(trace, begin, unit=PAGE):
    """Those of one thread's pages that the trace names as written, or of the
    units that they lie in."""
    subprocess.run([PAGETIDE, "export", "-f", "csv", "-o", "rows.csv", trace],
                   check=True)
    with open("rows.csv", encoding="utf-8") as rows:
        return {int(row["address"], 16) for row in csv.DictReader(rows)
                if row["written"] == "1"
                and begin // unit * unit <= int(row["address"], 16)
                < begin + PAGES * PAGE}


def child_of(parent):
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as stat:
                is_child = int(stat.read().rpartition(")")[2].split()[1]) == parent
        except (FileNotFoundError, ProcessLookupError):  # it has just ended
            continue
        if is_child:
            return int(name)
    raise LookupError(parent)


def await_pages(server, name, begins, wanted=PAGES, unit=PAGE):
    """A busy machine lets the program go on slowly: it touches one page after
    the other."""
    for _ in range(300):
        server.ctl("flush")
        if all(len(pages(name, begin, unit)) >= wanted for begin in begins):
            return
        time.sleep(0.1)
    raise TimeoutError(name)


def switches_on():
    server = Server()
    assert server.threads() == 2  # none of the runtime's
    assert "off" in server.ctl("status")
    for words in ("stop",), ("flush",), ("period", "10ms"):
        server.ctl(*words, status=1)
    answer = server.ctl("start", "-o", "first.ptrace", "-p", "5ms")
    assert "pagetide report" in answer, answer
    state = server.state()
    assert state["recording"] and state["marks_late"], state
    await_pages(server, "first.ptrace", server.memory)
    server.ctl("start", "-o", "other.ptrace", status=1)
    assert not os.path.exists("other.ptrace")
    server.ctl("period", "20ms")
    assert server.state()["period_ns"] == 20_000_000
    server.ctl("flush")
    so_far = os.path.getsize("first.ptrace")
    assert so_far > 500, so_far
    assert "first.ptrace" in server.ctl("stop")
    info = subprocess.run([PAGETIDE, "info", "first.ptrace"], text=True,
                          capture_output=True)
    assert info.returncode == 0 and "complete" in info.stdout, info.stdout
    for begin in server.memory:
        assert len(pages("first.ptrace", begin)) == PAGES, hex(begin)

    # Once more, without a name, and until the end.
    server.ctl("start")
    name = f"pagetide.{os.path.basename(SERVES)}.{server.pid}.ptrace"
    await_pages(server, name, server.memory[:1], PAGES / 2 + 1)
    server.ends()
    assert len(pages(name, server.memory[0])) > PAGES / 2


def in_units():
    """Recordings of one process, each in a unit of its own."""
    server = Server()
    answer = server.ctl("start", "-o", "finer.ptrace", "--granularity", "512",
                        status=1)
    assert "granularity" in answer, answer
    for unit in 64 << 10, 2 << 20, PAGE:
        name = f"{unit}.ptrace"
        server.ctl("start", "-o", name, "-p", "5ms", "--granularity", str(unit))
        begin = server.memory[0]
        units = (begin + PAGES * PAGE - 1) // unit - begin // unit + 1
        await_pages(server, name, [begin], units, unit)
        server.ctl("stop")
        found = pages(name, begin, unit)
        assert len(found) == units, (unit, units, found)
        assert all(address % unit == 0 for address in found), found
    server.ends()


def killed():
    server = Server()
    server.ctl("start", "-o", "killed.ptrace", "-p", "5ms")
    await_pages(server, "killed.ptrace", server.memory[1:], PAGES / 2 + 1)
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    assert len(pages("killed.ptrace", server.memory[1])) > PAGES / 2


def waits_for_signals():
    server = Server("waits-for-signals")
    server.ctl("start", "-o", "waits.ptrace", "-p", "5ms")
    await_pages(server, "waits.ptrace", server.memory[1:], PAGES / 2 + 1)
    server.ends()


def ends_by_signal(server):
    server.process.terminate()
    server.ends()


def computes():
    """Programs that call no function which this library stands for, or few."""
    for how in ("loop", "strings", "sleep", "usleep", "nanosleep", "pause", "thread",
                "blocks-handled"):
        print("how", how)
        server = Server(how)
        name = f"{how}.ptrace"
        server.ctl("start", "-o", name, "-p", "5ms")
        if how not in ("sleep", "pause"):
            await_pages(server, name, server.memory)
        ends_by_signal(server)


def within_handler():
    """A handler may have interrupted what holds a lock. So marks begin when it
    has ended, also if its own signal is not blocked."""
    server = Server("handler")
    answer = server.ctl("start", "--timeout", "1200ms", status=2)
    assert "handler" in answer, answer
    assert "off" in server.ctl("status")
    server.process.send_signal(signal.SIGUSR2)
    server.ctl("start", "-o", "later.ptrace", "-p", "5ms")
    await_pages(server, "later.ptrace", server.memory)
    ends_by_signal(server)


def signal_blocked():
    """What no thread lets in is named."""
    server = Server("blocked")
    answer = server.ctl("start", "--timeout", "50ms", status=2)
    assert "signal 60" in answer and "block" in answer, answer
    server.ends()


def refused():
    server = Server("own-handler")
    answer = server.ctl("start", status=2)
    assert "control_signal" in answer, answer
    server.ends()
    server = Server(options="control_signal=0:marks=late")
    assert "impossible" in server.ctl("status")
    assert "control_signal" in server.ctl("start", status=2)
    server.ends()
    server = Server("blocked-thread")
    answer = server.ctl("start", status=1)
    assert "blocks" in answer, answer
    assert server.threads() == 2
    server.ends()
    server = Server(before=("sh", "-c", 'ulimit -v 4000000; exec "$0" "$1"'))
    answer = server.ctl("start", status=1)
    assert "ulimit -v" in answer, answer
    server.ends()
    assert not [f for f in os.listdir() if f.endswith(".ptrace")]


def with_marks():
    """Marks are on from the start; ctl begins to record."""
    server = Server(options="verbosity=0")
    state = server.state()
    assert state["marks"] and not state["recording"], state
    server.ctl("start", "-o", "marks.ptrace", "-p", "5ms", "--per-thread")
    assert not server.state()["marks_late"]
    await_pages(server, "marks.ptrace", server.memory[1:])
    server.ends()
    assert len(pages("marks.ptrace", server.memory[1])) == PAGES

    # What start does not say, the program's own options do.
    server = Server(options="period=7ms:per_thread=1:marks=late")
    server.ctl("start", "-o", "own.ptrace", "--checksum", "written",
               "--checksum-relative")
    state = server.state()
    assert state["period_ns"] == 7_000_000 and state["per_thread"], state
    # It is growing, so the exit status is not 0.
    info = subprocess.run([PAGETIDE, "info", "own.ptrace"], text=True,
                          capture_output=True, check=False).stdout
    checksums = re.search(r"^ *checksums +(.*)", info, re.M)[1]
    assert checksums == "written, and relative ones", info
    server.ends()


def forked():
    """A forked child with marks, before it has asked its runtime for anything."""
    server = Server("forks", options="verbosity=0")
    server.pid = child_of(server.pid)
    assert server.threads() == 1
    state = server.state()
    assert state["marks"] and not state["recording"], state
    server.ctl("start", "-o", "child.ptrace", "-p", "5ms")
    await_pages(server, "child.ptrace", server.memory[:1])
    server.ctl("stop")
    server.ends()
    assert len(pages("child.ptrace", server.memory[0])) == PAGES


def by_record():
    """A program that pagetide record runs."""
    server = Server(before=(PAGETIDE, "record", "-o", "run.ptrace", "-p",
                            "10ms", "--"))
    server.pid = child_of(server.pid)
    state = server.state()
    assert state["recording"] and state["by_record"], state
    assert "pagetide record" in server.ctl("stop", status=1)
    server.ctl("period", "5ms")
    server.ends()


globals()[TEST]()
