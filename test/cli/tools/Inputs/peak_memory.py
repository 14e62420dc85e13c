# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""peak_memory.py MIB COMMAND...: fails if the command's memory in use ever
exceeds so much, or if it fails."""

import resource
import subprocess
import sys

limit = int(sys.argv[1])
subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print("peak %.0f MiB of %d" % (peak, limit))
sys.exit(peak > limit)
