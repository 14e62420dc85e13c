# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records onto a disk with each number of free pages, from none on, until the
trace fits. record and info must say INCOMPLETE exactly if periods lack.

usage: limit_of_free_space.py PAGETIDE POLICY COMMAND..., in a mount namespace of
its own and an empty directory
"""

import os
import re
import subprocess
import sys

PAGETIDE, POLICY, *COMMAND = sys.argv[1:]
PAGE, PAGES, STATUS_STOPPED = 4096, 64, 125
os.mkdir("disk")
subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={PAGES * PAGE}", "none",
                "disk"], check=True)


def run(*words):
    done = subprocess.run([PAGETIDE, *words], text=True, capture_output=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def record(trace):
    return run("record", "--engine", "marks", "-p", "0", "--on-failure", POLICY,
               "-o", trace, "--", *COMMAND)


def whole_periods(trace):
    _, said = run("info", trace)
    found = re.search(r"(\d+) whole", said)
    return int(found[1]) if found else 0, said


assert record("whole")[0] == 0
ALL, info = whole_periods("whole")
assert ALL > 40 and "INCOMPLETE" not in info, info

incomplete = 0
for free in range(PAGES):
    for name in os.listdir("disk"):
        os.remove(f"disk/{name}")
    with open("disk/filler", "wb") as filler:
        filler.write(b"x" * (PAGES - free) * PAGE)
    status, said = record("disk/trace")
    if not os.path.exists("disk/trace"):
        assert status != 0 and free == 0, (free, status, said)
        continue
    whole, info = whole_periods("disk/trace")
    print(free, "free:", status, whole, "periods")
    lacks = whole < ALL
    says_so = "INCOMPLETE" in said
    incomplete += says_so
    assert says_so == ("INCOMPLETE" in info), (free, said, info)
    unwritten = re.search(r"cannot write period (\d+)", said)
    if POLICY == "stop" and unwritten:
        # There are no further periods: record adds those that wait, one or
        # more, as far as there is room.
        assert status == STATUS_STOPPED, (free, status)
        no_room = "lacks the last periods" in said
        assert says_so == (no_room or whole <= int(unwritten[1])), (free, said, info)
    else:
        assert status == 0 and says_so == lacks, (free, said, info)
    if not lacks and status == 0:
        break
assert not lacks and (incomplete > 1 or POLICY == "stop"), incomplete
