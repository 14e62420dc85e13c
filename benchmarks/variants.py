# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compared: the ways to build a program, the ways to run such a build,
and the groups of these that a run measures together.

A further way is one line here. The first variants differ from native, and
later ones from `rw` or `near`, in one thing each.
"""

import re
from typing import NamedTuple, Optional

from toolchain import ROOT


class Build(NamedTuple):
    """A way to build: options for pagetide-clang, on top of the program's."""

    name: str
    flags: tuple
    layout: Optional[str] = None  # of the marks; None: it has none
    # A sanitizer's runtime is linked into the program: its code is not the
    # program's, and the two are not told apart.
    holds_runtime: bool = False


class Variant(NamedTuple):
    """A build, and how it is run."""

    name: str
    build: str
    help: str
    period: Optional[str] = None  # recorded with that; None: not recorded
    # Recorded by `pagetide record`, which is a process of its own; otherwise
    # the program is told to by PAGETIDE_OPTIONS.
    by_command: bool = False
    kinds: tuple = ("kernel", "real", "start")  # the programs it is for
    engine: Optional[str] = None  # of the runtime, preloaded; None: marks
    options: str = ""  # further ones, for PAGETIDE_OPTIONS
    environment: tuple = ()  # (name, value)
    leaves: Optional[str] = None  # pattern of a file that a run must leave
    against: str = "native"  # the variant it is compared with
    # Another tool, or an engine that the kernel need not have: it may fail where
    # we must not, and is ended when it takes so many times as long as native.
    other: bool = False
    limit: int = 20


class Group(NamedTuple):
    """Variants that are measured in turn, and have tables of their own."""

    name: str
    title: str
    variants: tuple
    # By size. With the default programs `main` must stay below 5 minutes for
    # quick, and below two hours for full (see README.md).
    rounds: dict
    start_rounds: dict = {"smoke": 5, "quick": 40, "full": 100}
    # Where a table would become too wide: (what of it, names) for each part.
    parts: tuple = ()
    programs: tuple = ()  # that it is about; none: all


PERIODS = ("1ms", "10ms", "100ms", "1s")
ENGINES = ("uffd", "fork")
OUTSIDE_ENGINES = ("soft-dirty", "emulate")
RAN = ("kernel", "real")


def _ablated():
    """The pass's optimisations: each switch for measurements, which the wrapper
    does not know and clang hands to the pass, and the alignment that types
    promise."""
    table = (ROOT / "pass" / "PassOptions.def").read_text(encoding="utf-8")
    found = re.findall(
        r'^PAGETIDE_ABLATION\(\s*\w+,\s*"([a-z0-9-]+)",', table, re.M
    )
    to_pass = "-Xclang", "-mllvm", "-Xclang"
    return [
        *((name, (*to_pass, "-pagetide-%s=0" % name)) for name in found),
        ("alignment", ("-fpagetide-distrust-alignment=1",)),
    ]


ABLATED = _ablated()


def _marked(name, layout, precision="exact", *flags):
    # Said in full: what is compared does not change with the defaults.
    return _built("always", name, layout, precision, *flags)


def _built(mode, name, layout, precision, *flags):
    options = (
        "-fpagetide-layout=" + layout,
        "-fpagetide-precision=" + precision,
        "-fpagetide-mode=" + mode,
    )
    return Build(name, options + flags, layout)


# The wrapper calls the same clang for all of them.
BUILDS = {
    build.name: build
    for build in (
        Build("native", ("-fno-pagetide",)),
        _marked("rw", "rw"),
        _marked("access", "access"),
        _marked("write", "write"),
        _marked("near", "rw", "near"),
        _marked("near-access", "access", "near"),
        _marked("near-write", "write", "near"),
        _built("on-demand", "on-demand", "rw", "near"),
        *(
            _marked("near-without-" + name, "rw", "near", *flags)
            for name, flags in ABLATED
        ),
        Build("asan", ("-fno-pagetide", "-fsanitize=address"), None, True),
        Build("memprof", ("-fno-pagetide", "-fmemory-profile"), None, True),
        Build("tsan", ("-fno-pagetide", "-fsanitize=thread"), None, True),
    )
}

# What all are compared with.
NATIVE = Variant("native", "native", "no marks, no runtime")

VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("control", "native", "native again: the noise"),
        Variant("rw", "rw", "marks of loads and of stores"),
        Variant("access", "access", "one mark for both"),
        Variant("write", "write", "marks of stores only"),
        Variant("near", "near", "rw with precision near"),
        Variant("near-access", "near-access", "access with precision near"),
        Variant("near-write", "near-write", "write with precision near"),
        Variant("off", "on-demand", "near, built on demand, not recorded"),
        *(
            Variant(name + "-10ms", name, name + ", recorded, periods of 10 ms",
                    "10ms")
            for name in ("on-demand", "near", "near-access")
        ),
        *(
            Variant("%s-%s" % (layout, p), layout,
                    "%s, recorded, periods of %s" % (layout, p), p)
            for layout in ("rw", "write") for p in PERIODS
        ),
        Variant("rw-10ms-threads", "rw", "rw-10ms, page sets by thread", "10ms",
                options="per_thread=1"),
        Variant("rw-10ms-sums", "rw", "rw-10ms, with checksums of written pages",
                "10ms", options="checksum=written"),
        Variant("record", "rw", "as rw-10ms, by `pagetide record`; start-up only",
                "10ms", by_command=True, kinds=("start",)),
        *(
            Variant("%s-%s" % (engine, p), "native",
                    "native, recorded by engine %s, periods of %s" % (engine, p),
                    p, kinds=RAN, engine=engine, other=True)
            for engine in ENGINES for p in PERIODS
        ),
        *(
            Variant("%s-%s" % (engine, p), "native",
                    "native, recorded by engine %s, periods of %s" % (engine, p),
                    p, by_command=True, kinds=RAN, engine=engine, other=True,
                    limit=100)
            for engine in OUTSIDE_ENGINES for p in PERIODS
        ),
        # Looking for leaks is not part of the cost.
        Variant("asan", "asan", "AddressSanitizer", other=True,
                environment=(("ASAN_OPTIONS", "detect_leaks=0"),)),
        Variant("memprof", "memprof", "MemProf", leaves="memprof.profraw.*",
                other=True),
        Variant("tsan", "tsan", "ThreadSanitizer", other=True),
        *(
            Variant("near-without-" + name, "near-without-" + name,
                    "near with %s, against near" % flags[-1], kinds=RAN,
                    against="near")
            for name, flags in ABLATED
        ),
    )
}


def base_of(variant):
    """What it is compared with."""
    return VARIANTS.get(variant.against, NATIVE)


def _rounds(smoke, quick, full):
    return {"smoke": smoke, "quick": quick, "full": full}


TOOLS = ("control", "rw-10ms", "near-10ms", "asan", "memprof", "tsan")


def _by_period(*ways):
    return tuple("%s-%s" % (way, p) for way in ways for p in PERIODS)


TRACKERS = _by_period("write", *ENGINES)

GROUPS = {
    group.name: group
    for group in (
        Group(
            "main",
            "Headline: what marks cost, and recording at 10 ms",
            (
                "control", "rw", "access", "write", "near", "near-access",
                "near-write", "off", "rw-10ms", "near-10ms",
                "on-demand-10ms", "record",
            ),
            _rounds(1, 2, 5),
        ),
        Group(
            "periods",
            "Periods, threads and checksums",
            (
                "control", *("rw-" + p for p in PERIODS), "rw-10ms-threads",
                "rw-10ms-sums",
            ),
            _rounds(1, 2, 5),
        ),
        Group(
            "peers",
            "Other tools",
            TOOLS + TRACKERS,
            _rounds(1, 1, 3),
            parts=(
                ("tools that see loads and stores", TOOLS),
                ("tracking of writes", TRACKERS),
            ),
        ),
        Group(
            "engines",
            "Engines",
            ("control", *_by_period(*ENGINES, *OUTSIDE_ENGINES)),
            _rounds(1, 1, 3),
            parts=(
                ("in the program", ("control", *_by_period(*ENGINES))),
                ("from outside", _by_period(*OUTSIDE_ENGINES)),
            ),
            # A dense and a sparse writer, and two real programs.
            programs=("triad", "hash", "sqlite3", "redis"),
        ),
        Group(
            "ablation",
            "What each optimisation of the pass buys",
            tuple("near-without-" + name for name, _ in ABLATED),
            _rounds(1, 3, 5),
        ),
    )
}

# What `--variants` makes of those it names.
CHOSEN = Group("chosen", "Chosen variants", (), _rounds(1, 3, 5))
