# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: cuts.py PAGETIDE TRACE CUT-FILE

Cuts TRACE and holds the rows of what is left against those of the whole. Of the
format it knows what docs/reference/trace-format.md says of frame headers.
"""

import random
import struct
import subprocess
import sys

HEADER_BYTES = 80
FRAME_HEADER = struct.Struct("<IHHIIQ")
PERIOD = 4


def rows(pagetide, trace):
    done = subprocess.run([pagetide, "export", "--format", "csv", trace],
                          capture_output=True, text=True)
    return done.stdout.splitlines()


def main():
    pagetide, trace, cut_file = sys.argv[1:]
    with open(trace, "rb") as file:
        whole = file.read()
    frames = []  # (offset, type)
    at = HEADER_BYTES
    while at < len(whole):
        magic, kind, _, stored, _, _ = FRAME_HEADER.unpack_from(whole, at)
        assert magic == 0x52465450, f"no frame at byte {at}"
        frames.append((at, kind))
        at += FRAME_HEADER.size + stored
    boundaries = [offset for offset, _ in frames]
    all_rows = rows(pagetide, trace)
    chance = random.Random(1)
    cuts = set(chance.sample(boundaries, min(40, len(boundaries))))
    cuts |= {chance.randrange(1, len(whole)) for _ in range(40)}
    for cut in sorted(cuts):
        with open(cut_file, "wb") as file:
            file.write(whole[:cut])
        left = rows(pagetide, cut_file)
        if left != all_rows[:len(left)]:
            sys.exit(f"cut at {cut}: rows that the whole trace has not")
        # Every period whose last byte is there must be read.
        ends = [*boundaries[1:], len(whole)]
        periods = sum(kind == PERIOD and end <= cut
                      for (_, kind), end in zip(frames, ends))
        read = {row.split(",")[0] for row in left[1:]}
        expected = {row.split(",")[0] for row in all_rows[1:]
                    if int(row.split(",")[0]) < periods}
        if read != expected:
            sys.exit(f"cut at {cut}: periods {len(read)}, not {len(expected)}")
        info = subprocess.run([pagetide, "info", cut_file],
                              capture_output=True, text=True)
        wanted = 2 if cut < HEADER_BYTES else 1
        said = info.stdout + info.stderr
        if info.returncode != wanted or not said.strip():
            sys.exit(f"cut at {cut}: info exits {info.returncode}, not "
                     f"{wanted}: {said}")
        if wanted == 1 and "truncated" not in said:
            sys.exit(f"cut at {cut}: info does not say so: {said}")


if __name__ == "__main__":
    main()
