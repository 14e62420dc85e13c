#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a checkpoint costs, by the unit in which changes are known.

Runs programs that save their state (examples/checkpoints, and the heat equation
of test/checkpoint) in several builds, in turn, and prints a table: bytes and
processor time per save. README.md beside this file says what the ways are.
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from failure import Failure
from toolchain import ROOT

EXAMPLES = ROOT / "examples" / "checkpoints"
Program = collections.namedtuple("Program", "name build saves arguments folder")
# `flags` None: built without marks. `record`: under the kernel's tracking.
Way = collections.namedtuple("Way", "name flags record")

WAYS = (
    Way("full", None, ()),
    Way("uffd 4 KiB", None,
        ("record", "--engine", "uffd", "--no-output", "--")),
    Way("marks 2 MiB", ("-fpagetide-granule=21",), ()),
    Way("marks 4 KiB", (), ()),
    Way("marks 512 B", ("-fpagetide-granule=9",), ()),
    Way("marks 256 B", ("-fpagetide-granule=8",), ()),
    Way("marks 64 B", ("-fpagetide-granule=6",), ()),
)


def run(command, directory, **options):
    done = subprocess.run([str(word) for word in command], cwd=directory,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise Failure("%s failed with status %d:\n%s" % (
            " ".join(str(word) for word in command), done.returncode,
            done.stdout))
    return done.stdout


def fetched(package):
    out = run([ROOT / "scripts" / "fetch_source.sh", package], ROOT)
    return pathlib.Path(out.splitlines()[-1])


class Builds:
    """Makes the programs, each in a folder of its way."""

    def __init__(self, build, place):
        self.build, self.place = build, place

    def compiler(self, way, cxx=False):
        name = "pagetide-clang" + ("++" if cxx else "")
        flags = ["-O2", "-w", "-fpagetide-mode=always"]
        if way.flags is None:
            flags = ["-O2", "-w", "-fno-pagetide"]
        return [self.build / "bin" / name, *flags, *(way.flags or ())]

    def link(self):
        library = self.build / "lib"
        return ["-I", ROOT / "include", "-L", library,
                "-lpagetide-checkpoint", "-Wl,-rpath," + str(library)]

    def containers(self, way, out):
        run([*self.compiler(way, cxx=True), "-std=c++17",
             EXAMPLES / "containers.cpp", *self.link(), "-o", out], self.place)

    def heat(self, way, out):
        run([*self.compiler(way), "-std=gnu99",
             ROOT / "test" / "checkpoint" / "Inputs" / "heat.c", "-I",
             ROOT / "test" / "lib", "-I", ROOT / "test" / "checkpoint",
             *self.link(), "-o", out], self.place)

    def lua(self, way, out):
        source = fetched("lua5.4") / "src"
        (self.place / "lua5.4-deb-multiarch.h").write_text(
            '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n')
        files = [file for file in sorted(source.glob("*.c"))
                 if file.name not in ("lua.c", "luac.c")]
        run([*self.compiler(way), "-no-pie", "-I", self.place, "-I", source,
             "-Dluai_makeseed(L)=1", EXAMPLES / "lua_arena.c", *files, "-lm",
             *self.link(), "-o", out], self.place)

    def sqlite(self, way, out):
        if not (self.place / "sqlite3.c").exists():
            source = fetched("sqlite3")
            clang = " ".join(map(str, self.compiler(WAYS[0])))
            run(["make", "-s", "-f", source / "main.mk", "TOP=%s" % source,
                 "BCC=" + clang, "TCCX=" + clang, "sqlite3.c"], self.place)
        run([*self.compiler(way), "-DSQLITE_THREADSAFE=0",
             "-DSQLITE_OMIT_LOAD_EXTENSION", "-I", self.place,
             EXAMPLES / "sqlite_memory.c", "sqlite3.c", "-lm", *self.link(),
             "-o", out], self.place)


# A chain has 64 checkpoints; more saves would begin another.
PROGRAMS = (
    Program("containers", Builds.containers, 60, ("+600",), "saved"),
    Program("heat", Builds.heat, 40, ("+800",), "saved.0"),
    Program("lua", Builds.lua, 60, ("+60", EXAMPLES / "work.lua"), "saved"),
    Program("sqlite", Builds.sqlite, 60, ("+60",), "saved"),
)


def measured(builds, program, way, executable, directory):
    """(processor seconds, the checkpoints) of one run."""
    command = [executable, "saved", *program.arguments]
    if way.record:
        command = [builds.build / "bin" / "pagetide", *way.record, *command]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, directory)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    listed = json.loads(run([builds.build / "bin" / "pagetide", "checkpoint",
                             "list", "--json", program.folder], directory))
    seconds = (after.ru_utime - before.ru_utime
               + after.ru_stime - before.ru_stime)
    return seconds, listed["checkpoints"]


def per_save(checkpoints, field):
    """Of one save after the first, which is whole in every way."""
    return statistics.median(c[field] for c in checkpoints[1:])


def table(program, results):
    full = results["full"]
    changed = per_save(full[0][1], "changed_bytes")
    files = per_save(full[0][1], "file_bytes")
    print("\n### %s, %d saves\n" % (program.name, program.saves))
    print("| way | changed KiB per save | fewer | file KiB | fewer "
          "| processor time, over full |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, runs in results.items():
        mine = per_save(runs[0][1], "changed_bytes")
        file = per_save(runs[0][1], "file_bytes")
        ratios = [a[0] / b[0] for a, b in zip(runs, full)]
        print("| %s | %.1f | %.1f | %.1f | %.1f | %.2f (%.2f..%.2f) |" % (
            name, mine / 1024, changed / mine, file / 1024, files / file,
            statistics.median(ratios), min(ratios), max(ratios)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=15, help="rounds [15]")
    parser.add_argument("--programs", metavar="A,B",
                        help="only these: "
                        + ", ".join(p.name for p in PROGRAMS))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="the build of Pagetide [build]")
    options = parser.parse_args()
    names = (options.programs or "").split(",") if options.programs else None
    chosen = [p for p in PROGRAMS if names is None or p.name in names]
    if names and len(chosen) != len(names):
        parser.error("--programs: there are "
                     + ", ".join(p.name for p in PROGRAMS))
    with tempfile.TemporaryDirectory(prefix="pagetide-checkpoints-") as place:
        place = pathlib.Path(place)
        builds = Builds(options.build.absolute(), place)
        for program in chosen:
            executables = {}
            for way in WAYS:
                out = place / ("%s-%s" % (program.name,
                                          way.name.replace(" ", "")))
                program.build(builds, way, out)
                executables[way] = out
            results = {way.name: [] for way in WAYS}
            for round_number in range(options.runs):
                turn = WAYS if round_number % 2 == 0 else WAYS[::-1]
                for way in turn:
                    directory = place / "run"
                    shutil.rmtree(directory, ignore_errors=True)
                    directory.mkdir()
                    results[way.name].append(measured(
                        builds, program, way, executables[way], directory))
            table(program, results)
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("checkpoints.py: %s" % failure)
