#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/reference/interceptors.md of intercepted.txt, tabled.def, raw_numbers.def,
not_seen.txt and raw_not_seen.txt in runtime/interceptors.

    scripts/interceptors.py            writes it
    scripts/interceptors.py --check    fails if it is not up to date
    scripts/interceptors.py --names    prints the functions that this libc has
    scripts/interceptors.py --lacking  prints the others
    scripts/interceptors.py --not-seen    prints those of not_seen.txt
"""

import argparse
import os
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
SOURCE = TOP / "runtime" / "interceptors" / "intercepted.txt"
TABLE = TOP / "runtime" / "interceptors" / "tabled.def"
RAW_NUMBERS = TOP / "runtime" / "interceptors" / "raw_numbers.def"
NOT_SEEN = TOP / "runtime" / "interceptors" / "not_seen.txt"
RAW_NOT_SEEN = TOP / "runtime" / "interceptors" / "raw_not_seen.txt"
CALL_SITES = TOP / "include" / "pagetide" / "call_site_functions.def"
TARGET = TOP / "docs" / "reference" / "interceptors.md"

HEAD = """# Functions that Pagetide intercepts

`scripts/interceptors.py` makes this page from `intercepted.txt`, `tabled.def`,
`raw_numbers.def`, `not_seen.txt` and `raw_not_seen.txt` in `runtime/interceptors`.

Instrumented code marks its own accesses. The runtime marks what these functions of
libc, and the kernel through them, do to the program's memory.
[contract.md](contract.md) says what that means, and which functions are not covered.

Marks are made when the function returns, unless the table says otherwise. *As may*
means that the function may have touched the memory, and does not say whether it did.

The last column says whose calls are marked:

- *all*: every call in the process, also by libraries that are not instrumented. The
  runtime exports these functions under their own names, before libc.
- *instrumented*: calls by instrumented code, by name or through a pointer. Such code
  calls the runtime's `__pagetide_NAME` instead. Other code calls libc's function, and
  pays nothing. These functions only read.
"""


UNSEEN = """
## Functions that are not seen

libc's headers declare these with a pointer through which they may write. A function
whose pointers lead only to objects that libc made (`FILE`, `DIR`, a locale) is not
listed. A test holds the lists against the headers.

| functions | why |
| --- | --- |
"""


RAW_UNSEEN = """
## System calls by number that are not seen

`syscall(number, ...)` makes these without marks. It marks what each other number of
the kernel's header does. A test holds the list against that header.

