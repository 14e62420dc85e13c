# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a save takes, by the way in which changes are known. A section of
checkpoints.py."""

import concurrent.futures
import os
import pathlib
import statistics
from typing import Callable, NamedTuple

from build import Builder, key_of
from commands import run
from failure import Failure
from frame import chosen
from key_value import EXAMPLES
from sections import alternating, attempt, of_kind
from tables import NOTHING, spread, table
from toolchain import ROOT, file_hash

HEAT = ROOT / "test" / "checkpoint" / "Inputs" / "heat.c"
SAVES = ROOT / "benchmarks" / "checkpoints" / "saves.c"
SHARED = ROOT / "benchmarks" / "programs.h"
WRAPPED = (
    "__pagetide_api_checkpoint_open",
    "pagetide_checkpoint_protect",
    "pagetide_checkpoint_save",
)


class Program(NamedTuple):
    name: str
    build: Callable
    saves: int  # A chain has 64 checkpoints; more would begin another.
    arguments: dict  # by the size of the benchmark


class Way(NamedTuple):
    name: str
    build: str  # name in BUILDS
    settings: tuple = ()  # of saves.c
    record: tuple = ()  # arguments of pagetide, which runs the program


BUILDS = {
    "native": ("-fno-pagetide",),
    "near": ("-fpagetide-mode=always",),
    "64 B": ("-fpagetide-mode=always", "-fpagetide-granule=6"),
}

UNITS = (("2 MiB", 2097152), ("4 KiB", 4096), ("512 B", 512), ("256 B", 256),
         ("64 B", 64))
STATIC = tuple("64 B marks, units of " + name for name, _ in UNITS)
AUTO = "64 B marks, auto"
NONE, FULL, PAGES = "none", "full", "4 KiB marks"
WAYS = (
    Way(NONE, "native", (("SAVES_WAY", "none"),)),
    Way(FULL, "native"),
    Way("hashes of 16 KiB", "native", (("SAVES_WAY", "hashes"),)),
    Way("engine uffd", "native", (),
        ("record", "--engine", "uffd", "--no-output", "--")),
    Way("kernel_writes", "native", (("SAVES_KERNEL", "1"),)),
    Way(PAGES, "near"),
    *(
        Way(title, "64 B", (("SAVES_GRANULARITY", str(unit)),))
        for title, (_, unit) in zip(STATIC, UNITS)
    ),
    Way(AUTO, "64 B"),
)


#===- Builds ---------------------------------------------------------------===#


class Builds:
    """Makes the programs that save, and keeps them as the suite's."""

    def __init__(self, toolchain):
        self.toolchain = toolchain
        self._builder = Builder(toolchain, toolchain.directory / "benchmarks")

    def all(self, programs):
        """Of each program its executables by build; as many are made at a time
        as there are processors."""
        wanted = [(p, build) for p in programs for build in BUILDS]
        with concurrent.futures.ThreadPoolExecutor(
            len(os.sched_getaffinity(0))
        ) as pool:
            made = list(pool.map(lambda words: self._program(*words), wanted))
        found = {}
        for (program, build), executable in zip(wanted, made):
            found.setdefault(program.name, {})[build] = executable
        return found

    def _program(self, program, build):
        marks = self.toolchain.instrumentation if build != "native" else ""
        key = key_of(
            BUILDS[build],
            [file_hash(file)
             for file in (SAVES, SHARED, *sorted(EXAMPLES.iterdir()))],
            file_hash(HEAT),
            file_hash(pathlib.Path(__file__)),
            [str(word) for word in self.toolchain.checkpoint_flags()],
            self.toolchain.compiler_version,
            marks,
        )
        name = "saves-%s-%s-%s" % (program.name, build.replace(" ", ""), key)
        with self._builder.made(name) as (new, _):
            if new:
                program.build(self, BUILDS[build], new)
        return self._builder.place(name) / "program"

    def _compile(self, flags, place, *words, cxx=False):
        tools = self.toolchain
        run(
            [tools.clang, "-O2", "-Wall", "-Wextra", "-Werror",
             "-fno-pagetide", "-I", ROOT / "include", "-c", SAVES, "-o",
             "saves.o"],
            place,
        )
        wraps = ["-Wl,--wrap=" + name for name in WRAPPED]
        run(
            [tools.clangxx if cxx else tools.clang, "-O2", "-w", *flags, "-I",
             place, *words, "saves.o", *wraps, *tools.checkpoint_flags(), "-lzstd",
             "-lm", "-o", "program"],
            place,
        )

    def containers(self, flags, place):
        self._compile(flags, place, "-std=c++17", EXAMPLES / "containers.cpp",
                      cxx=True)

    def heat(self, flags, place):
        self._compile(flags, place, "-std=gnu99", "-I", ROOT / "test" / "lib",
                      "-I", ROOT / "test" / "checkpoint", HEAT)

    def lua(self, flags, place):
        source = self._builder.source_of("lua5.4").directory / "src"
        (place / "lua5.4-deb-multiarch.h").write_text(
            '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n')
        files = [file for file in sorted(source.glob("*.c"))
                 if file.name not in ("lua.c", "luac.c")]
        self._compile(flags, place, "-no-pie", "-I", source,
                      "-Dluai_makeseed(L)=1", EXAMPLES / "lua_arena.c", *files)

    def sqlite(self, flags, place):
        source = self._builder.source_of("sqlite3").directory
        clang = "%s -O2 -w -fno-pagetide" % self.toolchain.clang
        run(["make", "-s", "-f", source / "main.mk", "TOP=%s" % source,
             "BCC=" + clang, "TCCX=" + clang, "sqlite3.c"], place)
        self._compile(flags, place, "-DSQLITE_THREADSAFE=0",
                      "-DSQLITE_OMIT_LOAD_EXTENSION",
                      EXAMPLES / "sqlite_memory.c", "sqlite3.c")


