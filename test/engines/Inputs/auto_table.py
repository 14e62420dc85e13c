# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""auto_table.py PAGETIDE TABLE FEATURE...: what `record` does in each situation of
a table. Programs and `refuse` lie in the working directory. A row is

    COMMAND / without / as / options / what comes of it / what is said

- COMMAND: a program that leaves the file `ran`; or --pid, and who runs (RUNNING).
- `without`: what refuse.c takes from the kernel. `as`: other, for another user.
- What comes of it: the engine of each trace, FILE's first. `nothing`: it ran, without
  a trace. `refused`: exit status 125, and nothing ran.
- What is said: a part of the messages. `nothing`: there is none.
"""

import ctypes
import os
import pathlib
import shlex
import subprocess
import sys
import time

EPERM, ENOTTY = "1", "25"
PTRACE_SEIZE = 0x4206
OTHER = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
# A kernel with Yama, as far as a file tells.
YAMA = ["unshare", "--mount", "sh", "-ec", """
mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama
echo 1 >/proc/sys/kernel/yama/ptrace_scope && exec "$@" """, "sh"]
# Who runs while `record --pid` looks, and the file that it has to leave first.
RUNNING = {
    "plain": ["sleep", "60"],
    "static": ["./static", "wait"],
    "marked": ["./marked", "wait"],
    "32-bit": ["./bits32-waits"],
    "traced": ["./plain", "wait"],
    "other": [*OTHER, "./plain", "wait"],
}


def engine_of(pagetide, trace):
    """The engine that a trace names; an instrumented program's names none."""
    said = subprocess.run([pagetide, "info", trace], capture_output=True,
                          text=True, check=True).stdout
    for line in said.splitlines():
        if line.split()[:1] == ["engine"]:
            return line.split()[1].rstrip(":")
    return "marks"


def start(who):
    """The process to attach to."""
    process = subprocess.Popen(RUNNING[who])
    while not os.path.exists("ran") and who != "plain":
        time.sleep(0.01)
    if who == "traced":
        ctypes.CDLL(None).ptrace(PTRACE_SEIZE, process.pid, 0, 0)
    return process


def run(pagetide, command, without, as_whom, options):
    """Returns (what came of it, what was said)."""
    for old in [*pathlib.Path().glob("trace*"), pathlib.Path("ran")]:
        old.unlink(missing_ok=True)
    # lit's own TMPDIR is not for others.
    words = [*OTHER, "env", f"TMPDIR={os.getcwd()}"] if as_whom == "other" else []
    for lacking in without:
        words += YAMA if lacking == "permission" else ["./refuse", lacking, ENOTTY if lacking == "scan" else EPERM]
    words += [pagetide, "record", "-o", "trace", *options]
    if command[0] == "--pid":
        with start(command[1]) as process:
            done = subprocess.run(
                [*words, "--pid", str(process.pid), "--for", "1ms"],
                capture_output=True, text=True, timeout=60)
            process.kill()
        ran = True
    else:
        done = subprocess.run([*words, "--", *command], capture_output=True,
                              text=True, timeout=60)
        ran = os.path.exists("ran")
    traces = sorted(map(str, pathlib.Path().glob("trace*")))
    if done.returncode == 125:
        is_refused = not traces and (not ran or command[0] == "--pid")
        return "refused" if is_refused else "125", done.stderr
    if done.returncode or not ran:
        return f"status {done.returncode}, ran: {ran}", done.stderr
    engines = [engine_of(pagetide, trace) for trace in traces]
    return " ".join(engines) or "nothing", done.stderr


def rows_for(table, features):
    """The rows that this machine can try."""
    can = True
    for line in pathlib.Path(table).read_text().splitlines():
        if line.startswith("["):
            words = line.strip("[]").split()
            can = (words[-1] in features) == (words[0] != "no")
            if not can:
                print("left out:", line)
        elif can and line and not line.startswith("#"):
            yield line


def main():
    pagetide, table, *features = sys.argv[1:]
    rows = wrong = 0
    for line in rows_for(table, features):
        command, without, as_whom, options, expected, words = (
            cell.strip() for cell in line.split("/ ", 5))
        came, said = run(pagetide, shlex.split(command), without.split(), as_whom,
                         options.split())
        rows += 1
        # Where a trace is, is said of each.
        about = [one for one in said.splitlines() if not one.startswith(
            ("pagetide: trace: ", "pagetide: see ", "  "))]
        if came != expected or (about if words == "nothing" else words not in said):
            wrong += 1
            print(f"{line}\n  came: {came}\n  said: {said}")
    print(f"{rows} situations, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
