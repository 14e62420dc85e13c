# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: void.py SOURCE BUILD

Pairs of scripts that do and do not do the same, in the current directory; prints
what benchmarks/measure.py says of each.
"""

import collections
import pathlib
import sys
import time

source, build = sys.argv[1:]
sys.path.insert(0, source + "/benchmarks")

import measure
from build import Builder
from failure import Failure
from measure import Runner, Task, check_marks, pairs
from programs import PROGRAMS
from toolchain import Toolchain
from variants import BUILDS, VARIANTS

here = pathlib.Path.cwd()
toolchain = Toolchain(build)
builder = Builder(toolchain, toolchain.directory / "benchmarks")
runner = Runner(builder.launcher(), toolchain, here)


def script(name, text):
    path = here / name
    path.write_text("#!/bin/sh\n" + text + "\n")
    path.chmod(0o755)
    return path


def measured(native, other, variant, rounds=1, client=()):
    executables = {"native": native, VARIANTS[variant].build: other}
    return list(
        pairs(
            runner,
            Task((), None, client),
            executables,
            [VARIANTS[variant]],
            {variant: rounds},
            1,
        )
    )


right = script("right", "echo same")
for name, text, variant in (
    ("honest", "echo same", "rw"),
    ("liar", "echo other", "rw"),
    ("quitter", "echo same; exit 3", "rw"),
    ("crasher", "echo same; kill -SEGV $$", "rw"),
    ("complainer", "echo same; echo odd >&2", "rw"),
    ("unrecorded", "echo same", "rw-10ms"),
    ("uncounted", "echo same", "memprof"),
    ("counted", "echo same; echo 1 >memprof.profraw.1", "memprof"),
):
    (pair,) = measured(right, script(name, text), variant)
    print("%s: %s" % (name, pair["void"]))

# What native prints is not always the same.
(pair,) = measured(script("waverer", "date +%N"), right, "rw")
print("waverer: %s" % pair["void"])

# A server that answers one question. Its client works for much longer, asks, and
# fails if the answer is no. It gives up if there is no server.
SERVE = "mkfifo asked answer; read question <asked; echo %s >answer; rm asked answer"
client = script(
    "client",
    """i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done
    tries=0
    until [ -p answer ]; do
      sleep 0.01; tries=$((tries + 1)); [ $tries -lt 300 ] || exit 5
    done
    echo question >asked; read answer <answer; echo $answer
    [ $answer != no ] || { echo refused >&2; exit 6; }""",
)
server = script("server", SERVE % "yes")
for name, text in (
    ("server", SERVE % "yes"),
    ("other", SERVE % "perhaps"),
    ("unwilling", SERVE % "no"),
    ("undying", SERVE % "no" + "; sleep 100"),
    ("dead", "kill -SEGV $$"),
):
    measure.SERVER_END_S = 1 if name == "undying" else 60
    (pair,) = measured(server, script(name, text), "rw", client=(str(client),))
    print("%s: %s" % (name, pair["void"]))
    if name == "server":
        took = pair["measured"]
        apart = took["cpu_s"] < took["wall_s"] / 2
        print("its client's time is not measured: %s" % apart)

try:
    measured(script("broken", "echo no input >&2; exit 4"), right, "rw")
except Failure as failure:
    print("broken: %s" % failure)

recipe = PROGRAMS["empty"].recipe
for name, executable in (
    ("unmarked", right),
    ("mistaken", builder.build(recipe, BUILDS["rw"]).path),
    ("marked", builder.build(recipe, BUILDS["write"]).path),
):
    try:
        check_marks(runner, Task(()), executable, BUILDS["write"])
        print("%s: nothing wrong" % name)
    except Failure as failure:
        print("%s: %s" % (name, failure))

# Another tool's is void; its next rounds are spared. However long native takes
# here, the limit is the same.
measure.OTHERS_LEAST_S = 1
VARIANTS["tsan"] = VARIANTS["tsan"]._replace(limit=0)
slow = script("slow", "exec sleep 100")
for pair in measured(right, slow, "tsan", 3):
    print("slow: %s, %d s" % (pair["void"], pair["too_long"]))

measure.TIME_LIMIT_S = 1
try:
    measured(script("endless", "sleep 100 & echo $! >pid; wait"), right, "rw")
except Failure as failure:
    print("endless: %s" % failure)
sleeper = pathlib.Path("/proc", (here / "pid").read_text().strip())
for _ in range(100):  # init may take its time to bury it
    if not sleeper.exists():
        break
    time.sleep(0.1)
print("and is gone: %s" % (not sleeper.exists()))
measure.TIME_LIMIT_S = 100

first = collections.Counter(p["first"] for p in measured(right, right, "rw", 8))
print("first: native %(native)d, variant %(variant)d" % first)