| numbers | why |
| --- | --- |
"""


def call_site_functions():
    """Names in call_site_functions.def."""
    return set(re.findall(r"^PAGETIDE_CALL_SITE_FUNCTION\((\w+),",
                          CALL_SITES.read_text(), re.MULTILINE))


def whose_calls(names, by_call_site, where):
    """The last column of a row."""
    named = by_call_site & set(names)
    if named and named != set(names):
        sys.exit(f"{where}: {CALL_SITES.name} names {', '.join(sorted(named))}, "
                 "but not the others; give them a line of their own")
    return "instrumented" if named else "all"


TABLED = re.compile(r"TABLED(?:_CALL|_REAL|_WAITS)?(?:_EACH)?\("
                    r"(?:\w[\w ]*, |\((?:[^()]|\([\w, ]*\))*\), )?[\w ]+, "
                    r"(\w+|\([\w, ]+\)), (?:always|zero|counted|positive|some), (.*)\)")
SENTENCES = {
    "Read": "reads {}", "Write": "writes {}", "Change": "reads and writes {}",
    "Put": "writes {}", "Host": "writes {}",
    "Words": "writes the words of {}",
    "ReadOther": "reads the name {}",
    "MayChangeNames": "reads and writes the names {} as may",
    "MayRead": "reads {} as may", "MayWrite": "writes {} as may",
    "MayChange": "reads and writes {} as may",
    "ReadString": "reads the string {}", "ReadWide": "reads the string {}",
    "Duplicate": "reads the string {}, writes the copy",
    "DuplicateWide": "reads the string {}, writes the copy",
    "ReadTo": "reads {} up to the character found",
    "FindAny": "reads the set, and {} as far as the result",
    "Span": "reads the set, and {} as far as the result",
    "ReadVariable": "reads the name of the variable {}",
    "WriteString": "writes the string {}", "ReadPath": "reads the name {}",
    "MayReadString": "reads the string {} as may",
    "MayReadList": "reads the list {} as may",
    "MayChangeName": "writes the name {} as may",
    "MayChangeOption": "writes the option at {} as may",
    "Fill": "writes {}; as may if it does not fit",
    "UseState": "reads the state {}, and writes it as may",
    "ConvertOne": "writes {}, reads the character",
    "Vector": "reads and writes the vector at {} as may",
    "SetRandomState": "writes the former state as may",
    "UseRandomState": "reads and writes the state of initstate as may",
    "RandomState": "reads and writes the state of {} as may",
    "Link": "writes {} and its neighbours",
    "Unlink": "reads {}, writes its neighbours",
    "Found": "writes the entry {}, its room as may, and the result",
    "FoundBy": "reads the name {} as may if it finds nothing, writes the entry, its "
               "room as may, and the result",
    "Groups": "writes the groups {} as may, and their number",
    "Entry": "writes the entry {} and the result",
    "Descriptor": "reads or writes what the command says",
    "Semaphores": "reads or writes what the command says",
    "MessageQueue": "reads or writes what the command says",
    "SharedMemory": "reads or writes what the command says",
    "Inserted": "writes the key of {} as may",
    "Normalized": "reads and writes {}; writes it as may if it failed",
    "SetTimes": "reads the name {} and the times",
    "WriteName": "writes the string {}; as may if it failed",
    "Name": "writes the string {}; as may if it failed",
    "MakeName": "reads the pattern {}, writes the six letters that replace its X's",
    "Input": "writes {} as far as it was filled; all of it as may after EFAULT",
    "Polled": "reads the entries {}, writes their results",
    "Selected": "reads and writes the sets; select also the time",
    "Output": "reads {} as far as it was sent; all of it as may after EFAULT",
    "OpenBuffer": "reads or writes {} as the mode says",
    "Request": "reads and writes what the request says",
    "Loaded": "writes what the request says",
}


def effects(text):
    """What the effects of a line of the table are, in words."""
    said = []
    for name, argument in re.findall(r"\b([A-Z]\w*)\(([^,()]*)", text):
        if name in SENTENCES:
            letter = argument.strip()[:1]
            place = ("argument %d" % (ord(letter) - ord("a") + 1)
                     if letter in "abcdefgh" and letter else "the result")
            said.append(SENTENCES[name].format(place))
    return ", ".join(said)


def tabled():
    """Sections of the table: title, and for each effect its functions."""
    sections = []
    text = re.sub(r"\n +", " ", TABLE.read_text() + RAW_NUMBERS.read_text())
    for line in text.splitlines():
        if line.startswith("// == "):
            sections.append((line[6:], {}))
        elif line.startswith("TABLED"):
            match = TABLED.fullmatch(line)
            if not match or not effects(match[2]):
                sys.exit(f"{TABLE}: not a line of the table: {line}")
            names = re.findall(r"\w+", match[1])
            sections[-1][1].setdefault(effects(match[2]), []).extend(names)
    return sections


def not_seen(source=NOT_SEEN):
    """Reasons, each with its functions or numbers."""
    lines = [line.partition(": ") for line in source.read_text().splitlines()
             if line and not line.startswith("#")]
    return [(reason, names.split()) for reason, _, names in lines]


def version(text):
    return [int(part) for part in text.split(".")]


def lacking():
    """Functions that came after the libc that runs here (@since)."""
    here = version(os.confstr("CS_GNU_LIBC_VERSION").split()[-1])
    lines = re.findall(r"^@since ([0-9.]+)\n([^:]*):", SOURCE.read_text(), re.MULTILINE)
    return {name for since, names in lines if version(since) > here
            for name in names.split()}


def add_to(listed, names):
    for name in names:
        if name in listed:
            sys.exit(f"{name} is listed twice: remove one of its lines")
        listed.add(name)


def document():
    parts = [HEAD]
    by_call_site = call_site_functions()
    listed = set()
    since = ""
    entry = re.compile(r"([a-zA-Z_][a-zA-Z0-9_ ]*): (.*)")
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if line.startswith("@since "):
            since = f" (since glibc {line[7:]})"
        if not line or line[0] in "#@":
            continue
        if line.startswith("== "):
            parts.append(f"\n## {line[3:]}\n\n| functions | marked | calls |\n"
                         "| --- | --- | --- |\n")
            continue
        match = entry.fullmatch(line)
        if not match:
            sys.exit(f"{SOURCE}:{number}: neither '== SECTION' nor 'NAME ...: "
                     f"WHAT IS MARKED': {line}")
        words = match[1].split()
        add_to(listed, words)
        calls = whose_calls(words, by_call_site, f"{SOURCE}:{number}")
        names = ", ".join(f"`{name}`" for name in words)
        marked = match[2].replace("|", "\\|").replace("*", "\\*")
        parts.append(f"| {names}{since} | {marked} | {calls} |\n")
        since = ""
    for title, rows in tabled():
        if not rows:
            continue
        parts.append(f"\n## {title}\n\n| functions | marked | calls |\n"
                     "| --- | --- | --- |\n")
        for marked, words in rows.items():
            add_to(listed, words)
            names = ", ".join(f"`{name}`" for name in words)
            calls = whose_calls(words, by_call_site, TABLE)
            parts.append(f"| {names} | {marked} | {calls} |\n")
    for head, source in (UNSEEN, NOT_SEEN), (RAW_UNSEEN, RAW_NOT_SEEN):
        parts.append(head)
        for reason, words in not_seen(source):
            names = ", ".join(f"`{name}`" for name in words)
            parts.append(f"| {names} | {reason} |\n")
    if by_call_site - listed:
        sys.exit(f"{SOURCE} lacks {', '.join(sorted(by_call_site - listed))}, "
                 f"which {CALL_SITES} names")
    return "".join(parts), listed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--lacking", action="store_true")
    parser.add_argument("--not-seen", action="store_true")
    options = parser.parse_args()
    text, listed = document()
    if options.names:
        print("\n".join(sorted(listed - lacking())))
    elif options.lacking:
        print("\n".join(sorted(lacking())))
    elif options.not_seen:
        print("\n".join(name for _, names in not_seen() for name in names))
    elif not options.check:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        sys.exit(f"{TARGET} is not what {SOURCE}, {TABLE} and {NOT_SEEN} make: run "
                 "scripts/interceptors.py")


if __name__ == "__main__":
    main()
