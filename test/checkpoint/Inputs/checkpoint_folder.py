# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pagetide says of a folder of checkpoints."""

import json
import subprocess
import sys


def checkpoints(pagetide, operation, folder):
    """Those that `list` or `verify` names. Ends the test if one is damaged."""
    done = subprocess.run([pagetide, "checkpoint", operation, "--json", folder],
                          capture_output=True, text=True)
    if not done.stdout:
        return []  # killed before there was a folder
    found = json.loads(done.stdout)["checkpoints"]
    # `verify` fails where there is none: it was killed before the first one.
    wanted = 1 if operation == "verify" and not found else 0
    if done.returncode != wanted or any(one["problem"] for one in found):
        sys.exit("pagetide checkpoint %s: %s" % (operation, done.stdout))
    return found
