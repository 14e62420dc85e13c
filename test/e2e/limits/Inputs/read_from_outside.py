# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the memory of a recorded process, and of a fork of it.

usage: read_from_outside.py SERVES, in an empty directory
"""

import os
import re
import subprocess
import sys

MIB = 1 << 20


def shared_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return int(re.search(r"RssShmem:\s+(\d+) kB", status.read())[1]) << 10


def mappings(pid):
    """Start, length, name and flags of each."""
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as smaps:
        for line in smaps:
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ *(.*)", line)
            if head:
                start, end = int(head[1], 16), int(head[2], 16)
                name = head[3]
            elif line.startswith("VmFlags"):
                yield start, end - start, name, line.split()


def is_shadow(name):
    return "pagetide-shadow" in name or name.startswith("/dev/zero")


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as children:
        return int(children.read().split()[0])


for how in "", "forks":
    process = subprocess.Popen(
        [sys.argv[1], how], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=dict(os.environ, PAGETIDE_OPTIONS="trace_path=trace:period=10ms"))
    assert process.stdout.readline().startswith(b"ready")
    pid = child_of(process.pid) if how else process.pid
    shadows = [mapping for mapping in mappings(pid) if is_shadow(mapping[2])]
    assert shadows and all("dd" in flags for *_, flags in shadows), shadows
    before = shared_bytes(pid)
    subprocess.run(["gcore", "-o", "core", str(pid)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert os.path.getsize(f"core.{pid}") < 40 * MIB
    assert shared_bytes(pid) < before + MIB

    # What the documents say of others.
    largest = max(shadows, key=lambda mapping: mapping[1])
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(largest[0] + largest[1] // 4)
        assert len(memory.read(8 * MIB)) == 8 * MIB
    grown = shared_bytes(pid) - before
    assert 8 * MIB <= grown < 9 * MIB, grown
    process.communicate(b"now", timeout=60)
    assert process.returncode == 0
    os.remove("trace")
