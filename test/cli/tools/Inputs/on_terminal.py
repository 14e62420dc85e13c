# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""on_terminal.py [NAME=VALUE...] COMMAND...: runs it on a terminal of its own.

Prints what it writes there, and exits as it does.
"""

import os
import pty
import sys

words = sys.argv[1:]
while "=" in words[0]:
    name, value = words.pop(0).split("=", 1)
    os.environ[name] = value
sys.exit(os.waitstatus_to_exitcode(pty.spawn(words)))