def sizes(smoke, full):
    return {"smoke": smoke, "quick": full, "full": full}


SCRIPT = str(EXAMPLES / "work.lua")
PROGRAMS = (
    Program("containers", Builds.containers, 60, sizes(("+600",), ("+600",))),
    Program("heat", Builds.heat, 40, sizes(("+100",), ("+800",))),
    Program("lua", Builds.lua, 60, sizes(("+10", SCRIPT), ("+60", SCRIPT))),
    Program("sqlite", Builds.sqlite, 60, sizes(("+10",), ("+60",))),
)


#===- Runs -----------------------------------------------------------------===#


def _saves_of(log):
    names = ("cpu", "wall", "cpu_end", "wall_end", "changed", "file")
    return [
        dict(zip(names, map(int, line.split())))
        for line in log.read_text().splitlines()
    ]


def _states(output, *begins):
    """The last digest of each process's lines that begin so."""
    last = {}
    for line in output.splitlines():
        if line.startswith(begins):
            last[line[:6]] = line.split()[-1]
    return sorted(last.values())


def _check_restored(program, way, executable, saved, directory):
    """What a restart finds is what was saved last."""
    if way.name == NONE or dict(way.settings).get("SAVES_WAY"):
        return
    words = ["+0", *program.arguments["smoke"][1:]]
    settings = {"SAVES_LOG": str(directory / "again"), "SAVES_WAY": "none"}
    done = run([executable, "saved", *words], directory, os.environ | settings)
    found = _states(done.stdout, "going", "half")
    if not found or found != _states(saved, "saving", "half"):
        raise Failure(
            "%s, %s: what was restored is not what was saved"
            % (program.name, way.name)
        )


