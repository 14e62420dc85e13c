# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A benchmark that has sections."""

import pathlib
import shutil
import tempfile
from typing import Callable, NamedTuple, Optional

import frame
from failure import Failure
from frame import chosen, tell
from tables import head, list_part


class Table(NamedTuple):
    kind: Optional[str]  # of the records that it shows; None: it is always there
    title: str
    make: Callable  # of all records: its text


class Document(NamedTuple):
    """Tables that go into one document."""

    place: str
    tables: tuple
    count: str = "rounds"  # name of its number of rounds


class Option(NamedTuple):
    """One more of the command line. The scale has its value by its name."""

    name: str
    metavar: str
    help: str


def by_size(**facts):
    """The scales, of facts that are each a value for smoke, quick and full."""
    return {
        size: {name: values[at] for name, values in facts.items()}
        for at, size in enumerate(("smoke", "quick", "full"))
    }


PROGRAMS = Option(
    "programs", "A,B", "of sections that run several programs, only these"
)


def label_of(record):
    """What a list of void runs calls it."""
    which = record.get("options") or record.get("name") or record.get("kind")
    return "%s %s" % (record["record"], which)


def of_kind(records, kind):
    """Those that are not void."""
    return [r for r in records if r["record"] == kind and not r["void"]]


def grouped(records, kind, key, value=lambda record: record):
    """What the records of a kind say, in a list for each key; not of void ones."""
    groups = {}
    for record in of_kind(records, kind):
        groups.setdefault(key(record), []).append(value(record))
    return groups


def attempt(record, measure, *arguments, **options):
    """The record with its result, or with why it is void."""
    try:
        return {**record, "void": None, "result": measure(*arguments, **options)}
    except Failure as failure:
        return {**record, "void": str(failure)}


def alternating(sides, round_number):
    """In each other round the other way round."""
    return list(sides)[:: -1 if round_number % 2 else 1]


class Benchmark(NamedTuple):
    name: str
    help: str
    example: str
    tables: tuple  # Documents
    sections: dict  # functions of (bench, scale), which give records
    # By size: what bounds the sections. `disk_bytes` is what they need of the
    # scratch directory, if that is much.
    scales: dict
    bench: Callable  # of (toolchain, scratch directory)
    counts: tuple = ("rounds",)  # names in a scale that are numbers of rounds
    options: tuple = ()  # further ones
    label: Callable = label_of
    quick: str = "smaller sizes or fewer rounds: within minutes"
    smoke: str = "shows that everything works, measures nothing"

    def add_options(self, parser):
        parser.add_argument(
            "--sections",
            metavar="A,B",
            help="only these: " + ", ".join(self.sections),
        )
        for option in self.options:
            parser.add_argument(
                "--" + option.name, metavar=option.metavar, help=option.help
            )
        parser.add_argument(
            "--scratch",
            metavar="DIR",
            default=tempfile.gettempdir(),
            help="where runs put what is not kept [$TMPDIR, or else /tmp]",
        )

    def _scale(self, options):
        scale = dict(self.scales[options.size])
        for count in self.counts:
            scale[count] = options.rounds or scale[count]
        scale["size"] = options.size
        for option in self.options:
            scale[option.name] = getattr(options, option.name)
        return scale

    def measure(self, options):
        names = chosen(options.sections, self.sections, "section")
        scale = self._scale(options)
        toolchain, session = frame.begin_session(
            options,
            rounds=scale["rounds"],
            counts={count: scale[count] for count in self.counts},
        )
        # Programs run in directories of their own.
        scratch_place = pathlib.Path(options.scratch).absolute()
        check_space(scratch_place, scale.get("disk_bytes", 0))
        yield session
        prefix = "pagetide-%s-" % self.name
        with tempfile.TemporaryDirectory(
            prefix=prefix, dir=scratch_place
        ) as scratch:
            bench = self.bench(toolchain, scratch)
            for name in names:
                records = self.sections[name](bench, scale)
                yield from tell(name, records, self.label, section=name,
                                void=None)

    def _document(self, records, place, tables, count):
        kinds = {table.kind for table in tables}
        # Records of older versions have one count.
        session = records[0]
        rounds = session.get("counts", {}).get(count, session["rounds"])
        parts = [head(session, rounds)]
        for table in tables:
            if table.kind in (None, *(r["record"] for r in records)):
                parts += ["### " + table.title, table.make(records)]
        parts += list_part("Void in " + self.name, [
            "%s: %s" % (self.label(r), r["void"])
            for r in records if r.get("void") and r["record"] in kinds])
        parts += list_part("Failed in " + self.name, [
            "%s: %s" % (r["section"], r["what"])
            for r in records if r["record"] == "failure"])
        return frame.Document(place, parts)

    def text(self, records):
        """All tables, as of one document."""
        tables = [table for of_one in self.tables for table in of_one.tables]
        return self._document(records, "", tables, self.counts[0]).text()

    def documents(self, records):
        """Those that have something to show, or to say of what failed."""
        kinds = {r["record"] for r in records}
        found = [d for d in self.tables if kinds & {t.kind for t in d.tables}]
        return [self._document(records, *d) for d in found or self.tables[:1]]

    def is_bad(self, records):
        return any(r.get("void") or r["record"] == "failure" for r in records)


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
