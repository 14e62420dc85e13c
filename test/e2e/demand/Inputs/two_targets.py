# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a registered program while another process of it is being recorded.

usage: two_targets.py CONFIG_HOME TRACE_FOLDER PROGRAM
"""

import os
import subprocess
import sys
import time

config, folder, program = sys.argv[1:]
environment = dict(os.environ, XDG_CONFIG_HOME=config)
environment.pop("PAGETIDE_OPTIONS", None)
with subprocess.Popen([program, "60000"], env=environment) as first:
    try:
        deadline = time.monotonic() + 30
        while not any(name.endswith(".ptrace") for name in os.listdir(folder)):
            assert time.monotonic() < deadline, "the first process has no trace"
            time.sleep(0.01)
        subprocess.run([program], env=environment, check=True)
    finally:
        first.kill()
traces = [name for name in os.listdir(folder) if name.endswith(".ptrace")]
assert len(traces) == 1, traces
