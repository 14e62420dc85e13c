# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compared: the ways to build a program, and to run such a build.

A further way is one line here. The first variants differ from native, and
later ones from `rw`, in one thing each.
"""

from typing import NamedTuple, Optional


class Build(NamedTuple):
    """A way to build: options for pagetide-clang, on top of the program's."""

    name: str
    flags: tuple
    layout: Optional[str] = None  # of the marks; None: it has none


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


# The wrapper calls the same clang for all of them.
BUILDS = {
    build.name: build
    for build in (
        Build("native", ("-fno-pagetide",)),
        Build("rw", ("-fpagetide-layout=rw",), "rw"),
        Build("access", ("-fpagetide-layout=access",), "access"),
        Build("write", ("-fpagetide-layout=write",), "write"),
        Build("near", ("-fpagetide-layout=rw", "-fpagetide-precision=near"), "rw"),
        Build(
            "near-access",
            ("-fpagetide-layout=access", "-fpagetide-precision=near"),
            "access",
        ),
        Build(
            "near-write",
            ("-fpagetide-layout=write", "-fpagetide-precision=near"),
            "write",
        ),
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
        Variant("near-10ms", "near", "near, recorded, periods of 10 ms", "10ms"),
        Variant("rw-10ms", "rw", "rw, recorded, periods of 10 ms", "10ms"),
        Variant("rw-1ms", "rw", "rw, recorded, periods of 1 ms", "1ms"),
        Variant(
            "record",
            "rw",
            "as rw-10ms, by `pagetide record`; start-up only",
            "10ms",
            by_command=True,
            kinds=("start",),
        ),
    )
}
