# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills one of heat.c's two processes, or both, again and again.

usage: kill_either.py HEAT FOLDER STEPS KILLS

The last run makes STEPS more and is not killed. Its lines are printed without the step from which it
went on, which must not be 0.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time

heat, folder, steps, kills = sys.argv[1:]
random.seed(int(os.environ.get("SEED", "1")))

went_on = 0
for number in range(int(kills)):
    parent = subprocess.Popen([heat, folder, "100000000"],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    child = int(parent.stderr.readline())
    time.sleep(0.05 + 0.25 * random.random())
    if number % 3 == 0:
        parent.kill()
    else:
        # The parent reaps it only at its end, so the number is still its own.
        os.kill(child, signal.SIGKILL)
        if number % 3 == 1:
            parent.kill()
    said = parent.stderr.read()
    parent.wait()
    if said:
        sys.exit("kill_either.py: " + said)

done = subprocess.run([heat, folder, "+" + steps], capture_output=True, text=True)
if done.returncode != 0:
    sys.exit("kill_either.py: " + done.stderr)
lines = sorted(done.stdout.splitlines())
if any(" from 0 " in line for line in lines):
    sys.exit("kill_either.py: it began anew: " + done.stdout)
for line in lines:
    print(re.sub(" from [0-9]+", "", line))
