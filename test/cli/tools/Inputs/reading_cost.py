# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reading_cost.py PAGETIDE CROWD SITES: runs every report, export and
page on two large traces, and bounds the processor time and the memory of each.

CROWD is of 64 threads that all go to the same pages. SITES has checksums and
sites. Both have some MB; 58 MiB must be read within 20 s and 1 GiB. A loaded
machine takes longer for the same work, so the bounds are generous: what grows
faster than the trace exceeds them many times over."""

import os
import re
import resource
import subprocess
import sys

CPU_SECONDS = 5
PEAK_MIB = 500


def words_of(program, command, pattern):
    """What the help of a command offers."""
    text = subprocess.run(
        [program, command, "--help"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = re.findall(pattern, text, re.MULTILINE)
    assert found, "%s --help: nothing was found" % command
    return found


def commands(program):
    """Each command, and whether the crowd's trace has what it shows."""
    kinds = words_of(program, "report", r"^  ([a-z]+) {3,}[A-Z]")
    formats = words_of(program, "export", r"--format ([a-z|-]+\|[a-z|-]+)$")
    tables = words_of(program, "export", r"--what ([a-z|]+)$")
    assert {"threads", "sites", "heatmap"} <= set(kinds), kinds
    yield ["info"], True
    yield ["report"], True
    yield ["report", "heatmap", "-o", "picture.svg"], True
    for kind in kinds:
        for json in [[], ["--json"]]:
            if [kind, *json] != ["heatmap", "--json"]:
                has_it = kind not in ("sites", "checksums")
                yield ["report", kind, *json], has_it
    for name in formats[0].split("|"):
        yield ["export", "-f", name, "-o", "out"], True
    for name in tables[0].split("|"):
        yield ["export", "-f", "csv", "--what", name, "-o", "out"], True
    yield ["html", "-o", "page.html"], True


def run_bounded(command):
    """Returns the seconds of processor time and the MiB that it took."""

    def limit():
        # A command that does not end is killed.
        seconds = 2 * CPU_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, preexec_fn=limit
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    return status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    program, crowd, sites = sys.argv[1:]
    failed = False
    for words, crowd_has_it in commands(program):
        for trace in [crowd, sites] if crowd_has_it else [sites]:
            command = [program, *words, trace]
            status, seconds, mib = run_bounded(command)
            bad = status != 0 or seconds > CPU_SECONDS or mib > PEAK_MIB
            print(
                "%s%5.1f s %4.0f MiB, status %d: %s %s"
                % (
                    "FAILED " if bad else "",
                    seconds,
                    mib,
                    status,
                    " ".join(words),
                    trace,
                )
            )
            failed = failed or bad
    return failed


sys.exit(main())
