# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the pass's time grows with the length of a function.

usage: long_blocks.py CLANG OPT PLUGIN DIRECTORY

Makes a function of each shape of benchmarks/long_functions.py and of one more,
of some lines and of four times as many.
Fails if what the pass counts grows more than fivefold. Fails if the pass needs
more than nine times the processor time for the latter, in each of five tries:
linear is four, quadratic is sixteen.
"""

import os
import re
import subprocess
import sys

from long_functions import HEAD, SHAPES, source

LINES, TIMES, MOST, TRIES = 600, 4, 9, 5
MOST_COUNTED = 5  # beside a hundred, for what a function has once

clang, opt, plugin, directory = sys.argv[1:]


def measure(made):
    """The processor time that the pass takes, and what it says that it counted, by
    name."""
    said = subprocess.run(
        [opt, "-load-pass-plugin=" + plugin, "-passes=pagetide", "-stats",
         "-time-passes", "-disable-output", made],
        check=True, stderr=subprocess.PIPE, text=True).stderr
    # User, system, both and wall-clock time, each with its share.
    seconds = float(re.findall(
        r"([\d.]+) \([^)]*\) +[\d.]+ \([^)]*\) +pagetide::PagetidePass", said)[0])
    return seconds, {name: int(number) for number, name
                     in re.findall(r"(\d+) pagetide +- (.*)", said)}


def sums(lines):
    """Loads that share one mark, and a branch that all of them decide."""
    return "\n".join([HEAD, *["i += a->x;"] * lines, "if (i) other();", "}\n"])


def make(shape, lines):
    text = os.path.join(directory, shape + ".c")
    made = os.path.join(directory, shape + ".bc")
    with open(text, "w") as file:
        file.write(sums(lines) if shape == "sums" else source(shape, lines))
    subprocess.run([clang, "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm",
                    "-c", text, "-o", made], check=True)
    subprocess.run([opt, "-passes=mem2reg", made, "-o", made], check=True)
    return made


failed = False
for name in [*SHAPES, "sums"]:
    both = [make(name, n) for n in (LINES, TIMES * LINES)]
    # The times are short, and other work of the machine shows in them.
    for _ in range(TRIES):
        (few, counted), (many, more) = map(measure, both)
        print("%-10s %6.3f s, %6.3f s: %.1f" % (name, few, many, many / few))
        if many <= MOST * max(few, 0.01):
            break
    else:
        failed = True
    assert counted and more, "the pass counted nothing"
    for what, number in more.items():
        if number > MOST_COUNTED * counted.get(what, 0) + 100:
            print("%-10s %d, %d: %s" % (name, counted.get(what, 0), number, what))
            failed = True
sys.exit(failed)
