# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A benchmark that has sections: its command line, its records, and the
documents that its tables go into."""

import argparse
import json
import pathlib
import shutil
import statistics
import sys
import tempfile
import time
from typing import Callable, NamedTuple, Optional

import report
from failure import Failure
from run import BUSY_LOAD, add_shared_options, read_records, say
from toolchain import Toolchain, describe


class Table(NamedTuple):
    kind: Optional[str]  # of the records that it shows; None: it is always there
    title: str
    make: Callable  # of all records: its text


class Document(NamedTuple):
    """Tables that go into one document."""

    place: str  # what the two lines around them begin with
    count: str  # name of its number of rounds
    tables: tuple


class Option(NamedTuple):
    """One more of the command line. The scale has its value by its name."""

    name: str
    metavar: str
    help: str


PROGRAMS = Option(
    "programs", "A,B", "of sections that run several programs, only these"
)


def label_of(record):
    """What a list of void runs calls it."""
    which = record.get("options") or record.get("name") or record.get("kind")
    return "%s %s" % (record["record"], which)


class Benchmark(NamedTuple):
    name: str  # of the script, and of its records
    help: str
    example: str
    documents: tuple
    sections: dict  # functions of (bench, scale), which give records
    # By size: what bounds the sections. `disk_bytes` is what they need of the
    # scratch directory, if that is much.
    scales: dict
    counts: tuple  # names in a scale that are numbers of rounds
    bench: Callable  # of (toolchain, scratch directory)
    curves: Callable = lambda records: {}  # SVG texts by name
    options: tuple = ()  # further ones
    label: Callable = label_of


def of_kind(records, kind):
    """Those that are not void."""
    return [r for r in records if r["record"] == kind and not r["void"]]


def spread(values, form="%.3f"):
    """The median, the least and the greatest."""
    ordered = sorted(values)
    middle = statistics.median(ordered)
    text = "%s (%s..%s)" % (form, form, form)
    return text % (middle, ordered[0], ordered[-1])


#===- Command --------------------------------------------------------------===#


def parse_arguments(benchmark, arguments):
    parser = argparse.ArgumentParser(
        description=benchmark.help,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: " + benchmark.example,
    )
    add_shared_options(
        parser,
        quick="smaller sizes or fewer rounds: within minutes",
        smoke="shows that everything works, measures nothing",
    )
    parser.add_argument(
        "--sections",
        metavar="A,B",
        help="only these: " + ", ".join(benchmark.sections),
    )
    for option in benchmark.options:
        parser.add_argument(
            "--" + option.name, metavar=option.metavar, help=option.help
        )
    parser.add_argument(
        "--rounds",
        type=int,
        metavar="N",
        help="how often each run is made, instead of what the size has",
    )
    parser.add_argument(
        "--scratch",
        metavar="DIR",
        default=tempfile.gettempdir(),
        help="where runs put what is not kept [$TMPDIR, or else /tmp]",
    )
    parser.add_argument(
        "--json",
        metavar="OUT",
        help="where the records go, one JSON object a line, and any curves "
        "beside them [below --build: benchmarks/%s.jsonl]" % benchmark.name,
    )
    parser.add_argument(
        "--doc",
        metavar="PLACE",
        help="put the tables into this document, or into those of the "
        "directory's documents which have their places, such as "
        "docs/measurements; any curves go into plots/ beside them",
    )
    options = parser.parse_args(arguments)
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds %d: give 1 or more" % options.rounds)
    return options


def chosen(names, known, what):
    """Those of `known` that the list has, or all if there is no list."""
    if not names:
        return list(known)
    wanted = names.split(",")
    for name in wanted:
        if name not in known:
            raise Failure(
                "'%s' is no %s; there are: %s" % (name, what, ", ".join(known))
            )
    return [name for name in known if name in wanted]


def scale_of(benchmark, options):
    scale = dict(benchmark.scales[options.size])
    for count in benchmark.counts:
        scale[count] = options.rounds or scale[count]
    scale["size"] = options.size
    for option in benchmark.options:
        scale[option.name] = getattr(options, option.name)
    return scale


def check_space(directory, needed_bytes):
    try:
        free = shutil.disk_usage(directory).free
    except OSError as error:
        raise Failure(
            "cannot use %s: %s" % (directory, error.strerror)
        ) from error
    if free < needed_bytes:
        raise Failure(
            "%s has only %d MB left, of %d MB that are needed: name another "
            "directory by --scratch" % (directory, free / 1e6, needed_bytes / 1e6)
        )


def measure(benchmark, options):
    """The records, as they come."""
    names = chosen(options.sections, benchmark.sections, "section")
    toolchain = Toolchain(options.build)
    machine = describe(toolchain)
    scale = scale_of(benchmark, options)
    if machine["load"] > BUSY_LOAD and options.size != "smoke":
        say("warning: the machine is busy (load %.1f)" % machine["load"])
    # Programs run in directories of their own.
    scratch_place = pathlib.Path(options.scratch).absolute()
    check_space(scratch_place, scale.get("disk_bytes", 0))
    yield {
        "record": "session",
        "machine": machine,
        "size": options.size,
        "rounds": scale["rounds"],
        "counts": {count: scale[count] for count in benchmark.counts},
    }
    prefix = "pagetide-%s-" % benchmark.name
    with tempfile.TemporaryDirectory(
        prefix=prefix, dir=scratch_place
    ) as scratch:
        bench = benchmark.bench(toolchain, scratch)
        for name in names:
            start = time.monotonic()
            say("%s" % name)
            try:
                for record in benchmark.sections[name](bench, scale):
                    if record["void"]:
                        say("  VOID: %s" % record)
                    yield record
            except Failure as failure:
                say("  FAILED: %s" % failure)
                yield {
                    "record": "failure",
                    "section": name,
                    "what": str(failure),
                    "void": None,
                }
            say("  done in %.1f s" % (time.monotonic() - start))


def run(benchmark, options, path):
    records = []
    for record in measure(benchmark, options):
        if not records:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("", encoding="utf-8")
        records.append(record)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
    say("records: %s" % path)
    for name, text in benchmark.curves(records).items():
        path.with_name(name + ".svg").write_text(text, encoding="utf-8")
    return records


#===- Tables ---------------------------------------------------------------===#


def _faults(benchmark, records, document):
    kinds = {table.kind for table in document.tables}
    voids = [
        "- %s: %s" % (benchmark.label(r), r["void"])
        for r in records
        if r.get("void") and r["record"] in kinds
    ]
    failures = [
        "- %s: %s" % (r["section"], r["what"])
        for r in records
        if r["record"] == "failure"
    ]
    parts = []
    for title, lines in (("Void", voids), ("Failed", failures)):
        if lines:
            parts += ["### %s in %s" % (title, benchmark.name), "\n".join(lines)]
    return parts


def render(benchmark, records, document, links=""):
    parts = []
    for table in document.tables:
        if table.kind is None or any(r["record"] == table.kind for r in records):
            parts += ["### " + table.title, table.make(records)]
    if links:
        parts.append(links)
    parts += _faults(benchmark, records, document)
    # Records of older versions have one count.
    session = records[0]
    rounds = session.get("counts", {}).get(document.count, session["rounds"])
    return "\n\n".join([report.head(session, rounds), *parts]) + "\n"


def _all(benchmark):
    tables = [t for d in benchmark.documents for t in d.tables]
    return Document("", benchmark.counts[0], tuple(tables))


def _with_records(benchmark, records):
    """The documents that have something to show, or to say of what failed."""
    kinds = {r["record"] for r in records}
    found = [
        document
        for document in benchmark.documents
        if kinds & {table.kind for table in document.tables}
    ]
    return found or benchmark.documents[:1]


def write_documents(benchmark, records, place):
    """Each document of which there are records is written anew."""
    drawn = benchmark.curves(records)
    for document in _with_records(benchmark, records):
        lines = [
            "<!-- %s: %s -->" % (document.place, what)
            for what in (
                "begin (written by benchmarks/%s.py --doc)" % benchmark.name,
                "end",
            )
        ]
        path = report.document_with(place, *lines)
        first = document is benchmark.documents[0]
        links = "\n".join("![](plots/%s.svg)" % name for name in drawn)
        text = render(benchmark, records, document, links if first else "")
        report.insert_into(path, text, *lines)
        plots = path.with_name("plots")
        for name, text in drawn.items() if first else ():
            plots.mkdir(exist_ok=True)
            (plots / (name + ".svg")).write_text(text, encoding="utf-8")


def main(benchmark, arguments):
    """Exit status: 0; 1 if a run was void or a section failed; 2 if nothing
    could be measured."""
    options = parse_arguments(benchmark, arguments)
    try:
        if options.records:
            records = read_records(options.records)
            if not records or records[0].get("record") != "session":
                raise Failure("there is no session record in %s" % options.records)
        else:
            default = pathlib.Path(options.build) / (
                "benchmarks/%s.jsonl" % benchmark.name
            )
            records = run(benchmark, options, pathlib.Path(options.json or default))
        print(render(benchmark, records, _all(benchmark)), end="")
        if options.doc:
            write_documents(benchmark, records, options.doc)
    except Failure as failure:
        print("error: %s" % failure, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    bad = any(r.get("void") or r["record"] == "failure" for r in records)
    return 1 if bad else 0
