# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many bytes of code an executable has."""

import struct

SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
EXECUTABLE = 4  # SHF_EXECINSTR


def code_bytes(path):
    """The sizes of a 64-bit ELF file's sections of code, added up."""
    with open(path, "rb") as file:
        elf = file.read()
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("%s is no 64-bit little-endian ELF file" % path)
    (offset,) = struct.unpack_from("<Q", elf, 40)
    entry_bytes, count = struct.unpack_from("<HH", elf, 58)
    total = 0
    for index in range(count):
        section = SECTION_HEADER.unpack_from(elf, offset + index * entry_bytes)
        flags, size = section[2], section[5]
        if flags & EXECUTABLE:
            total += size
    return total
