# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a program twice: with inline marks, and with a call of the runtime for
every access. Runs both, and expects equal page sets in every period.

Addresses must be equal for that: the program is not position-independent, its
data stand at a fixed place, memory comes from the heap right behind them, and the
runs have no address space randomisation. What still moves is left out:
constants (code generation puts its own among them), stacks, mappings.
"""

import argparse
import collections
import csv
import os
import pathlib
import subprocess
import sys

DATA = 0x20000000
DATA_END = 0x60000000


def sets(args, mode, program):
    trace = program.with_suffix(".ptrace")
    trace.unlink(missing_ok=True)
    done = subprocess.run(
        ["setarch", "-R", program, *args.arg], stdin=subprocess.DEVNULL,
        capture_output=True, check=True, timeout=args.timeout,
        env=dict(os.environ, MALLOC_MMAP_THRESHOLD_="1000000000",
                 MALLOC_TRIM_THRESHOLD_="1000000000", PAGETIDE_OPTIONS=":".join([
                     f"trace_path='{trace}'", "period=0",
                     f"end_period_calls={args.calls}"])))
    exported = subprocess.run(
        [args.pagetide, "export", "--format", "csv", trace], check=True,
        capture_output=True, text=True).stdout
    rows = collections.defaultdict(set)
    for row in csv.DictReader(exported.splitlines()):
        address = int(row["address"], 16)
        if DATA <= address < DATA_END:
            rows[int(row["period"])].add((address, row["read"], row["written"]))
    return done.stdout, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("clang", "plugin", "runtime", "pagetide"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--calls", type=int, default=3,
                        help="intercepted calls a period")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--arg", action="append", default=[])
    parser.add_argument("--timeout", type=int, default=200)
    parser.add_argument("source", nargs="+")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    found = {}
    for mode in ("inline", "calls"):
        program = args.work / mode
        subprocess.run(
            [args.clang, "-w", "-fno-pic", "-no-pie", f"-Wl,-Tdata={DATA:#x}",
             "-fpass-plugin=" + args.plugin, "-Xclang", "-load", "-Xclang",
             args.plugin, "-mllvm", "-pagetide-marks=" + mode, *args.flag,
             *args.source, "-o", program, args.runtime,
             "-Wl,-rpath," + os.path.dirname(args.runtime), "-lm"], check=True)
        found[mode] = sets(args, mode, program)
    (inline_text, inline), (calls_text, calls) = found["inline"], found["calls"]
    if inline_text != calls_text:
        print("the two builds print different things")
        return 1

    differences = []
    for period in sorted(set(inline) | set(calls)):
        for what, rows in (("invented", inline[period] - calls[period]),
                           ("missed", calls[period] - inline[period])):
            differences += [f"{what}: period {period}: {address:#x} "
                            f"read={read} written={written}"
                            for address, read, written in sorted(rows)]
    print("\n".join(differences[:40]))
    rows = sum(map(len, inline.values()))
    print(f"{rows} rows in {len(inline)} periods, {len(differences)} differences")
    return 1 if differences or rows < 1000 or len(inline) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
