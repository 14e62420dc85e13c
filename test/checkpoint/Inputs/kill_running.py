# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a program at random moments. It must never end by itself.

usage: kill_running.py KILLS PROGRAM ARGUMENT...
"""

import os
import random
import subprocess
import sys
import time

random.seed(int(os.environ.get("SEED", "1")))
for _ in range(int(sys.argv[1])):
    program = subprocess.Popen(sys.argv[2:], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL)
    # Also while it starts and restores.
    time.sleep(random.choice([0.02, 0.2, 0.5, 1]) * random.random())
    program.kill()
    if program.wait() != -9:
        sys.exit("kill_running.py: it ended by itself: "
                 + program.stderr.read().decode())
print(sys.argv[1], "kills")
