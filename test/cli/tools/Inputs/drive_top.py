# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs pagetide top on a terminal of its own, presses keys, and looks.

usage: drive_top.py PAGETIDE PID

The terminal must be in its first state after every way to end.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PAGETIDE, PID = sys.argv[1:]
PATIENCE = 60
ENTER_SCREEN, LEAVE_SCREEN = "\x1b[?1049h", "\x1b[?1049l"


SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


class Terminal:
    """A terminal on which pagetide top runs, as a job of this session."""

    def __init__(self, *arguments, lines=40, columns=100, term="xterm"):
        self.master, self.slave = pty.openpty()
        self.resize(lines, columns)
        self.before = termios.tcgetattr(self.slave)
        self.text = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(self.slave, os.getpid())
            for number in (*SIGNALS, signal.SIGTTOU):
                signal.signal(number, signal.SIG_DFL)
            for number in range(3):
                os.dup2(self.slave, number)
            environment = dict(os.environ, TERM=term, LC_ALL="C.UTF-8")
            environment.pop("COLUMNS", None)
            os.execve(PAGETIDE, [PAGETIDE, "top", *arguments], environment)

    def resize(self, lines, columns):
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, size)

    def read(self, seconds):
        """Appends what is shown within this time."""
        if select.select([self.master], [], [], seconds)[0]:
            self.text += self.decoder.decode(os.read(self.master, 65536))

    def wait_for(self, pattern, what):
        """Waits for the pattern in what is shown from now on."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text, re.DOTALL):
            if time.monotonic() > end:
                sys.exit(f"{what}: not found: {pattern}\n{self.text!r}")
            self.read(0.2)

    def press(self, keys, pattern, what):
        self.text = ""
        os.write(self.master, keys.encode())
        self.wait_for(pattern, what)

    def end(self, what):
        """Waits for its end. Returns its status. The terminal must be as before."""
        end = time.monotonic() + PATIENCE
        while True:
            # It may wait until its output is read.
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                sys.exit(f"{what}: still running\n{self.text!r}")
        while select.select([self.master], [], [], 0.1)[0]:
            self.read(0)
        after = termios.tcgetattr(self.slave)
        if after != self.before:
            sys.exit(f"{what}: the terminal differs\n{self.before}\n{after}")
        fcntl.ioctl(self.slave, termios.TIOCNOTTY)
        os.close(self.slave)
        os.close(self.master)
        return status

    def expect_left(self, what):
        if LEAVE_SCREEN not in self.text:
            sys.exit(f"{what}: the screen was not left\n{self.text!r}")


def expect(condition, what):
    if not condition:
        sys.exit(what)


# A session of its own, so that terminals can become its terminal.
session = os.fork()
if session != 0:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(session, 0)[1]))
os.setsid()
for ignored in (signal.SIGHUP, signal.SIGTTOU):
    signal.signal(ignored, signal.SIG_IGN)

# The list, its sort keys, the pause and one process.
top = Terminal("--delay", "100ms")
top.wait_for(re.escape(ENTER_SCREEN), "start")
top.wait_for(rf" program.*{PID}", "list")
expect(not termios.tcgetattr(top.slave)[3] & termios.ECHO, "keys are echoed")
top.press("p", "PAUSED", "pause")
top.press("n", "", "order")
top.press("p", "q quit", "end of pause")
# Others of this user may be recorded too, and one of them may come first.
top.press("\r", "process", "enter")
top.wait_for("Working set: what each period accessed", "curve")
top.press("\x1b", "command", "escape")
top.press("j", "", "down")
top.press("k", "", "up")
top.press("\x1b[B", "", "arrow")
top.press("l", "Working set", "open by l")
# A new size is used at once, and all is drawn anew.
for columns in (60, 200, 80):
    top.text = ""
    top.resize(24 if columns == 60 else 50, columns)
    top.wait_for("pagetide top", f"{columns} columns")
    top.wait_for("q quit", f"{columns} columns")
top.press("q", re.escape(LEAVE_SCREEN), "quit")
expect(top.end("q") == 0, "q: its status is not 0")

# Signals end it as ever, after the terminal is restored.
for number in SIGNALS:
    top = Terminal(PID)
    top.wait_for("Working set", f"signal {number}")
    os.kill(top.pid, number)
    status = top.end(f"signal {number}")
    expect(
        os.WIFSIGNALED(status) and os.WTERMSIG(status) == number,
        f"signal {number}: status {status}",
    )
    top.expect_left(f"signal {number}")

# Suspended by control-Z it gives the terminal back, and takes it again.
top = Terminal(PID)
top.wait_for("Working set", "control-Z")
in_use = termios.tcgetattr(top.slave)
for _ in range(2):
    top.text = ""
    os.write(top.master, b"\x1a")
    top.wait_for(re.escape(LEAVE_SCREEN), "control-Z")
    end = time.monotonic() + PATIENCE
    while os.waitpid(top.pid, os.WUNTRACED | os.WNOHANG)[0] == 0:
        expect(time.monotonic() < end, "control-Z: it was not suspended")
        time.sleep(0.05)
    expect(termios.tcgetattr(top.slave) == top.before,
           "control-Z: the terminal differs")
    # What the user does meanwhile, and fg.
    os.write(top.slave, b"\r\nother output\r\n")
    os.tcsetpgrp(top.slave, os.getpgid(top.pid))
    top.text = ""
    os.killpg(os.getpgid(top.pid), signal.SIGCONT)
    top.wait_for(re.escape(ENTER_SCREEN), "fg: the screen")
    top.wait_for("pagetide top.*Working set.*q quit", "fg: all is drawn anew")
    expect(termios.tcgetattr(top.slave) == in_use, "fg: the terminal differs")
top.press("q", re.escape(LEAVE_SCREEN), "quit after fg")
expect(top.end("q after fg") == 0, "q after fg: its status is not 0")

# As the user sends it.
top = Terminal(PID)
top.wait_for("Working set", "control-C")
os.write(top.master, b"\x03")
expect(os.WTERMSIG(top.end("control-C")) == signal.SIGINT, "control-C")
top.expect_left("control-C")

# Terminals that cannot be used.
top = Terminal(term="no-such-terminal")
status = top.end("unknown terminal")
expect(os.WEXITSTATUS(status) == 2, "unknown terminal: its status")
expect("no-such-terminal is not known" in top.text, repr(top.text))
print("all is well")
