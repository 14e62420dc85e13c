#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what Pagetide costs: programs built without and with marks, run in
turn, next to each other. README.md beside this file says how to read the
tables.

Exit status: 0; 1 where a run was void (its output or its trace was not what it
should be) or a program failed; 2 where nothing could be measured.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import report
from build import Builder
from failure import Failure
from inputs import make_input
from measure import Runner, Task, check_marks, pairs
from programs import PROGRAMS, SMOKE_PROGRAMS
from toolchain import ROOT, Toolchain, describe
from variants import BUILDS, NATIVE, VARIANTS

HERE = pathlib.Path(__file__).resolve().parent

# Rounds by size: of the programs, and of the start-up, which is short.
ROUNDS = {"smoke": (1, 5), "quick": (3, 40), "full": (7, 200)}
BUSY_LOAD = 0.5


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: benchmarks/run.py --quick --programs bzip2,lua "
        "--variants rw,write",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick",
        dest="size",
        action="store_const",
        const="quick",
        help="smaller inputs, %d rounds: within 5 minutes once all is built"
        % ROUNDS["quick"][0],
    )
    size.add_argument(
        "--smoke",
        dest="size",
        action="store_const",
        const="smoke",
        help="tiny inputs, one round, programs that are built in no time: "
        "shows that everything works, measures nothing",
    )
    parser.add_argument(
        "--programs",
        metavar="A,B",
        help="only these: " + ", ".join(PROGRAMS),
    )
    parser.add_argument(
        "--variants",
        metavar="A,B",
        help="only these: "
        + "; ".join("%s (%s)" % (v.name, v.help) for v in VARIANTS.values()),
    )
    parser.add_argument(
        "--runs",
        type=int,
        metavar="N",
        help="rounds, each with a pair of runs for every variant [%s]; "
        "start-up has its own number"
        % ", ".join("%s %d" % (s, n) for s, (n, _) in ROUNDS.items()),
    )
    parser.add_argument(
        "--json",
        metavar="OUT",
        help="where the records go, one JSON object a line [below --build: "
        "benchmarks/latest.jsonl]",
    )
    parser.add_argument(
        "--build",
        metavar="DIR",
        default=os.environ.get("PAGETIDE_BUILD", ROOT / "build"),
        help="the build of Pagetide to measure; DIR/benchmarks keeps what is "
        "built here [$PAGETIDE_BUILD, or else build]",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="of the order in which things are run [1]",
    )
    parser.add_argument(
        "--from",
        dest="records",
        metavar="FILE",
        help="run nothing; print the tables of an earlier --json file",
    )
    parser.add_argument(
        "--doc",
        metavar="FILE",
        help="put the tables into this document too, such as "
        "docs/performance.md",
    )
    options = parser.parse_args(arguments)
    options.size = options.size or "full"
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


def say(text):
    print(text, file=sys.stderr, flush=True)


def task_of(program, size, cache):
    """The program's arguments and input at that size."""
    path = None
    if program.input:
        path = make_input(cache, program.input, program.input_sizes[size])
    words = [
        word.format(input=path, script=HERE / "scripts")
        for word in program.arguments[size]
    ]
    return Task(tuple(words), path if program.stdin else None)


def measure_program(program, variants, options, builder, runner, seed):
    """The records of one program: its builds, then its pairs."""
    variants = [v for v in variants if program.kind in v.kinds]
    names = dict.fromkeys([NATIVE.build, *(v.build for v in variants)])
    executables = {}
    for name in names:
        start = time.monotonic()
        built = builder.build(program.recipe, BUILDS[name])
        executables[name] = built.path
        if not built.cached:
            say("  built %s in %.1f s" % (name, time.monotonic() - start))
        yield {
            "record": "build",
            "program": program.name,
            "recipe": program.recipe.name,
            "build": name,
            "flags": [*BUILDS[name].flags, *program.recipe.flags],
            "version": built.version,
            "compile_s": built.compile_s,
            "code_bytes": built.code_bytes,
        }
    task = task_of(program, options.size, builder.cache / "inputs")
    check_marks(runner, task, executables)
    rounds, start_rounds = ROUNDS[options.size]
    rounds = options.runs or rounds
    if program.kind == "start":
        rounds = start_rounds
    for record in pairs(runner, task, executables, variants, rounds, seed):
        if record["void"]:
            say(
                "  VOID: native and %s, round %d: %s"
                % (record["variant"], record["round"], record["void"])
            )
        yield {"program": program.name} | record


def measure(options):
    """Measures all that was asked for; gives the records as they come."""
    smoke = options.size == "smoke"
    programs = choose(
        options.programs,
        PROGRAMS,
        "program",
        SMOKE_PROGRAMS if smoke else PROGRAMS,
    )
    variants = choose(options.variants, VARIANTS, "variant", VARIANTS)
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
        "rounds": options.runs or ROUNDS[options.size][0],
        "seed": options.seed,
    }
    builder = Builder(toolchain, toolchain.directory / "benchmarks")
    with tempfile.TemporaryDirectory(prefix="pagetide-benchmark-") as scratch:
        runner = Runner(builder.launcher(), toolchain.pagetide, scratch)
        for number, program in enumerate(programs, 1):
            say(
                "[%d/%d] %s: %s"
                % (number, len(programs), program.name, program.help)
            )
            start = time.monotonic()
            # Its own order, whichever other programs are measured.
            seed = "%d %s" % (options.seed, program.name)
            try:
                yield from measure_program(
                    program, variants, options, builder, runner, seed
                )
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
        if options.records:
            records = read_records(options.records)
        else:
            records, interrupted = write_records(options)
        if interrupted and not any(r["record"] == "pair" for r in records):
            return 130
        tables = report.render(records)
        print(tables, end="")
        if options.doc and not interrupted:
            report.insert_into(options.doc, tables)
    except Failure as failure:
        print("error: %s" % failure, file=sys.stderr)
        return 2
    if interrupted:
        return 130
    measurements = report.Measurements(records)
    return 1 if measurements.voids() or measurements.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
