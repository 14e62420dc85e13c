#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every form of the IR that the pass takes for expanded in place, and
looks in the machine code for a call that denies it."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "lib"))
from unexpected_calls import Scan

# Name, processor, level of optimisation, and how many forms are in place at
# least.
BUILDS = [
    (level + "-O" + optimised, level, optimised, 2000)
    for level in ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
    for optimised in "02"
] + [("core2-O2", "core2", "2", 80)]
# Older processors differ in these.
ONLY_TRANSFERS = ("core2-O2",)
# What is expanded in place differs between processors, and between levels of
# optimisation: each is in one of the builds that are not here.
WITH_ALL = ("x86-64-v2-O2", "x86-64-v3-O0", "x86-64-v4-O0")
MODULE = """\
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
"""


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def features_of(options, processor):
    made = run([options.clang, "-target", "x86_64-unknown-linux-gnu",
                "-march=" + processor, "-x", "c", "-", "-S", "-emit-llvm", "-o",
                "-"], input="void f(void) {}", check=True).stdout
    return re.search(r'"target-features"="([^"]*)"', made)[1].split(",")


def check(options, build):
    """The build's faults, what the forms' pass said, and the numbers of calls
    and of forms."""
    name, processor, optimised, _ = build
    base = os.path.join(options.work, name)
    with open(base + ".ll", "w", encoding="utf-8") as file:
        file.write(MODULE)
    words = ["cpu=" + processor] + [
        "feature=" + feature for feature in features_of(options, processor)]
    if optimised == "0":
        words.append("optnone")
    if name in ONLY_TRANSFERS:
        words.append("transfers")
    made = run([options.opt, "-load-pass-plugin=" + options.forms,
                "-load-pass-plugin=" + options.plugin,
                "-passes=expansion-forms<%s>,pagetide<mode=always;marks=lines>,"
                "drop-expected-calls" % ";".join(words),
                base + ".ll", "-o", base + ".bc"])
    if made.returncode:
        return ["%s: opt failed: %s" % (name, made.stderr[-2000:])], "", 0
    count = int(re.search(r"in place (\d+)", made.stderr)[1])
    compiled = run([options.llc, "-O" + optimised, "-relocation-model=pic",
                    "-use-unknown-locations=Enable", base + ".bc", "-o",
                    base + ".s"])
    if compiled.returncode:
        where = re.search(r"on function '@([^']*)'", compiled.stderr)
        return ["%s: llc cannot compile '%s': %s" % (
            name, where[1] if where else "?", compiled.stderr[:200])], "", 0
    with open(base + ".s", encoding="utf-8") as file:
        scan = Scan(file)
    return (["%s: %s" % (name, fault) for fault in scan.faults],
            "".join(re.findall(r"(?m)^skipped .*\n", made.stderr)), count)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("clang", "opt", "llc", "forms", "plugin", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--skipped", help="the expected list of what has no form")
    parser.add_argument("--only", help="one build")
    parser.add_argument("--all", action="store_true", help="those of WITH_ALL too")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    builds = [build for build in BUILDS
              if (options.all or build[0] not in WITH_ALL if options.only is None
                  else options.only == build[0])]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda build: check(options, build), builds))
    faults = [fault for found, _, _ in results for fault in found]
    for fault in faults:
        print(fault)
    for (name, _, _, least), (_, _, count) in zip(builds, results):
        print("%s: forms in place %d" % (name, count))
        if count < least:
            faults.append(name)
            print("%s: so few forms check nothing" % name)
    if options.skipped:
        with open(options.skipped, encoding="utf-8") as file:
            expected = file.read()
        for told in {told for (name, *_), (_, told, _) in zip(builds, results)
                     if name not in ONLY_TRANSFERS}:
            if told != expected:
                faults.append("skipped")
                print("other intrinsics have no form than '%s' lists:\n%s" % (
                    options.skipped, told))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
