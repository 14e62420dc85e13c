#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what Pagetide costs: programs built without and with marks, run in
turn, next to each other. README.md beside this file says how to read the
tables.

Exit status: 0; 1 if a run was void (its output or its trace was not what it
should be) or a program failed; 2 if nothing could be measured.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import plots
import report
import time_shares
from build import Builder
from failure import Failure
from inputs import make_input
from measure import Runner, Task, check_marks, emulated, pairs, profiles
from programs import PROGRAMS, SMOKE_PROGRAMS
from toolchain import ROOT, Toolchain, describe
from variants import BUILDS, CHOSEN, GROUPS, NATIVE, VARIANTS

HERE = pathlib.Path(__file__).absolute().parent

BUSY_LOAD = 0.5


def add_build_option(parser):
    parser.add_argument(
        "--build",
        metavar="DIR",
        default=os.environ.get("PAGETIDE_BUILD", ROOT / "build"),
        help="the build of Pagetide to measure; DIR/benchmarks keeps what is "
        "built here [$PAGETIDE_BUILD, or else build]",
    )


def add_shared_options(parser, quick, smoke):
    """The options of every benchmark. The two sizes get these words of help."""
    size = parser.add_mutually_exclusive_group()
    for name, words in (("quick", quick), ("smoke", smoke)):
        size.add_argument(
            "--" + name,
            dest="size",
            action="store_const",
            const=name,
            help=words,
        )
    parser.set_defaults(size="full")
    add_build_option(parser)
    parser.add_argument(
        "--from",
        dest="records",
        metavar="FILE",
        help="run nothing; print the tables of an earlier --json file",
    )


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: benchmarks/run.py --quick --programs bzip2,lua "
        "--group peers",
    )
    add_shared_options(
        parser,
        quick="smaller inputs, fewer rounds: group main within 5 minutes once "
        "all is built",
        smoke="tiny inputs, one round, programs that are built in no time: "
        "shows that everything works, measures nothing",
    )
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
        "--runs",
        type=int,
        metavar="N",
        help="rounds, each with a pair of runs for every variant [smoke, "
        "quick, full: %s]; start-up has its own number"
        % "; ".join(
            "%s %s" % (g.name, ", ".join(map(str, g.rounds.values())))
            for g in GROUPS.values()
        ),
    )
    parser.add_argument(
        "--profile",
        action=argparse.BooleanOptionalAction,
        help="run each program once more as control and as each marked variant, "
        "sampled by perf, for a table of where its time goes [full: yes; quick, "
        "smoke: no]",
    )
    parser.add_argument(
        "--build-only",
        action="store_true",
        help="build all of it, and see to the marks; measure nothing (what a "
        "build takes is measured when it is made, though)",
    )
    parser.add_argument(
        "--json",
        metavar="OUT",
        help="where the records go, one JSON object a line [below --build: "
        "benchmarks/latest.jsonl]",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="of the order in which things are run [1]",
    )
    parser.add_argument(
        "--doc",
        metavar="PLACE",
        help="put each group's tables into its place in this document too, or "
        "into that of the directory's documents which has the place, such as "
        "docs/measurements",
    )
    parser.add_argument(
        "--plots",
        metavar="DIR",
        help="draw the groups' plots into this directory too, such as "
        "docs/measurements/plots",
    )
    options = parser.parse_args(arguments)
    if options.profile is None:
        options.profile = options.size == "full"
    if options.runs is not None and options.runs < 1:
        parser.error("--runs %d: give 1 or more" % options.runs)
    return options


def choose(given, known, what, default):
    """The entries of a table that the user named."""
    names = given.split(",") if given is not None else list(default)
    for name in names:
        if name not in known:
            raise Failure(
                "'%s' is no %s; there are: %s" % (name, what, ", ".join(known))
            )
    return [known[name] for name in known if name in names]


def choose_groups(options):
    """The groups to measure: of `--variants`, one made of those."""
    if options.variants is not None:
        chosen = choose(options.variants, VARIANTS, "variant", ())
        return [CHOSEN._replace(variants=tuple(v.name for v in chosen))]
    if options.group == "all":
        return list(GROUPS.values())
    return choose(options.group, GROUPS, "group", ())


