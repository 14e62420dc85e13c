#===- sanitizer_table.py - Sanitizers find what they find without marks ----===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Builds finds.c with each sanitizer, natively and with marks, and compares what
the programs say of each fault: not recorded, recorded, with cuts, and with marks
that are always on. Without --all, cuts and always are for the first fault of a row
and the program without a fault.

    sanitizer_table.py CC PAGETIDE SOURCE DIRECTORY CLANG [--all] [ROW...]
"""

import os
import re
import subprocess
import sys

TRANSFERS = ["set", "copy", "move", "struct", "read", "length", "string",
             "freed"]
ROWS = {
    "address": (["-fsanitize=address"], TRANSFERS + ["leak"]),
    "thread": (["-fsanitize=thread"], ["race"]),
    "memory": (["-fsanitize=memory"], ["copied", "compared", "measured"]),
    "origins": (["-fsanitize=memory", "-fsanitize-memory-track-origins=2"],
                ["copied"]),
    "leak": (["-fsanitize=leak"], ["leak"]),
    "undefined": (["-fsanitize=undefined"], ["shift"]),
    "minimal": (["-fsanitize=undefined", "-fsanitize-minimal-runtime"],
                ["shift"]),
    "trap": (["-fsanitize=undefined", "-fsanitize-trap=all"], ["shift"]),
    "integer": (["-fsanitize=integer"], ["shift"]),
    "both": (["-fsanitize=address,undefined"], ["set", "shift"]),
    "numerical": (["-fsanitize=numerical"], []),
    "safe-stack": (["-fsanitize=safe-stack"], []),
    "scudo": (["-fsanitize=scudo"], []),
    "function": (["-fsanitize=function"], []),
    "xray": (["-fxray-instrument"], []),
    "profile": (["-fprofile-instr-generate", "-fcoverage-mapping"], []),
    "coverage": (["-fsanitize-coverage=trace-pc-guard"], []),
}
# What names a finding, without addresses and numbers of processes.
FINDING = re.compile(
    r"(?:SUMMARY: \w+: [\w-]+|runtime error: [\w -]+|ubsan: [\w-]+|decided)")


def outcome(command, options):
    environment = dict(os.environ, ASAN_OPTIONS="", PAGETIDE_OPTIONS=options)
    if not options:
        del environment["PAGETIDE_OPTIONS"]
    done = subprocess.run(command, env=environment, capture_output=True,
                          text=True, timeout=300)
    return done.returncode, sorted(FINDING.findall(done.stdout + done.stderr))


def build(compiler, options, source, program):
    done = subprocess.run([*compiler, "-O1", "-g", "-w", "-pthread", *options,
                           source, "-o", program], capture_output=True,
                          text=True)
    return done.returncode == 0 or done.stderr


def main(cc, pagetide, source, directory, clang, *rows):
    wrong = 0
    os.chdir(directory)
    record = [pagetide, "record", "-o", "trace"]
    cuts = [*record, "-p", "100ms", "--checksum", "written", "--unstable",
            "cut"]
    every = "--all" in rows
    for row in [row for row in rows if row != "--all"] or ROWS:
        options, faults = ROWS[row]
        built = build([clang], options, source, "native")
        if built is not True:
            print(f"{row}: clang cannot build it: {built.splitlines()[0]}")
            continue
        for program, more in ("marked", []), ("always",
                                              ["-fpagetide-mode=always"]):
            built = build([cc], options + more, source, program)
            if built is not True:
                print(f"{row}: {program}: {built}")
                wrong += 1
        for number, fault in enumerate(["clean"] + faults):
            native = outcome(["./native", fault], "")
            states = {
                "not recorded": outcome(["./marked", fault], ""),
                "recorded": outcome([*record, "--", "./marked", fault], ""),
            }
            if every or number < 2:
                states["cuts"] = outcome([*cuts, "--", "./marked", fault], "")
                states["always"] = outcome(["./always", fault], "")
            differ = {state: found for state, found in states.items()
                      if found != native}
            print(f"{row} {fault}: {native}", differ or f"same in {len(states)} states")
            wrong += len(differ)
            if fault != "clean" and native in ((0, []),):
                print(f"{row} {fault}: nothing is found natively")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
