#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds places that name a processor outside of the folder for it.

usage: check_target.py [ROOT]

The folders in ROOMS know the processor, and the rest of their trees does not. Below
ROOT (default: the checkout that this script belongs to) this prints each line of the
rest that names a processor, a register, an instruction, an intrinsic or a system
call of this processor alone, and exits with status 1 if there is one. Comments of
pass/ must not name them either.
"""

import pathlib
import re
import sys

SUFFIXES = {".h", ".cpp", ".def", ".inc"}
NAMES = re.compile(
    r"(?i:x86|x87|i[36]86|amd64|aarch64|\barm)"  # processors, and LLVM's own names
    r"|\b(?i:[re][abcd]x|[re][sd]i|[re][sbi]p|r(8|9|1[0-5])[dwb]?|[xyz]mm\d*)\b"
    r"|(?i:\b[fg]s\b)|(?<=[a-z])[FG]s\b|Segment[FG]s|\b(SSE|AVX|MMX|FMA|F16C)"
    r"|(?i:\b(mov|lea|cmp|add|sub|xor|inc|dec|or|and)[bwlq]\b|\bj(ne|mp)q?\b|\bshr\b"
    r"|endbr64|gotpcrel|addrspace\(2)"
    r"|\bWin64\b|\bSystem V\b"
)


# System calls that processors newer than this one do not have
# (asm-generic/unistd.h).
OLDER_CALLS = """access alarm arch_prctl chmod chown creat dup2 epoll_create epoll_wait eventfd fork
futimesat getdents getpgrp inotify_init lchown link lstat mkdir mknod open pause pipe poll readlink
rename rmdir select signalfd stat symlink time unlink ustat utime utimes vfork""".split()

CODE_NAMES = re.compile(
    r"""__x86_64__ | __(?:seg_)?[fg]s\b | %%{1,2}[re](?:[abcd]x|[sd]i|[bs]p|ip)\b | %%{1,2}r(?:[89]|1[0-5])\b
    | \b_mm\d*_\w+ | \b__m(?:128|256|512)\w* | \w*mmintrin\.h | \bcpuid\b | \bREG_R\w+ | \bREG_ERR\b | \bgregs\b
    | \bregisters?\s+\w+\s+\w+\s+asm\b | \basm(?:\s+volatile)?\s*\(\s*"(?!["._\w]*"\s*[;){]|"\s*:|\.cfi_)
    | (?<!arch/)(?<!target/)\bx86_\w+ | \bX86\w* | \b(?:SYS_|PAGETIDE_HOOK\(|PAGETIDE_HOOK_AS\(|RAW\(|TABLED_CALL\(\w+,\s)(?:%s)\b""" % "|".join(OLDER_CALLS),
    re.VERBOSE)

# Tree, its folder for processors, and what is looked for. Each processor has a folder
# in that.
ROOMS = (("pass", "target", NAMES, True), ("runtime", "arch", CODE_NAMES, False))

# Where the processor's own C interface is what the line is about.
ALLOWED = {
    # A function of libc that exists on this processor alone.
    ("runtime/interceptors/guards.cpp", "SYS_arch_prctl"),
}

COMMENT = re.compile(r'//.*?$|/\*.*?\*/|("(?:\\.|[^"\\])*")', re.DOTALL | re.MULTILINE)


def without_comments(text):
    """The text, with the same lines."""
    return COMMENT.sub(lambda m: m[1] or re.sub(r"[^\n]", " ", m[0]), text)


def check(root, tree, room, names, comments_too):
    """Yields the places of `tree` outside of `room` that name a processor."""
    for path in sorted((root / tree).rglob("*")):
        inside = path.relative_to(root / tree).parts
        # The interface is in `room`, an implementation in a folder below that.
        if path.suffix not in SUFFIXES or (inside[0] == room and len(inside) > 2):
            continue
        text = path.read_text(encoding="utf-8")
        place = path.relative_to(root).as_posix()
        if not comments_too:
            text = without_comments(text)
        for number, line in enumerate(text.splitlines(), 1):
            found = names.search(line)
            if found and (place, found[0]) not in ALLOWED:
                yield (
                    f"{place}:{number}: names '{found[0]}'; what"
                    f" knows a processor belongs to a folder in {tree}/{room}/."
                )


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    root = pathlib.Path(
        sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    )
    status = 0
    for room in ROOMS:
        for problem in check(root, *room):
            print(problem)
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