def rounds_of(groups, options):
    """By variant of these groups, how many rounds of programs, and of the
    start-up: what the group with the most wants."""
    rounds = {}
    for group in groups:
        wanted = (
            options.runs or group.rounds[options.size],
            group.start_rounds[options.size],
        )
        for name in group.variants:
            rounds[name] = max(rounds.get(name, wanted), wanted)
    return {name: rounds[name] for name in VARIANTS if name in rounds}


def say(text):
    print(text, file=sys.stderr, flush=True)


def task_of(program, size, cache, client):
    """The program's arguments and input at that size, and what its client is
    started with."""
    path = None
    if program.input:
        path = make_input(cache, program.input, program.input_sizes[size])

    def words_of(arguments):
        return [w.format(input=path, script=HERE / "scripts") for w in arguments]

    client_command = ()
    if program.client:
        words = words_of(program.client.arguments[size])
        client_command = (str(client), *words)
    return Task(
        tuple(words_of(program.arguments[size])),
        path if program.stdin else None,
        client_command,
    )


def short_task_of(program, cache, client):
    """What an emulator is given: a thousandth of a full run's time or so."""
    if program.kind != "kernel":
        return task_of(program, "smoke", cache, client)
    # The smallest size takes no longer than the start-up. This has the size of
    # a quick run, and few of its rounds.
    *words, rounds = program.arguments["quick"]
    return Task((*words, str(max(1, int(rounds) // 100))))


class Lab:
    """What measuring takes, whatever is measured."""

    def __init__(self, options, toolchain, groups, directory):
        self.options = options
        self.builder = Builder(toolchain, toolchain.directory / "benchmarks")
        self.rounds = rounds_of(groups, options)
        self.variants = [VARIANTS[name] for name in self.rounds]
        plugin = None
        if any("{plugin}" in word for v in self.variants for word in v.under):
            plugin = self.builder.plugin()
        self.runner = Runner(
            self.builder.launcher(), toolchain, directory, plugin
        )
        self.profiled = options.profile

    def see_to_profiles(self):
        """A record that says why programs cannot be sampled, if they should and
        cannot be."""
        if not self.profiled or self.options.build_only:
            return
        why = time_shares.why_not(self.runner.directory)
        if why:
            self.profiled = False
            say("warning: no shares of time are measured: %s" % why)
            yield {"record": "unprofiled", "why": why}

    def measure(self, program):
        """The records of one program: its builds, then its runs."""
        variants = [v for v in self.variants if program.kind in v.kinds]
        if not variants:
            return
        inputs = self.builder.cache / "inputs"
        client = None
        if program.client:
            client = self.builder.build(program.client.recipe, BUILDS["native"])
            client = client.path
        task = task_of(program, self.options.size, inputs, client)
        smallest = task_of(program, "smoke", inputs, client)
        short = short_task_of(program, inputs, client)
        # A variant is compared with native, or with a build of its own base.
        bases = [VARIANTS[v.against] for v in variants if v.against != "native"]
        names = dict.fromkeys(
            [NATIVE.build, *(v.build for v in [*variants, *bases])]
        )
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
            base = (
                NATIVE.build
                if variant.against == "native"
                else VARIANTS[variant.against].build
            )
            fault = failed.get(variant.build) or failed.get(base)
            if not fault:
                runnable.append(variant)
                continue
            say("  VOID: %s cannot be run: %s" % (variant.name, fault))
            yield {
                "record": "unbuilt",
                "program": program.name,
                "variant": variant.name,
                "void": fault,
            }
        if self.options.build_only:
            return
        for record in self.runs(program, task, short, executables, runnable):
            if record["void"]:
                say("  VOID: %s" % record["void"])
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

    def runs(self, program, task, short_task, executables, variants):
        rounds = {
            v.name: self.rounds[v.name][program.kind == "start"]
            for v in variants
        }
        # Its own order, whichever other programs are measured.
        seed = "%d %s" % (self.options.seed, program.name)
        paired = [v for v in variants if not v.under]
        if paired:
            yield from pairs(
                self.runner, task, executables, paired, rounds, seed
            )
        # Ours, and native for comparison.
        sampled = [v for v in paired if not v.other]
        if sampled and self.profiled and program.kind != "start":
            yield from profiles(self.runner, task, executables, sampled)
        emulators = [v for v in variants if v.under]
        if emulators:
            yield from emulated(
                self.runner, short_task, executables[NATIVE.build], emulators
            )


def measure(options):
    """Measures all that was asked for; gives the records as they come."""
    smoke = options.size == "smoke"
    programs = choose(
        options.programs,
        PROGRAMS,
        "program",
        SMOKE_PROGRAMS if smoke else PROGRAMS,
    )
    groups = choose_groups(options)
    start = PROGRAMS["empty"]
    if any(VARIANTS[n].under for g in groups for n in g.variants):
        # What starting an emulator takes is taken off.
        programs += [] if start in programs else [start]
    toolchain = Toolchain(options.build)
    machine = describe(toolchain)
    if machine["load"] > BUSY_LOAD and not smoke:
        say(
            "warning: the machine is busy (load %.1f): expect a wide spread"
            % machine["load"]
        )
    yield {
        "record": "session",
        "machine": machine,
        "size": options.size,
        "groups": {
            group.name: {
                "variants": group.variants,
                "rounds": options.runs or group.rounds[options.size],
            }
            for group in groups
        },
        "seed": options.seed,
    }
    with tempfile.TemporaryDirectory(prefix="pagetide-benchmark-") as scratch:
        lab = Lab(options, toolchain, groups, scratch)
        yield from lab.see_to_profiles()
        for number, program in enumerate(programs, 1):
            say(
                "[%d/%d] %s: %s"
                % (number, len(programs), program.name, program.help)
            )
            start = time.monotonic()
            try:
                yield from lab.measure(program)
            except Failure as failure:
                # The others can still be measured; there will be no geomean.
                say("  FAILED: %s" % failure)
                yield {
                    "record": "failure",
                    "program": program.name,
                    "what": str(failure),
                }
            say("  done in %.1f s" % (time.monotonic() - start))


def read_records(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except OSError as error:
        raise Failure("cannot read %s: %s" % (path, error.strerror)) from error
    except ValueError as error:
        raise Failure(
            "%s is no file of JSON lines: %s" % (path, error)
        ) from error


def write_records(options):
    """Measures, and keeps each record at once. Returns the records, and whether
    the user interrupted it."""
    path = pathlib.Path(
        options.json
        or pathlib.Path(options.build) / "benchmarks" / "latest.jsonl"
    )
    records = []
    file = None
    try:
        for record in measure(options):
            if file is None:
                # Not before it is known that there is anything to measure.
                path.parent.mkdir(parents=True, exist_ok=True)
                file = open(path, "w", encoding="utf-8")
            records.append(record)
            file.write(json.dumps(record) + "\n")
            file.flush()
    except KeyboardInterrupt:
        say("interrupted; the tables are of what was measured")
        return records, True
    except OSError as error:
        raise Failure("cannot go on: %s" % error) from error
    finally:
        if file:
            file.close()
            say("records: %s" % path)
    return records, False


def main(arguments):
    options = parse_arguments(arguments)
    try:
        interrupted = False
        if options.build_only:
            kinds = [record["record"] for record in measure(options)]
            return 1 if {"unbuilt", "failure"} & set(kinds) else 0
        if options.records:
            records = read_records(options.records)
        else:
            records, interrupted = write_records(options)
        if interrupted and not any(r["record"] == "pair" for r in records):
            return 130
        measurements = report.Measurements(records)
        sections = report.render(measurements)
        print("\n".join(sections.values()), end="")
        drawn = {}
        if options.plots and not interrupted:
            drawn = plots.draw(measurements, options.plots)
            for path in (p for paths in drawn.values() for _, p in paths):
                say("plot: %s" % path)
        if options.doc and not interrupted:
            report.insert_sections(options.doc, sections, drawn)
    except Failure as failure:
        print("error: %s" % failure, file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # while building
        return 130
    if interrupted:
        return 130
    return 1 if measurements.faults() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
