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


class Variant(NamedTuple):
    """A build, and how it is run."""

    name: str
    build: str
    period: Optional[str]  # recorded with that period; None: not recorded
    help: str


# The wrapper calls the same clang for all of them.
BUILDS = {
    build.name: build
    for build in (
        Build("native", ("-fno-pagetide",)),
        Build("rw", ("-fpagetide-layout=rw",)),
        Build("access", ("-fpagetide-layout=access",)),
        Build("write", ("-fpagetide-layout=write",)),
    )
}

# What all are compared with.
NATIVE = Variant("native", "native", None, "no marks, no runtime")

VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("control", "native", None, "native again: the noise"),
        Variant("rw", "rw", None, "marks of loads and of stores"),
        Variant("access", "access", None, "one mark for both"),
        Variant("write", "write", None, "marks of stores only"),
        Variant("rw-10ms", "rw", "10ms", "rw, recorded, periods of 10 ms"),
        Variant("rw-1ms", "rw", "1ms", "rw, recorded, periods of 1 ms"),
    )
}
