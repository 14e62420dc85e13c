# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/tidy.py takes for unchanged: a file's key depends on the file, on
headers of ours, on configurations and on the command, and on nothing else of ours.

usage: tidy_keys.py SCRIPTS BUILD
"""

import argparse
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
import tidy

FILE = "tools/trace/completeness.cpp"
build = pathlib.Path(sys.argv[2]).resolve()
entry = tidy.commands(build)[FILE]
stamps = tidy.Stamps(argparse.Namespace(stamps=build / "none", build=build, all=True),
                     "clang-tidy-19")
read_bytes = pathlib.Path.read_bytes


def key(changed="", option=""):
    """The key where one file of the checkout has a byte more."""
    pathlib.Path.read_bytes = lambda path: read_bytes(path) + (
        b"!" if changed and path == tidy.TOP / changed else b"")
    return stamps.key(FILE, dict(entry, command=entry["command"] + option))


same = key()
assert key("runtime/trace/trace_writer.cpp") == same == key()
for changed in (FILE, "tools/trace/completeness.h", "include/pagetide/trace_format.h",
                "tools/.clang-tidy", ".clang-tidy"):
    assert key(changed) != same, changed
assert key(option=" -DMORE") != same
