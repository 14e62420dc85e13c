# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_colours.py PAGE SVG: the page has the colours of the picture's legend."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    style = re.search(r"<style.*?</style>", file.read(), re.DOTALL).group()
with open(sys.argv[2], encoding="utf-8") as file:
    fills = set(re.findall(r'fill="(#[0-9a-f]{6})"', file.read()))

modes = re.findall(
    r"--read: (#\w+); --written: (#\w+); --both: (#\w+);", style
)
assert len(modes) == 2, style
assert all(len(set(mode)) == 3 for mode in modes), modes
for mode in modes:
    assert set(mode) <= fills, (mode, sorted(fills))