def measured(bench, program, way, executable, size):
    """A run: of its saves but the first, which are whole in every way, the
    figures of each; and of what lies between the first and the last one, the
    processor time of all processes and the clock of the slowest."""
    directory = bench.fresh_directory()
    command = [executable, "saved", *program.arguments[size]]
    if way.record:
        command = [bench.toolchain.pagetide, *way.record, *command]
    log = directory / "log"
    settings = {"SAVES_LOG": str(log), **dict(way.settings)}
    done = run(command, directory, os.environ | settings)
    _check_restored(program, way, executable, done.stdout, directory)
    processes = [_saves_of(file) for file in sorted(directory.glob("log.*"))]
    if not processes or min(map(len, processes)) < 2:
        raise Failure("%s made fewer than two saves" % program.name)
    if way.name != NONE and not all(
        save["file"] for saves in processes for save in saves
    ):
        raise Failure("%s, %s: a save wrote nothing" % (program.name, way.name))
    later = [save for saves in processes for save in saves[1:]]
    return {
        "cpu_ns": sum(s[-1]["cpu_end"] - s[0]["cpu_end"] for s in processes),
        "wall_ns": max(s[-1]["wall_end"] - s[0]["wall_end"] for s in processes),
        "save_cpu_ns": [s["cpu_end"] - s["cpu"] for s in later],
        "pause_ns": [s["wall_end"] - s["wall"] for s in later],
        "changed": [s["changed"] for s in later],
        "file": [s["file"] for s in later],
    }


def measure(bench, scale):
    """In each round all ways of a program, each once, in turn."""
    by_name = {program.name: program for program in PROGRAMS}
    names = chosen(scale["programs"], by_name, "program")
    executables = Builds(bench.toolchain).all(by_name[name] for name in names)
    for name in names:
        program, made = by_name[name], executables[name]
        for round_number in range(scale["rounds"]):
            for way in alternating(WAYS, round_number):
                options = {"program": name, "way": way.name,
                           "round": round_number}
                yield attempt({"record": "saves", "options": options}, measured,
                              bench, program, way, made[way.build],
                              scale["size"])


#===- Table ----------------------------------------------------------------===#


def _medians(runs, field):
    return statistics.median(n for run in runs for n in run[field])


def _bytes(count):
    return "{:,.1f}".format(count / 1024)


def _over(one, other):
    return "%.1f" % (one / other) if other else NOTHING


def _row(name, runs, by_way):
    """By the rounds that both have."""
    none = by_way.get(NONE, {})
    both = sorted(set(none) & set(runs))
    ratios = [
        spread([runs[n][field] / none[n][field] for n in both], "%.2f")
        if both else NOTHING
        for field in ("cpu_ns", "wall_ns")
    ]
    if name == NONE:
        return [name, *[NOTHING] * 6, *ratios]
    of_all = runs.values()
    file = _medians(of_all, "file")
    others = [
        _over(_medians(by_way[other].values(), "file"), file)
        if other in by_way else NOTHING
        for other in (FULL, PAGES)
    ]
    pauses = [n for run in of_all for n in run["pause_ns"]]
    return [
        name,
        _bytes(_medians(of_all, "changed")),
        _bytes(file),
        *others,
        "%.2f" % (_medians(of_all, "save_cpu_ns") / 1e6),
        "%.2f / %.2f" % (statistics.median(pauses) / 1e6, max(pauses) / 1e6),
        *ratios,
    ]


def _auto(by_way):
    """What auto takes, over the best and over pages."""
    best = [by_way[name] for name in STATIC if name in by_way]
    if AUTO not in by_way or PAGES not in by_way or not best:
        return ""
    files = [_medians(runs.values(), "file") for runs in best]
    auto = _medians(by_way[AUTO].values(), "file")
    return (
        "\n\n`auto` writes %.2f of the bytes of the best of these units, and "
        "%.2f of those of 4 KiB marks."
        % (auto / min(files), auto
           / _medians(by_way[PAGES].values(), "file"))
    )


def table_of(records):
    programs = {}
    for r in of_kind(records, "saves"):
        options = r["options"]
        by_way = programs.setdefault(options["program"], {})
        runs = by_way.setdefault(options["way"], {})
        runs[options["round"]] = r["result"]
    header = ["way", "changed KiB", "file KiB", "full over it",
              "4 KiB marks over it", "save: cpu ms",
              "pause ms: median / most", "run: cpu over none",
              "run: wall over none"]
    parts = []
    for program, by_way in programs.items():
        order = [way.name for way in WAYS if way.name in by_way]
        rows = [_row(name, by_way[name], by_way) for name in order]
        parts.append("#### %s\n\n%s%s" % (
            program, table(header, rows), _auto(by_way)))
    return "\n\n".join(parts)
