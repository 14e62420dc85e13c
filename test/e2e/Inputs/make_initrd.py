# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_initrd.py TARGET INIT PROGRAM...: an archive of a file system with the
programs in its root, INIT as /init, and the libraries they need."""

import os
import subprocess
import sys


def main():
    target, init, *programs = sys.argv[1:]
    files = {"/init": init}
    for program in programs:
        files["/" + program] = program
        listed = subprocess.run(["ldd", program], capture_output=True,
                                text=True, check=True).stdout
        files.update((word, word) for word in listed.split()
                     if word.startswith("/"))
    directories = {"/dev", "/proc", "/tmp"}
    for name in files:
        while (name := os.path.dirname(name)) != "/":
            directories.add(name)
    # Each entry: header, name and data, padded to four bytes ("newc").
    archive = bytearray()

    def add(name, mode, data):
        name = name.lstrip("/").encode() + b"\0"
        fields = (len(archive), mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0,
                  len(name), 0)
        archive.extend(("070701" + "".join(f"{f:08X}" for f in fields)).encode())
        archive.extend(name + b"\0" * (-(110 + len(name)) % 4))
        archive.extend(data + b"\0" * (-len(data) % 4))

    for name in sorted(directories):
        add(name, 0o40755, b"")
    for name, path in files.items():
        with open(path, "rb") as file:
            add(name, 0o100755, file.read())
    add("TRAILER!!!", 0, b"")
    with open(target, "wb") as file:
        file.write(archive)


if __name__ == "__main__":
    main()
