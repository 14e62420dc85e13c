#!/usr/bin/env python3
"""calls_of_threads.py PLAIN MARKED: says whether the threads of short_threads.c
make at most three system calls more in the list MARKED of strace than in PLAIN."""

import collections
import re
import sys

THREADS = 100
MORE = 3


def calls_of_program(path):
    """Calls by name, of the main thread and of those that it makes."""
    lines = [
        found.groups()
        for line in open(path)
        if (found := re.match(r"(\d+) +(?:<\.\.\. )?(\w+)(\(| resumed>)(.*)", line))
    ]
    main, counting = lines[0][0], False
    counted, made, counts = [], set(), collections.Counter()
    for tid, call, how, rest in lines:
        if call == "prctl" and tid == main and "PR_GET_DUMPABLE" in rest:
            counting = not counting
        elif counting:
            counted.append((tid, call, how))
            if call == "clone3" and tid == main:
                made.update(re.findall(r"parent_tid=\[(\d+)\]", rest))
    # A thread's first calls may come before the end of the call that made it.
    for tid, call, how in counted:
        if how == "(" and tid in made | {main} and call != "futex":
            counts[call] += 1
    return counts


plain, marked = (calls_of_program(path) for path in sys.argv[1:3])
assert plain["clone3"] == marked["clone3"] == THREADS, (plain, marked)
# A shadow is mapped once, by three calls. A later thread uses it again.
shadows = marked["mremap"]
assert shadows < THREADS / 2, marked
more = (sum(marked.values()) - 3 * shadows - sum(plain.values())) / THREADS
print(f"{more} calls more for each thread")
if more > MORE + 0.5:
    sys.exit(f"at most {MORE} are wanted: {dict(marked)}, natively {dict(plain)}")
