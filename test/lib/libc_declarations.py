#!/usr/bin/env python3
# ===- libc_declarations.py - What libc's headers declare ------------------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Lists the functions of libc that may write through a pointer.

    libc_declarations.py CLANG

Each function that a public header of the C library declares with a pointer to
memory that is not constant, and that the library exports. A name is followed
by `handles` if its pointers lead to objects that libc made, and that programs
do not look into, such as FILE.
"""

import re
import subprocess
import sys

HEADERS = "/usr/include"
# Not for programs of their own, or not without another one before them.
LEFT_OUT = re.compile(r"/(bits|gnu|asm|linux|finclude|rpcsvc|sys/\w+_private)/"
                      r"|/(regexp|thread_db|proc_service)\.h$|/scsi/|/protocols/"
                      r"|/net(ax25|rom|rose|iucv|ash|eapol|ipx|packet)/|/neteconet/")
LIBRARIES = ("libc.so.6", "libm.so.6", "libresolv.so.2", "libmvec.so.1",
             "libanl.so.1", "libutil.so.1", "librt.so.1", "libpthread.so.0")
HANDLES = re.compile(r"\b(FILE|__FILE|DIR|struct _IO_FILE|struct __dirstream|_IO_FILE"
                     r"|struct __locale_struct)\b")


def output(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True,
                          check=False, stderr=subprocess.DEVNULL).stdout


def source():
    """All of them. What one of them lacks is an error, and of no consequence."""
    listed = output("dpkg", "-L", "libc6-dev").splitlines()
    names = sorted(path for path in listed if path.startswith(HEADERS)
                   and path.endswith(".h") and not LEFT_OUT.search(path))
    return "#define _GNU_SOURCE\n#define _LARGEFILE64_SOURCE\n" + "".join(
        '#include "%s"\n' % name for name in names)


def parameters(text):
    """The parameters' types of a function's type."""
    inside = text[text.index("(") + 1:text.rindex(")")]
    depth, parts, part = 0, [], ""
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return [*parts, part.strip()]


def writable(kind):
    """Whether something can be written through a parameter of this type."""
    if "(*" in kind or "*" not in kind:
        return "__va_list_tag" in kind
    pointee, *levels = kind.replace("restrict", "").split("*")
    constant = bool(re.search(r"\bconst\b", pointee))
    return not constant or len(levels) > 1 and any(
        "const" not in level for level in levels[:-1])


def exported():
    names = set()
    for library in LIBRARIES:
        path = "/lib/x86_64-linux-gnu/" + library
        for line in output("nm", "-D", "--defined-only", path).splitlines():
            words = line.split()
            if words[-2] in "TWi":
                names.add(words[-1].partition("@")[0])
    return names


def main():
    clang = sys.argv[1]
    tree = output(clang, "-fsyntax-only", "-w", "-x", "c", "-ferror-limit=0",
                  "-Xclang", "-ast-dump", "-fno-color-diagnostics", "-",
                  text=source())
    found = {}
    line = re.compile(r"^[|`]-FunctionDecl .*? (\w+) '([^']*)'(?:: *'([^']*)')?")
    for text in tree.splitlines():
        match = line.match(text)
        if match:
            kinds = [kind for kind in parameters(match[2]) if writable(kind)]
            if kinds:
                found[match[1]] = all(HANDLES.search(kind) for kind in kinds)
    for name in sorted(set(found) & exported()):
        print(name + (" handles" if found[name] else ""))


if __name__ == "__main__":
    main()
