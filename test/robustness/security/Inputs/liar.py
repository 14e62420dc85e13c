# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A command that lies to the `pagetide record` which runs it."""
import os
import re
import socket
import stat
import struct
import tempfile

path = re.search(r"control='?([^:']*)", os.environ["PAGETIDE_OPTIONS"]).group(1)
print("directory:", oct(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode)))

child = os.fork()
if child == 0:
    os.setresuid(65534, 65534, 65534)
    try:
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(path)
        print("another user: connected", flush=True)
    except OSError as error:
        print("another user:", type(error).__name__, flush=True)
    os._exit(0)
os.waitpid(child, 0)

MAGIC = 0x574F444148535450
NOTICE_MAGIC = 0x454349544F4E5450


def send(what, fds, name):
    """A greeting (shadow_file.h, Hello) of a process that then dies."""
    child = os.fork()
    if child == 0:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.connect(path)
        hello = struct.pack("<QIIII", MAGIC, VERSION, os.getpid(), 0, len(name))
        socket.send_fds(connection, [hello + name], fds)
        os._exit(0)
    os.waitpid(child, 0)
    print("sent:", what, flush=True)


here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "../../../../include/pagetide/shadow_file.h")) as f:
    VERSION = int(re.search(r"kVersion = (\d+)", f.read()).group(1))
memfd = os.memfd_create("shadow")
fifo = tempfile.mktemp(dir=".")
os.mkfifo(fifo)
fifo_fd = os.open(fifo, os.O_RDWR)
# A trace without an end, which the process may only read.
victim = open("victim", "w+b")
victim.write(b"PGTIDE\r\n" + bytes(72))
victim.flush()
before = os.stat("victim").st_mtime_ns, os.stat("victim").st_size
readonly = os.open("victim", os.O_RDONLY)
send("fifo", [fifo_fd, os.open("other", os.O_RDWR | os.O_CREAT)], b"t1")
send("readonly", [memfd, readonly], b"t2")
send("directory", [memfd, os.open(".", os.O_RDONLY)], b"t3")
send("escapes", [memfd, os.open("other", os.O_RDWR | os.O_CREAT)],
     b"\x1b[2J\x1b]0;owned\x07")

# A Notice (shadow_file.h) about another process, for an unknown reason.
child = os.fork()
if child == 0:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(path)
    name = b"\x1b[2Jnotice"
    connection.send(struct.pack("<QIIII1024s", NOTICE_MAGIC, VERSION, 1, 99,
                                len(name), name))
    os._exit(0)
os.waitpid(child, 0)
print("notice of:", child, flush=True)
after = os.stat("victim").st_mtime_ns, os.stat("victim").st_size
print("victim:", "unchanged" if before == after else "CHANGED")
