#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds what only the folders for processors may know, elsewhere.

usage: check_processor.py [ROOT]

Below ROOT (default: the checkout that this script belongs to) this prints each
line outside of runtime/arch/x86_64 and pass/target/x86_64 that names a register,
an instruction, an intrinsic, a structure of registers or a system call of this
processor alone, and exits with status 1 if there is one. Comments may name them.
"""

import pathlib
import re
import sys

TREES = {"runtime": "arch/x86_64", "pass": "target/x86_64"}
SUFFIXES = {".h", ".cpp", ".def", ".inc"}

# System calls that processors newer than this one do not have
# (asm-generic/unistd.h).
OLDER_CALLS = """access alarm arch_prctl chmod chown creat dup2 epoll_create epoll_wait eventfd fork
futimesat getdents getpgrp inotify_init lchown link lstat mkdir mknod open pause pipe poll readlink
rename rmdir select signalfd stat symlink time unlink ustat utime utimes vfork""".split()

NAMES = re.compile(
    r"""__x86_64__ | __(?:seg_)?[fg]s\b | %%{1,2}[re](?:[abcd]x|[sd]i|[bs]p|ip)\b | %%{1,2}r(?:[89]|1[0-5])\b
    | \b_mm\d*_\w+ | \b__m(?:128|256|512)\w* | \w*mmintrin\.h | \bcpuid\b | \bREG_R\w+ | \bREG_ERR\b | \bgregs\b
    | \bregisters?\s+\w+\s+\w+\s+asm\b | \basm(?:\s+volatile)?\s*\(\s*"(?!["._\w]*"\s*[;){]|"\s*:|\.cfi_)
    | (?<!arch/)(?<!target/)\bx86_\w+ | \bX86\w* | \bSYS_(?:%s)\b""" % "|".join(OLDER_CALLS),
    re.VERBOSE)

# Where the processor's own C interface is what the line is about.
ALLOWED = {
    # A function of libc that exists on this processor alone.
    ("runtime/interceptors/guards.cpp", "SYS_arch_prctl"),
}

COMMENT = re.compile(r'//.*?$|/\*.*?\*/|("(?:\\.|[^"\\])*")', re.DOTALL | re.MULTILINE)


def without_comments(text):
    """The text, with the same lines."""
    return COMMENT.sub(lambda m: m[1] or re.sub(r"[^\n]", " ", m[0]), text)


def findings(root):
    for tree, own in TREES.items():
        for path in sorted((root / tree).rglob("*")):
            place = path.relative_to(root).as_posix()
            if path.suffix not in SUFFIXES or place.startswith("%s/%s/" % (tree, own)):
                continue
            lines = without_comments(path.read_text(encoding="utf-8")).splitlines()
            for number, line in enumerate(lines, 1):
                for match in NAMES.finditer(line):
                    if (place, match[0]) not in ALLOWED:
                        yield "%s:%d: %s belongs to %s/%s/" % (
                            place, number, match[0].strip(), tree, own)


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent)
    found = list(findings(root))
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
