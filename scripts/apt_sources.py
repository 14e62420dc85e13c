#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes source-package sources made from the user's apt sources.

usage: apt_sources.py SOURCES_LIST SOURCES_DIRECTORY OUTPUT_DIRECTORY

SOURCES_LIST is a file of one-line entries (it need not exist), and
SOURCES_DIRECTORY holds *.list files of such entries and *.sources files of
deb822 stanzas. Each enabled entry for binary or source packages becomes one
entry for source packages in OUTPUT_DIRECTORY/pagetide.list or
pagetide.sources; keys (Signed-By) and other options are kept. The files read
are left as they are. Exit status 1: nothing was enabled.
"""

import pathlib
import re
import sys

# Fields and options that say which indexes to get; they fit binary packages.
DROPPED = {"types", "targets", "languages", "enabled", "architectures", "arch"}


def from_line(line):
    """The source-package entry for a one-line entry, or None."""
    match = re.match(r"\s*deb(?:-src)?\s+(?:\[([^]]*)\]\s+)?([^#]+)", line)
    if not match:
        return None  # a comment (also: a disabled entry), an empty line
    options, rest = match.groups()
    uri = rest.split()[0]
    if uri.startswith("cdrom:"):
        return None  # would ask for a disc, and holds no sources
    kept = [
        option
        for option in (options or "").split()
        if re.split(r"[-+]?=", option)[0].lower() not in DROPPED
    ]
    bracket = "[ %s ] " % " ".join(kept) if kept else ""
    return "deb-src " + bracket + " ".join(rest.split())


def fields_of(stanza):
    """(name, text) of each field; text has its continuation lines."""
    fields = []
    for line in stanza:
        if line.startswith("#"):
            continue  # a comment may stand within a field
        if line[0].isspace() and fields:
            fields[-1][1].append(line)
        elif ":" in line:
            name, value = line.split(":", 1)
            fields.append((name, [value]))
    return [(name, "\n".join(lines)) for name, lines in fields]


def from_stanza(stanza):
    """The source-package stanza for a deb822 stanza, or None."""
    fields = fields_of(stanza)
    values = {name.lower(): text.split() for name, text in fields}
    if not {"deb", "deb-src"} & set(values.get("types", [])):
        return None
    if values.get("enabled", ["yes"])[0].lower() in ("no", "false", "0", "off"):
        return None
    kept = ["%s:%s" % f for f in fields if f[0].lower() not in DROPPED]
    return "\n".join(["Types: deb-src"] + kept)


def stanzas_of(text):
    stanza = []
    for line in text.splitlines():
        if line.strip():
            stanza.append(line)
        elif stanza:
            yield stanza
            stanza = []
    if stanza:
        yield stanza


def main(sources_list, sources_directory, output):
    lists = [pathlib.Path(sources_list)]
    lists += sorted(pathlib.Path(sources_directory).glob("*.list"))
    lines = [
        from_line(line)
        for path in lists
        if path.is_file()
        for line in path.read_text().splitlines()
    ]
    stanzas = [
        from_stanza(stanza)
        for path in sorted(pathlib.Path(sources_directory).glob("*.sources"))
        for stanza in stanzas_of(path.read_text())
    ]
    # An entry for packages and one for their sources become the same.
    lines = list(dict.fromkeys(filter(None, lines)))
    stanzas = list(dict.fromkeys(filter(None, stanzas)))
    output = pathlib.Path(output)
    if lines:
        (output / "pagetide.list").write_text("\n".join(lines) + "\n")
    if stanzas:
        (output / "pagetide.sources").write_text("\n\n".join(stanzas) + "\n")
    return 0 if lines or stanzas else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
