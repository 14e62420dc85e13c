# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_colours.py PAGE SVG TEXT: they have the same colours and words."""

import json
import re
import sys

page, svg, text = [open(name, encoding="utf-8").read() for name in sys.argv[1:]]
looks = json.loads(re.search(r'id="data">(.*)</script>', page).group(1))["kinds"]
fills = set(re.findall(r'fill="(#[0-9a-f]{6})"', svg))
labels = set(re.findall(r"<text [^>]*>([^<]*)</text>", svg))
cells = re.search(r"^ *Cells: r (.*), w (.*), b (.*)$", text, re.MULTILINE)
style = re.search(r"<style.*?</style>", page, re.DOTALL).group()

kinds = [looks[name] for name in ("read", "written", "both")]
assert [kind["words"] for kind in kinds] == list(cells.groups()), looks
assert labels >= set(cells.groups()), labels
for mode in ("light", "dark"):
    colours = {kind[mode] for kind in kinds}
    assert len(colours) == 3 and colours <= fills, (colours, fills)
    # Nothing else of the page says what such a colour is.
    assert not any(colour in style for colour in colours), style
