# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all benchmarks have in common: their options, their records, and the
documents that their tables go into.

A benchmark has a `name` (of its script, and of its records), `help`, `example`,
words for the sizes `quick` and `smoke`, and these functions:

    add_options(parser)    its further options
    measure(options)       gives the records as they come, the session's first
    text(records)          what is printed of them
    documents(records)     a Document each
    is_bad(records)        whether a run was void or anything failed
"""

import argparse
import json
import os
import pathlib
import sys
import time
from typing import NamedTuple

from failure import Failure
from toolchain import ROOT, Toolchain, describe

BUSY_LOAD = 0.5


class Document(NamedTuple):
    """Tables that go into one document, between two lines that it has."""

    place: str  # what the two lines begin with
    parts: list  # Markdown; the first says what was measured, and on what

    def text(self):
        return "\n\n".join(self.parts) + "\n"


def say(text):
    print(text, file=sys.stderr, flush=True)


def begin_session(options, **facts):
    """The toolchain, and the record of what is measured and on what."""
    toolchain = Toolchain(options.build)
    machine = describe(toolchain)
    if machine["load"] > BUSY_LOAD and options.size != "smoke":
        say("warning: the machine is busy (load %.1f): expect a wide spread"
            % machine["load"])
    return toolchain, {"record": "session", "machine": machine,
                       "size": options.size, **facts}


def tell(title, records, label, **failed):
    """Gives the records as they come, and says which are void. `label` has a
    record's name. If there is a failure, its record with `failed` is the last:
    the rest can still be measured."""
    start = time.monotonic()
    say(title)
    try:
        for record in records:
            if record.get("void"):
                say("  VOID: %s: %s" % (label(record), record["void"]))
            yield record
    except Failure as failure:
        say("  FAILED: %s" % failure)
        yield {"record": "failure", "what": str(failure), **failed}
    say("  done in %.1f s" % (time.monotonic() - start))


def chosen(names, known, what):
    """Those of `known` that the list has, or all if there is no list."""
    wanted = list(known) if names is None else names.split(",")
    for name in wanted:
        if name not in known:
            raise Failure(
                "'%s' is no %s; there are: %s" % (name, what, ", ".join(known))
            )
    return [name for name in known if name in wanted]


def parse_arguments(benchmark, arguments):
    parser = argparse.ArgumentParser(
        description=benchmark.help,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: " + benchmark.example,
    )
    size = parser.add_mutually_exclusive_group()
    for name in ("quick", "smoke"):
        size.add_argument("--" + name, dest="size", action="store_const",
                          const=name, help=getattr(benchmark, name))
    parser.set_defaults(size="full")
    parser.add_argument(
        "--build",
        metavar="DIR",
        default=os.environ.get("PAGETIDE_BUILD", ROOT / "build"),
        help="the build of Pagetide to measure; DIR/benchmarks keeps what is "
        "built here [$PAGETIDE_BUILD, or else build]",
    )
    parser.add_argument(
        "--from",
        dest="records",
        metavar="FILE",
        help="run nothing; print the tables of an earlier --json file",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        metavar="N",
        help="how often each run is made, instead of what the size has",
    )
    parser.add_argument(
        "--json",
        metavar="OUT",
        help="where the records go, one JSON object a line [below --build: "
        "benchmarks/%s.jsonl]" % benchmark.name,
    )
    parser.add_argument(
        "--doc",
        metavar="PLACE",
        help="put the tables into this document, or into those of the "
        "directory's documents which have their places, such as "
        "docs/measurements",
    )
    benchmark.add_options(parser)
    options = parser.parse_args(arguments)
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds %d: give 1 or more" % options.rounds)
    return options


#===- Records --------------------------------------------------------------===#


def read_records(path):
    try:
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
    except OSError as error:
        raise Failure("cannot read %s: %s" % (path, error.strerror)) from error
    except ValueError as error:
        raise Failure(
            "%s is no file of JSON lines: %s" % (path, error)
        ) from error
    if not records or records[0].get("record") != "session":
        raise Failure(
            "there is no session record: %s is no file of records, or its first "
            "line is missing" % path
        )
    return records


def keep_records(benchmark, options):
    """Measures, and keeps each record at once. Returns the records, and whether
    the user interrupted it."""
    path = pathlib.Path(options.json or pathlib.Path(options.build)
                        / ("benchmarks/%s.jsonl" % benchmark.name))
    records = []
    try:
        for record in benchmark.measure(options):
            if not records:
                # Not before it is known that there is anything to measure.
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("", encoding="utf-8")
            records.append(record)
            with open(path, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
    except KeyboardInterrupt:
        say("interrupted; the tables are of what was measured")
        return records, True
    except OSError as error:
        raise Failure("cannot go on: %s" % error) from error
    say("records: %s" % path)
    return records, False


#===- Documents ------------------------------------------------------------===#


def _document_with(place, begin_line, end_line):
    """PLACE itself, or one of the documents in PLACE, if that is a directory."""
    place = pathlib.Path(place)
    candidates = sorted(place.glob("*.md")) if place.is_dir() else [place]
    for path in candidates:
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise Failure(
                "cannot read %s: %s" % (path, error.strerror)
            ) from error
        _, begin, rest = text.partition(begin_line)
        if begin and end_line in rest:
            return path
    raise Failure(
        "%s has no place for these tables: put the lines '%s' and '%s' where "
        "you want them" % (place, begin_line, end_line)
    )


def _write(path, document, begin_line, end_line):
    before, _, rest = path.read_text(encoding="utf-8").partition(begin_line)
    _, _, after = rest.partition(end_line)
    path.write_text(
        "%s%s\n\n%s\n%s%s"
        % (before, begin_line, document.text(), end_line, after),
        encoding="utf-8",
    )


def write_documents(benchmark, records, place):
    """All documents are found before any is written."""
    found = []
    for document in benchmark.documents(records):
        begin = "<!-- %s: begin (written by benchmarks/%s.py --doc) -->" % (
            document.place, benchmark.name)
        end = "<!-- %s: end -->" % document.place
        found.append((_document_with(place, begin, end), document, begin, end))
    for each in found:
        _write(*each)


def main(benchmark, arguments):
    """Exit status: 0; 1 if a run was void or something failed; 2 if nothing
    could be measured; 130 if the user interrupted it."""
    options = parse_arguments(benchmark, arguments)
    try:
        interrupted = False
        if options.records:
            records = read_records(options.records)
        else:
            records, interrupted = keep_records(benchmark, options)
        if records:
            print(benchmark.text(records), end="")
        if options.doc and not interrupted:
            write_documents(benchmark, records, options.doc)
    except Failure as failure:
        print("error: %s" % failure, file=sys.stderr)
        return 2
    if interrupted:
        return 130
    return 1 if benchmark.is_bad(records) else 0
