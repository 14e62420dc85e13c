#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds includes that point upwards, include cycles, and long files.

usage: check_includes.py [ROOT]

The folders of runtime/ and checkpoint/ are floors, those of tools/ are stages, and so are
the files of pass/. A file may include headers of its own folder and of rows further down. Below ROOT
(default: the checkout that this script belongs to) this prints each

- include of a folder that is not further down,
- include of a header that takes seconds to compile, but where it belongs,
- cycle of includes between components (a header and its .cpp are one),
- file that is too long,

and exits with status 1 if there is one.
"""

import graphlib
import pathlib
import re
import sys

# Top first. Folders in one row do not include one another. A name may be a file's too.
FLOORS = {
    "pass": [
        ["Plugin"], ["Pagetide"], ["MarkPlanner"], ["AccessGroups"],
        ["LoopChunks", "MarkEmitter", "SegmentSteps"], ["ChunkBuilder"], ["MarkPlan"],
        ["FunctionAccesses", "ModuleSetup", "target/x86_64"], ["ObjectParts"],
        ["Accesses", "CallLines", "LibraryCalls", "LtoHandover", "OnDemand",
         "Windows"],
        ["AsmTexts", "CallStubs", "CodegenGuards", "EntryTest", "Expansion", "PassOptions",
         "PlainAddresses", "Resolvers", "SharedValues", "Sites"],
        ["AddressForms", "ByteExtents", "CanonicalAccesses", "ConstructorLists", "Diagnostics", "LabelTables",
         "LongBlocks", "MergedAccesses", "OptionTypes", "Splitting", "target/Target"],
        ["LlvmCompat"],
    ],
    "runtime": [
        ["startup"], ["interceptors"], ["recorder"], ["cuts"], ["engines"], ["trace"],
        ["periods"], ["threads"], ["shadow"], ["platform"], ["arch"],
    ],
    "checkpoint": [["api"], ["store"], ["format"]],
    "tools": [
        ["manual"], ["commands"], ["top"],
        ["audit", "checkpoint", "compare", "control", "export", "html", "record", "targets"],
        ["report"], ["analysis"], ["trace"], ["support"],
    ],
}
SUFFIXES = {".h", ".cpp", ".inc", ".def"}
MAX_LINES = 620
# Headers that one file of a tree includes for all others.
SLOW_HEADERS = {("tools", "nlohmann/json.hpp"): "support/json.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def floor_of(folder, floors):
    for number, row in enumerate(floors):
        if folder in row:
            return number
    return None


def may_include(source, target, floors):
    """Whether a file in folder `source` may include one in folder `target`."""
    if source == target:
        return True
    above, below = floor_of(source, floors), floor_of(target, floors)
    # A file in no folder, such as main.cpp, stands above all.
    return above is None or below is None or above < below


def folder_of(path, floors):
    """The row's name for a file: its own, or that of a folder."""
    names = {name for row in floors for name in row}
    for place in (path.with_suffix(""), *path.parents):
        if str(place) in names:
            return str(place)
    return path.parts[0] if len(path.parts) > 1 else ""


def check(top, floors):
    """Yields what is wrong with the files below `top`."""
    graph = {}
    for path in sorted(p for p in top.rglob("*") if p.suffix in SUFFIXES):
        name = path.relative_to(top)
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > MAX_LINES:
            yield f"{top.name}/{name}: {lines} lines; {MAX_LINES} at most. Split it."
        if top.name == "pass" and not folder_of(name, floors):
            yield f"{top.name}/{name}: is on no floor. Put it on one, in FLOORS."
        for (folder, header), place in SLOW_HEADERS.items():
            if folder == top.name and str(name) != place and f"<{header}>" in text:
                yield (
                    f"{top.name}/{name}: includes {header}, which takes seconds to"
                    f" compile; use {pathlib.Path(place).with_suffix('.h')}."
                )
        for match in INCLUDE.finditer(text):
            target = pathlib.Path(match.group(1))
            # Either below runtime/ or tools/, or beside the file.
            if not (top / target).exists():
                target = name.parent / target
            if not (top / target).exists():
                continue  # include/, or of others
            line = text.count("\n", 0, match.start(1)) + 1
            source, below = name.with_suffix(""), target.with_suffix("")
            if source != below:
                graph.setdefault(str(source), set()).add(str(below))
            own, theirs = folder_of(name, floors), folder_of(target, floors)
            if not may_include(own, theirs, floors):
                yield (
                    f"{top.name}/{name}:{line}: {own or 'top'} may not"
                    f" include {target}: {theirs} is not further down."
                )
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        yield f"{top.name}: include cycle: {' '.join(sorted(set(error.args[1])))}"


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    root = pathlib.Path(
        sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    )
    status = 0
    for folder, floors in FLOORS.items():
        for problem in check(root / folder, floors):
            print(problem)
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
