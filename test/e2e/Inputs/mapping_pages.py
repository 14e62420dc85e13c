#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the mappings of `pagetide report --json` (standard input) against words

    NAME=PAGES     of the file whose base name is NAME so many distinct pages, or
                   more, were accessed
    no:NAME        no page is of mapping NAME
"""

import json
import os
import sys

document = json.load(sys.stdin)
pages = {}
for trace in document["traces"]:
    for mapping in trace["mappings"]:
        name = mapping["name"]
        if name.startswith("/"):
            name = os.path.basename(name)
        pages[name] = pages.get(name, 0) + mapping["distinct"]
failed = False
for word in sys.argv[1:]:
    if word.startswith("no:"):
        holds = word[3:] not in pages
    else:
        name, least = word.split("=")
        holds = pages.get(name, 0) >= int(least)
    if not holds:
        print(f"{word} does not hold", file=sys.stderr)
        failed = True
if failed:
    print(f"the report has {pages}", file=sys.stderr)
sys.exit(failed)
