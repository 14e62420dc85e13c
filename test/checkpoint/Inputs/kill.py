# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills steps.c at random moments while it saves, and a compaction beside it.

usage: kill.py PAGETIDE STEPS FOLDER KILLS THREADS [COMPRESSION]

After each kill every checkpoint of the folder must be whole, and the program
must go on from one: it compares what it restored with the same steps computed
anew, and with the last step whose save had returned. At the end it must have
the hash of a run that nobody killed.
"""

import os
import random
import subprocess
import sys
import time

from checkpoint_folder import checkpoints

pagetide, steps, folder, kills, threads, *compression = sys.argv[1:]
LAST = "100000000"
random.seed(int(os.environ.get("SEED", "1")))


def fail(text):
    sys.exit("kill.py: " + text)


def command(name, last):
    return [steps, name, name + ".acknowledged", last, threads, *compression]


def kill(process):
    process.kill()
    return process.wait()


for number in range(int(kills)):
    program = subprocess.Popen(command(folder, LAST), stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL)
    # Also while it starts, restores and compares.
    time.sleep(random.choice([0.002, 0.02, 0.1, 0.3]) * random.random())
    compaction = None
    if number % 3 == 0:
        compaction = subprocess.Popen(
            [pagetide, "checkpoint", "compact", "--keep",
             str(random.randint(1, 4)), folder],
            stderr=subprocess.DEVNULL)
        time.sleep(0.02 * random.random())
        if number % 2:
            kill(compaction)
            compaction = None
    status = kill(program)
    if status != -9:
        fail("it ended by itself: %s" % program.stderr.read().decode())
    if compaction:
        compaction.wait()
    checkpoints(pagetide, "verify", folder)

found = checkpoints(pagetide, "verify", folder)
if not found:
    fail("nothing was ever saved")
step = int.from_bytes(open(folder + ".acknowledged", "rb").read(8), "little")
last = str(step + 30)
killed = subprocess.run(command(folder, last), capture_output=True, text=True)
if killed.returncode != 0:
    fail(killed.stderr)
whole = subprocess.run(command(folder + ".whole", last), capture_output=True,
                       text=True)
if whole.returncode != 0:
    fail(whole.stderr)
hashes = [text.split("hash")[1] for text in (killed.stdout, whole.stdout)]
if hashes[0] != hashes[1]:
    fail("killed %s is not %s" % (killed.stdout, whole.stdout))
if killed.stdout.startswith("from 0,"):
    fail("it began anew")
print("%s kills, %d steps" % (kills, step))
