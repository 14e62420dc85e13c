# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types the beginning of a line into zsh, and prints what tab makes of it.

usage: complete_zsh.py DIRECTORY LINE EXPECTED

DIRECTORY has the file _pagetide. Succeeds if EXPECTED is shown after the tab.
"""

import os
import pty
import select
import sys
import time

DIRECTORY, LINE, EXPECTED = sys.argv[1:]
PATIENCE = 30

pid, master = pty.fork()
if pid == 0:
    environment = {
        "PATH": os.environ["PATH"],
        "TERM": "dumb",
        "LC_ALL": "C",
        "PS1": "READY>",
        "HOME": os.getcwd(),
    }
    os.execvpe("zsh", ["zsh", "-f", "-i"], environment)

text = ""


def wait_for(words):
    end = time.monotonic() + PATIENCE
    while words not in text_since[0]:
        if time.monotonic() > end:
            sys.exit(f"not found: {words}\n{text_since[0]!r}")
        if select.select([master], [], [], 0.2)[0]:
            text_since[0] += os.read(master, 65536).decode(errors="replace")


def send(keys):
    text_since[0] = ""
    os.write(master, keys.encode())


text_since = [text]
wait_for("READY>")
send(
    f"fpath=('{DIRECTORY}' $fpath); autoload -Uz compinit; compinit -u -D; "
    "LISTMAX=1000; echo set''up\n"
)
wait_for("setup")
send(LINE + "\t")
wait_for(EXPECTED)
os.kill(pid, 9)
