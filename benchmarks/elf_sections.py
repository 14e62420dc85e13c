# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is in the sections of an executable or library (man 5 elf, 64 bits)."""

import hashlib
import pathlib
import struct

NO_BYTES, LOADED, EXECUTABLE = 8, 2, 4  # SHT_NOBITS, SHF_ALLOC, SHF_EXECINSTR


def _sections(path):
    """Of each: its name, kind, flags and contents."""
    elf = pathlib.Path(path).read_bytes()
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("%s is no 64-bit little-endian ELF file" % path)
    (headers,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<3H", elf, 58)
    found = [struct.unpack_from("<2I4Q", elf, headers + i * size)
             for i in range(count)]
    for name, kind, flags, _, offset, length in found:
        title = elf[found[names][4] + name :].split(b"\0", 1)[0]
        yield title, kind, flags, elf[offset : offset + length]


def code_bytes(path):
    return sum(len(contents) for _, _, flags, contents in _sections(path)
               if flags & EXECUTABLE)


def code_hash(path):
    """Of what is loaded: a comment that changes line numbers is no reason to
    compile all programs anew."""
    digest = hashlib.sha256()
    for title, kind, flags, contents in _sections(path):
        if flags & LOADED and kind != NO_BYTES and title != b".note.gnu.build-id":
            digest.update(contents)
    return digest.hexdigest()
