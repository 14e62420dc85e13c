#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the shell commands of a document as one script.

usage: shell_blocks.py DOCUMENT

A heading goes before the commands of each section. After each block the script
says how its last command ended.
"""

import re
import shlex
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    document = file.read()
for section in re.split(r"^## ", document, flags=re.M)[1:]:
    print("echo", shlex.quote("=== " + section.splitlines()[0]))
    for block in re.findall(r"^```sh\n(.*?)^```", section, re.S | re.M):
        print(block + 'echo "--- status $?"')
