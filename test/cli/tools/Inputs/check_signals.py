# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_signals.py PAGETIDE: signals around `pagetide record`."""

import os
import resource
import signal
import subprocess
import sys

pagetide = sys.argv[1]


def default_signals():
    """Whoever runs the tests may have some of them ignored."""
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)


def record(*command, preexec_fn=default_signals, **options):
    return subprocess.Popen(
        [pagetide, "record", "-o", "signals", "--", *command],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        preexec_fn=preexec_fn,
        **options,
    )


def wait_for_line(process):
    line = process.stdout.readline()
    assert line == b"ready\n", line


# Death by a signal is passed on. A core, if any, is the command's.
for name in "KILL TERM SEGV ABRT PIPE HUP INT QUIT USR1".split():
    process = record("sh", "-c", "kill -%s $$" % name)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = 0  # waited for
    assert os.WIFSIGNALED(status), (name, status)
    assert os.WTERMSIG(status) == getattr(signal, "SIG" + name), (name, status)
    assert not os.WCOREDUMP(status), name

# SIGTERM and SIGHUP go to the command, which may do with them what it likes.
for name in ("TERM", "HUP"):
    process = record(
        "sh",
        "-c",
        "trap 'exit 42' %s; echo ready; while :; do sleep 0.05; done" % name,
    )
    wait_for_line(process)
    process.send_signal(getattr(signal, "SIG" + name))
    assert process.wait() == 42, name

# What came ignored stays ignored, for record and for the command.
process = record(
    "sh",
    "-c",
    "echo ready; sleep 0.3; exit 7",
    preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
)
wait_for_line(process)
process.send_signal(signal.SIGHUP)
assert process.wait() == 7

# SIGINT and SIGQUIT of the terminal reach the command by themselves.
for name in ("INT", "QUIT"):
    process = record(
        "sh",
        "-c",
        "trap 'exit 43' %s; echo ready; while :; do sleep 0.05; done" % name,
        start_new_session=True,
    )
    wait_for_line(process)
    os.killpg(process.pid, getattr(signal, "SIG" + name))
    assert process.wait() == 43, name
process = record("sh", "-c", "echo ready; sleep 0.3; exit 8")
wait_for_line(process)
process.send_signal(signal.SIGINT)  # to record alone
assert process.wait() == 8

# The command finds signals and limits as record found them.
show = (
    "grep -E '^Sig(Blk|Ign)' /proc/self/status; ulimit -Sn; "
    "ls /proc/self/fd | wc -l"
)


def state(prefix):
    return subprocess.run(
        [*prefix, "sh", "-c", show],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    ).stdout


assert state([pagetide, "record", "-o", "signals", "--"]) == state([])
