#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the frames of marked copies with native ones (-fstack-usage).

usage: stack_usage.py NATIVE ON-DEMAND TOTAL BYTES ARGUMENT...

NATIVE and ON-DEMAND are commands, each one word. Both compile the source that
ARGUMENT... names. Of all frames together, with their return addresses, the marked
ones may have TOTAL times native's bytes, and each BYTES more. A plain copy has
native's frame.
"""

import os
import shlex
import subprocess
import sys
import tempfile


def frames(command, arguments):
    """name -> bytes of the frame"""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*shlex.split(command), *arguments, "-fstack-usage", "-c",
                        "-o", os.path.join(folder, "code.o")], check=True)
        with open(os.path.join(folder, "code.su"), encoding="utf-8") as file:
            rows = [line.split("\t") for line in file]
    return {place.split(":")[-1]: int(size) for place, size, _ in rows}


def main():
    native_compiler, compiler, total, bytes_more = sys.argv[1:5]
    native = frames(native_compiler, sys.argv[5:])
    found = frames(compiler, sys.argv[5:])
    sums = [0, 0]
    failed = False
    for name, size in native.items():
        copy = name + ".pagetide"
        if copy not in found:
            continue
        sums[0] += size + 8
        sums[1] += found[copy] + 8
        if found[name] != size or found[copy] > size + int(bytes_more):
            failed = True
            print(f"{name}: {size}, plain {found[name]}, marked {found[copy]}")
    ratio = sums[1] / sums[0]
    print(f"{len(native)} functions, {ratio:.2f} of native")
    return failed or ratio > float(total)


if __name__ == "__main__":
    sys.exit(main())
