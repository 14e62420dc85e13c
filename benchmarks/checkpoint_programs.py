# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that make checkpoints: where the examples are, and what such a
program is built with."""

from toolchain import ROOT

EXAMPLES = ROOT / "examples" / "checkpoints"


def library_flags(toolchain):
    """For the compiler, behind the sources."""
    library = toolchain.directory / "lib"
    return (
        "-I", ROOT / "include", "-L", library, "-lpagetide-checkpoint",
        "-Wl,-rpath,%s" % library,
    )
