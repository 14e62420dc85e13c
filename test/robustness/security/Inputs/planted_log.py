# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants something of another user's where a program's log will be, and runs it.

usage: planted_log.py link|fifo|file PROGRAM
"""
import os
import sys

kind, program = sys.argv[1:]
NOBODY = 65534
child = os.fork()
if child == 0:
    # The program has this process's number, which the log's name ends with.
    path = "planted.%d" % os.getpid()
    planter = os.fork()
    if planter == 0:
        os.setresuid(NOBODY, NOBODY, NOBODY)
        if kind == "link":
            os.symlink("target-%s" % path, path)
        elif kind == "fifo":
            os.mkfifo(path, 0o666)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o666))
            os.chmod(path, 0o666)
        os._exit(0)
    if os.waitpid(planter, 0)[1]:
        os._exit(99)
    os.environ["PAGETIDE_OPTIONS"] = (
        "log_path=planted:verbosity=1:trace_path=trace-of-" + path)
    os.execv(program, [program])
path = "planted.%d" % child
if os.waitpid(child, 0)[1]:
    sys.exit("the program failed")
if kind == "link":
    unchanged = os.path.islink(path) and not os.path.exists("target-" + path)
else:
    unchanged = os.lstat(path).st_size == 0
print("planted:", "unchanged" if unchanged else "CHANGED")
