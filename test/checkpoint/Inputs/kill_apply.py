# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills `pagetide checkpoint apply` at random moments.

usage: kill_apply.py PAGETIDE KILLS STREAM FOLDER

Whatever a kill leaves, the folder has only whole checkpoints, equal to that of
the stream. The last run is not killed. After it, no file is left over.
"""

import os
import random
import subprocess
import sys
import time

from checkpoint_folder import checkpoints

pagetide, kills, stream, folder = sys.argv[1:]
random.seed(int(os.environ.get("SEED", "1")))


def fail(text):
    sys.exit("kill_apply.py: " + text)


def start(into):
    return subprocess.Popen([pagetide, "checkpoint", "apply", "-i", stream, into],
                            stdout=subprocess.DEVNULL)


def content(of):
    path = folder + ".region"
    subprocess.run([pagetide, "checkpoint", "extract", "--region", "2",
                    "-o", path, of], check=True)
    with open(path, "rb") as file:
        return file.read()


begin = time.monotonic()
if start(folder + ".whole").wait() != 0:
    fail("a whole stream was not applied")
duration = time.monotonic() - begin
wanted = content(folder + ".whole")

killed = complete = 0
for _ in range(int(kills)):
    apply = start(folder)
    time.sleep(random.random() * duration * 1.1)
    apply.kill()
    killed += apply.wait() == -9
    found = len(checkpoints(pagetide, "verify", folder))
    if found < complete:
        fail("a checkpoint is gone")
    complete = found
    if complete and content(folder) != wanted:
        fail("a checkpoint differs from the stream's")
if start(folder).wait() != 0:
    fail("it cannot be applied any more")
found = checkpoints(pagetide, "verify", folder)
if len(found) <= complete or content(folder) != wanted:
    fail("the last one is not there")
names = {"writer.lock", "upkeep.lock"}
for one in found:
    names |= {"checkpoint-%08d" % one["number"], "data-%08d-0" % one["number"]}
if not set(os.listdir(folder)) <= names:
    fail("left over: %s" % sorted(set(os.listdir(folder)) - names))
print(killed, "kills,", len(found) - 1, "were complete before")
