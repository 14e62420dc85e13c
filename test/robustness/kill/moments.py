# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records steps.c, which dies at a random moment, and holds what it did against
its trace: every page that it had written is there, none that it had not begun.
"""

import argparse
import csv
import io
import mmap
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

ARENA = 0x200000000000
PAGE = 4096
PAGES = 1 << 18


def fail(why, log):
    sys.exit(f"{why}\n--- what record said:\n{log}")


def read_progress(memory):
    return struct.unpack_from("<QQQQ", memory, 0)


def wait_for(memory, least_written, process):
    deadline = time.monotonic() + 30
    while read_progress(memory)[1] < least_written:
        if time.monotonic() > deadline or process.poll() is not None:
            return False
    return True


def rows_of(pagetide, trace):
    text = subprocess.run([pagetide, "export", "--format", "csv", trace],
                          check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def check(options, traces, progress, log):
    attempted, written, _, watched_since = progress
    seen = set()
    for trace in traces:
        info = subprocess.run([options.pagetide, "info", trace],
                              capture_output=True, text=True)
        if info.returncode != 0:
            fail(f"info {trace} exits {info.returncode}:\n"
                 f"{info.stdout}{info.stderr}", log)
        last = -1
        for row in rows_of(options.pagetide, trace):
            page, rest = divmod(int(row["address"], 16) - ARENA, PAGE)
            if rest or not 0 <= page < PAGES:
                if int(row["end_ns"]) < watched_since:
                    continue
                fail(f"a row outside the watched region: {row}", log)
            period = int(row["period"])
            if period < last:
                fail(f"period {period} after period {last}", log)
            last = period
            if row["written"] == "1" and "carried" not in row["state"]:
                seen.add(page)
    missed = set(range(written)) - seen
    invented = seen - set(range(attempted))
    if missed or invented:
        fail(f"{written} pages written, {attempted} begun; missed "
             f"{sorted(missed)[:10]} ({len(missed)}), invented "
             f"{sorted(invented)[:10]} ({len(invented)})", log)


def one_round(options, way, chance):
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    progress_file = options.work / "progress"
    progress_file.write_bytes(bytes(PAGE))
    trace = options.work / "trace"
    last = PAGES if way == "kill" else chance.randrange(0, 20000)
    command = [options.pagetide, "record", "-o", trace, "-p", options.period,
               *options.record, "--", options.program, progress_file,
               hex(ARENA), way, str(last)]
    if options.forked:
        command.append("forked")
    log_file = options.work / "log"
    with open(progress_file, "r+b") as file, open(log_file, "w") as log:
        memory = mmap.mmap(file.fileno(), PAGE)
        process = subprocess.Popen(command, stdout=log, stderr=log)
        if way == "kill":
            if not wait_for(memory, chance.randrange(1, 20000), process):
                fail("the program did not come as far as it should",
                     log_file.read_text())
            writer = read_progress(memory)[2]
            victims = [writer]
            if options.forked:
                with open(f"/proc/{writer}/stat") as stat:
                    victims.append(int(stat.read().rsplit(")")[1].split()[1]))
            for victim in victims:
                os.kill(victim, signal.SIGKILL)
        status = process.wait(timeout=60)
        progress = read_progress(memory)
    log = log_file.read_text()
    expected = {"kill": -signal.SIGKILL, "segv": -signal.SIGSEGV,
                "abort": -signal.SIGABRT, "exit": 7}[way]
    if status != expected:
        fail(f"record ended with {status} instead of {expected}", log)
    traces = [path for path in options.work.iterdir()
              if re.fullmatch(r"trace(\.\d+)*", path.name)]
    if len(traces) != (2 if options.forked else 1):
        fail(f"traces: {traces}", log)
    check(options, sorted(traces), progress, log)
    return progress[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pagetide", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--way", action="append", required=True,
                        choices=("kill", "segv", "abort", "exit"))
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--record", action="append", default=[])
    parser.add_argument("--period", default="1ms")
    parser.add_argument("--forked", action="store_true")
    options = parser.parse_args()
    for way in options.way:
        chance = random.Random(f"{options.seed} {way}")
        for number in range(options.rounds):
            written = one_round(options, way, chance)
            print(f"{way} {number}: {written} pages")


if __name__ == "__main__":
    main()
