#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what Pagetide costs: programs built without and with marks, run in
turn, next to each other. README.md beside this file says how to read the
tables.

Exit status: 0; 1 if a run was void (its output or its trace was not what it
should be) or a program failed; 2 if nothing could be measured.
"""

import os
import pathlib
import sys
import tempfile
import time

import frame
import report
from build import Builder
from failure import Failure
from frame import chosen, say, tell
from measure import Runner, Task, check_marks, pairs
from programs import PROGRAMS, SMOKE_PROGRAMS
from variants import BUILDS, CHOSEN, GROUPS, NATIVE, VARIANTS, base_of

HERE = pathlib.Path(__file__).absolute().parent


def choose_groups(options):
    """The groups to measure: of `--variants`, one made of those."""
    if options.variants is not None:
        names = chosen(options.variants, VARIANTS, "variant")
        return [CHOSEN._replace(variants=tuple(names))]
    names = None if options.group == "all" else options.group
    return [GROUPS[name] for name in chosen(names, GROUPS, "group")]


def rounds_of(groups, options):
    """By variant of these groups, how many rounds of programs, and of the
    start-up: what the group with the most wants."""
    rounds = {}
    for group in groups:
        wanted = (
            options.rounds or group.rounds[options.size],
            group.start_rounds[options.size],
        )
        for name in group.variants:
            rounds[name] = max(rounds.get(name, wanted), wanted)
    return {name: rounds[name] for name in VARIANTS if name in rounds}


def task_of(program, size, builder):
    """The program's arguments and input at that size, and what its client is
    started with."""
    path = None
    if program.input:
        path = builder.input(program.input, program.input_sizes[size])

    def words_of(arguments):
        return [w.format(input=path, script=HERE / "scripts") for w in arguments]

    client_command = ()
    if program.client:
        client = builder.build(program.client.recipe, BUILDS["native"]).path
        words = words_of(program.client.arguments[size])
        client_command = (str(client), *words)
    return Task(
        tuple(words_of(program.arguments[size])),
        path if program.stdin else None,
        client_command,
    )


class Lab:
    """What measuring takes, whatever is measured."""

    def __init__(self, options, toolchain, groups, directory):
        self.options = options
        self.builder = Builder(toolchain, toolchain.directory / "benchmarks")
        self.rounds = rounds_of(groups, options)
        self.variants = [VARIANTS[name] for name in self.rounds]
        self.runner = Runner(self.builder.launcher(), toolchain, directory)

    def measure(self, program):
        """The records of one program: its builds, then its runs."""
        variants = [v for v in self.variants if program.kind in v.kinds]
        if not variants:
            return
        task = task_of(program, self.options.size, self.builder)
        smallest = task_of(program, "smoke", self.builder)
        sides = [NATIVE, *variants, *map(base_of, variants)]
        names = dict.fromkeys(side.build for side in sides)
        executables, failed = {}, {}
        for name in names:
            try:
                executables[name], record = self.build(
                    program, smallest, name
                )
                yield record
            except Failure as failure:
                # Without native there is nothing; without another build,
                # what the others cost can still be measured.
                if name == NATIVE.build:
                    raise
                failed[name] = str(failure)
        runnable = []
        for variant in variants:
            fault = failed.get(variant.build) or failed.get(
                base_of(variant).build)
            if fault:
                yield {"record": "unbuilt", "program": program.name,
                       "variant": variant.name, "void": fault}
            else:
                runnable.append(variant)
        if self.options.build_only:
            return
        for record in self.runs(program, task, executables, runnable):
            yield {"program": program.name} | record

    def build(self, program, task, name):
        """Builds the program that way, and sees to its marks. Returns the
        executable and a record."""
        start = time.monotonic()
        built = self.builder.build(program.recipe, BUILDS[name])
        if not built.cached:
            say("  built %s in %.1f s" % (name, time.monotonic() - start))
        check_marks(self.runner, task, built.path, BUILDS[name])
        return built.path, {
            "record": "build",
            "program": program.name,
            "recipe": program.recipe.name,
            "build": name,
            "flags": [*BUILDS[name].flags, *program.recipe.flags],
            "version": built.version,
            "compile_s": built.compile_s,
            "code_bytes": built.code_bytes,
        }

    def runs(self, program, task, executables, variants):
        rounds = {
            v.name: self.rounds[v.name][program.kind == "start"]
            for v in variants
        }
        # Its own order, whichever other programs are measured.
        seed = "%d %s" % (self.options.seed, program.name)
        if variants:
            yield from pairs(
                self.runner, task, executables, variants, rounds, seed
            )


class Suite:
    """The benchmark of programs (frame.py)."""

    name = "run"
    help = __doc__
    example = "benchmarks/run.py --quick --programs bzip2,lua --group peers"
    quick = (
        "smaller inputs, fewer rounds: group main within 5 minutes once all is "
        "built"
    )
    smoke = (
        "tiny inputs, one round, programs that are built in no time: shows that "
        "everything works, measures nothing"
    )

    def add_options(self, parser):
        parser.add_argument(
            "--programs",
            metavar="A,B",
            help="only these: " + ", ".join(PROGRAMS),
        )
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--group",
            metavar="A,B",
            default="main",
            help="what is compared [main]: "
            + "; ".join("%s (%s)" % (g.name, g.title) for g in GROUPS.values())
            + "; all",
        )
        what.add_argument(
            "--variants",
            metavar="A,B",
            help="only these, whatever their groups: "
            + "; ".join("%s (%s)" % (v.name, v.help) for v in VARIANTS.values()),
        )
        parser.add_argument(
            "--build-only",
            action="store_true",
            help="build all of it, and see to the marks; measure nothing (what a "
            "build takes is measured when it is made, though)",
        )
        parser.add_argument(
            "--seed",
            type=int,
            default=1,
            help="of the order in which things are run [1]",
        )

    def measure(self, options):
        smoke = options.size == "smoke"
        if options.build_only:
            options.json = os.devnull
        programs = list(SMOKE_PROGRAMS if smoke else PROGRAMS)
        groups = choose_groups(options)
        if options.programs is not None:
            programs = chosen(options.programs, PROGRAMS, "program")
        elif all(group.programs for group in groups):
            about = {name for group in groups for name in group.programs}
            programs = [name for name in programs if name in about]
        toolchain, session = frame.begin_session(
            options,
            groups={
                group.name: {
                    "variants": group.variants,
                    "rounds": options.rounds or group.rounds[options.size],
                }
                for group in groups
            },
            seed=options.seed,
        )
        yield session
        with tempfile.TemporaryDirectory(prefix="pagetide-benchmark-") as scratch:
            lab = Lab(options, toolchain, groups, scratch)
            for number, name in enumerate(programs, 1):
                program = PROGRAMS[name]
                title = "[%d/%d] %s: %s" % (
                    number, len(programs), name, program.help)
                # Without one that failed there will be no geomean.
                yield from tell(title, lab.measure(program),
                                lambda record: record["variant"], program=name)

    def text(self, records):
        if {r["record"] for r in records} <= {"session", "build"}:
            return ""
        m = report.Measurements(records)
        return "\n".join(
            "## %s\n\n%s\n" % (g.title, "\n\n".join(report.group_parts(m, g)))
            for g in m.groups()
        )

    def documents(self, records):
        m = report.Measurements(records)
        return [
            frame.Document("measured " + group.name, report.group_parts(m, group))
            for group in m.groups()
        ]

    def is_bad(self, records):
        return bool(report.Measurements(records).faults())


if __name__ == "__main__":
    sys.exit(frame.main(Suite(), sys.argv[1:]))
