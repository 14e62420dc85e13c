# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a program of examples/checkpoints at random moments. It must go on.

usage: kill_and_go_on.py PAGETIDE KILLS STEPS TIMES FOLDER PROGRAM [WORD...]

The program says each state before it saves it, by a step and a digest. After
each kill every checkpoint is whole. A run goes on from a state that was said,
and not from one older than the last whose save had returned. The last run makes
STEPS more and is not killed: what it prints at its end is what a run prints that
nobody killed. A full dump of that state has TIMES the bytes of an increment, at
least. Prints both.
"""

import os
import random
import re
import statistics
import subprocess
import sys
import time

from checkpoint_folder import checkpoints

pagetide, kills, steps, times, folder, program, *words = sys.argv[1:]
random.seed(int(os.environ.get("SEED", "1")))
digests = {}  # of each step that was said
newest = 0  # the last step whose save has returned


def fail(text):
    sys.exit("kill_and_go_on.py: " + text)


def command(name, last):
    return [program, name, last] + words


def whole_lines(path):
    """Without a last one that a kill has cut."""
    with open(path) as file:
        return file.read().split("\n")[:-1]


def check(lines):
    """What one run has said."""
    global newest
    before, begun, went_on = newest, None, False
    for line in lines:
        said = re.fullmatch(r"(saving|going on from) (\d+) ([0-9a-f]{16})", line)
        if not said:
            if line.startswith("integrity ") and line != "integrity ok":
                fail(line)
            continue
        step, digest = int(said[2]), said[3]
        if said[1] == "saving":
            if begun is not None:
                newest = max(newest, begun)
            begun = step
        else:
            went_on = True
            if step not in digests:
                fail("%s: that was never saved" % line)
            if step < newest:
                fail("%s: step %d was saved" % (line, newest))
        if digests.setdefault(step, digest) != digest:
            fail("%s: that state had digest %s" % (line, digests[step]))
    if before and begun is not None and not went_on:
        fail("it began anew: " + lines[0])


def run_and_kill(number):
    output = folder + ".said"
    # Some kills at once, as the program starts and restores. The others after some
    # saves, also on a machine that is slow today.
    saves = 0 if number % 3 == 0 else random.randint(2, 8)
    with open(output, "w") as out, open(folder + ".err", "w") as err:
        process = subprocess.Popen(command(folder, "1000000000"), stdout=out, stderr=err)
    deadline = time.monotonic() + 120
    while (sum(line.startswith("saving") for line in whole_lines(output)) < saves
           and process.poll() is None):
        if time.monotonic() > deadline:
            process.kill()
            fail("no save within two minutes")
        time.sleep(0.002)
    time.sleep(random.choice([0.003, 0.03, 0.1]) * random.random())
    process.kill()
    status = process.wait()
    if status != -9:
        fail("it ended by itself with status %d: " % status + open(folder + ".err").read())
    check(whole_lines(output))
    checkpoints(pagetide, "verify", folder)


def run_to_end(name, last):
    done = subprocess.run(command(name, last), capture_output=True, text=True)
    if done.returncode != 0:
        fail("it ended with status %d: %s" % (done.returncode, done.stderr))
    lines = done.stdout.splitlines()
    check(lines)
    return lines, [line for line in lines if not re.match("saving|going|integrity", line)]


for kill in range(1, int(kills) + 1):
    run_and_kill(kill)
lines, end = run_to_end(folder, "+" + steps)
if not lines[0].startswith("going on from"):
    fail("it began anew: " + lines[0])
last = re.match(r"ended at (\d+) ", end[0])[1]
newest = 0
_, end_of_whole = run_to_end(folder + ".whole", last)
if end != end_of_whole:
    fail("killed %s is not %s" % (end, end_of_whole))
print("%s kills, %s states" % (kills, len(digests)))
print("\n".join(end))

increments = [one["file_bytes"] for one in checkpoints(pagetide, "list", folder) if one["parent"]]
subprocess.run([pagetide, "checkpoint", "compact", "--keep", "1", folder],
               check=True, stderr=subprocess.DEVNULL)
full = checkpoints(pagetide, "verify", folder)[-1]
increment = statistics.median(increments)
print("full dump %d bytes, in files %d; increments in files %d"
      % (full["bytes"], full["file_bytes"], increment))
if full["file_bytes"] < float(times) * increment:
    fail("increments are larger than one part in %s of a full dump" % times)
