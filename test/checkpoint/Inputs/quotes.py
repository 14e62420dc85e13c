# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recipes of a document quote the examples: each block of C or C++ stands in
one of them, as it is.

usage: quotes.py DOCUMENT EXAMPLES
"""

import pathlib
import re
import sys

document, examples = map(pathlib.Path, sys.argv[1:])
recipes = document.read_text().split("\n## Recipes\n")[1].split("\n## ")[0]
sources = [path.read_text() for path in sorted(examples.iterdir())]
blocks = re.findall(r"^```(?:c|cpp)\n(.*?)^```$", recipes, re.M | re.S)
for block in blocks:
    if not any("\n" + block in source for source in sources):
        sys.exit("no file of %s has this:\n%s" % (examples, block))
for name in re.findall(r"`(\w+\.(?:c|cpp|h|lua))`", recipes):
    if not (examples / name).exists() and name not in ("lua.c", "luac.c"):
        sys.exit("%s has no %s" % (examples, name))
print("%d quotes" % len(blocks))
