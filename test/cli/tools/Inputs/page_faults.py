# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""page_faults.py COUNT COMMAND...: fails if the command and its processes take
more page faults in each of five runs, or if the command fails."""

import resource
import subprocess
import sys

limit = int(sys.argv[1])


def taken():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_minflt + usage.ru_majflt


fewest = None
for _ in range(5):
    before = taken()
    subprocess.run(sys.argv[2:], check=True)
    faults = taken() - before
    fewest = faults if fewest is None else min(fewest, faults)
print("%d page faults of %d" % (fewest, limit))
sys.exit(fewest > limit)
