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
    counts = collections.Counter()
    main, made, counting = None, set(), False
    for line in open(path):
        found = re.match(r"(\d+) +(?:<\.\.\. )?(\w+)(\(| resumed>)(.*)", line)
        if not found:
            continue
        tid, call, how, rest = found.groups()
        main = main or tid
        if call == "clone3" and tid == main and counting:
            made.update(re.findall(r"parent_tid=\[(\d+)\]", rest))
        if how != "(" or tid not in made | {main}:
            continue
        if call == "prctl" and "PR_GET_DUMPABLE" in rest:
            counting = not counting
        elif counting and call != "futex":
            counts[call] += 1
    return counts


plain, marked = (calls_of_program(path) for path in sys.argv[1:3])
assert plain["clone3"] == marked["clone3"] == THREADS, (plain, marked)
more = (sum(marked.values()) - sum(plain.values())) / THREADS
print(f"{more} calls more for each thread")
if more > MORE + 0.5:
    sys.exit(f"at most {MORE} are wanted: {dict(marked)}, natively {dict(plain)}")
