# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every.c until a checkpoint is wrong, 20 times at most.

usage: until_wrong.py PROGRAM NAME OPTION [no-updates]
"""

import os
import subprocess
import sys

program, name, option = sys.argv[1:4]
environment = dict(os.environ, PAGETIDE_OPTIONS=os.environ["PAGETIDE_OPTIONS"]
                   + ":" + option)
for attempt in range(20):
    folder = "%s.%d" % (name, attempt)
    last = (sys.argv[4:] or ["updates"])[0]
    for wanted in ("60", "0"):
        status = subprocess.run(
            [program, folder, folder + ".known", wanted, last],
            env=environment).returncode
        if status:
            sys.exit(status)
