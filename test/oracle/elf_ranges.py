# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the oracle's plugin must know of an ELF file: which code is instrumented,
and which data code generation made.

The program must keep its assembler's labels (-Wa,-L, -Wl,--discard-none): constant
pools and jump tables are told by them.
"""

import struct

# Data of Pagetide's own that instrumented code reads (pagetide/abi.h): the byte
# that functions built on demand test, and the addresses among which are those of
# libc's functions.
OWN_DATA = ("__pagetide_marks_on", "__pagetide_named_functions")
# Code that the linker adds to a program from crt1.o and the like, and the
# constructor that the pass adds.
PLAIN_FUNCTIONS = {
    "_start", "_dl_relocate_static_pie", "deregister_tm_clones",
    "register_tm_clones", "__do_global_dtors_aux", "frame_dummy",
}
PLAIN_PREFIXES = ("pagetide.",)
# .LCPI: a constant pool; .LJTI: a jump table.
CONSTANT_LABELS = (".LCPI", ".LJTI")


class Elf:
    """The parts of a 64-bit little-endian ELF file that matter here."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is no 64-bit ELF file")
        (_, _, _, _, ph_at, sh_at, _, _, ph_size, ph_count, sh_size, sh_count,
         names) = struct.unpack_from("<HHIQQQIHHHHHH", self.data, 16)
        self.segments = []  # offset, address, bytes
        for i in range(ph_count):
            kind, _, offset, address, _, file_bytes, _, _ = struct.unpack_from(
                "<IIQQQQQQ", self.data, ph_at + i * ph_size)
            if kind == 1:  # PT_LOAD
                self.segments.append((offset, address, file_bytes))
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, sh_at + i * sh_size)
                   for i in range(sh_count)]
        self.sections = []  # name, type, flags, address, bytes
        for name, kind, flags, address, _, size, *_ in headers:
            self.sections.append((self.text(headers[names][4] + name), kind,
                                  flags, address, size))
        self.symbols = []  # name, type, section, address, bytes
        for wanted in (2, 11):  # SYMTAB, DYNSYM
            for header in headers:
                if header[1] != wanted:
                    continue
                names_at = headers[header[6]][4]
                for at in range(header[4], header[4] + header[5], 24):
                    name, info, _, section, address, size = struct.unpack_from(
                        "<IBBHQQ", self.data, at)
                    self.symbols.append((self.text(names_at + name), info & 15,
                                         section, address, size))

    def text(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode(errors="replace")

    def section_named(self, number):
        return self.sections[number] if number < len(self.sections) else None


def subtract(ranges, hole):
    """The ranges without [hole[0], hole[1])."""
    left = []
    for begin, end in ranges:
        if begin < min(end, hole[0]):
            left.append((begin, min(end, hole[0])))
        if max(begin, hole[1]) < end:
            left.append((max(begin, hole[1]), end))
    return left


def code_and_constants(elf, plain=()):
    """Ranges of instrumented code, and of what code generation made. `plain`:
    further functions that were not instrumented, by name."""
    code = [(address, address + size)
            for name, _, flags, address, size in elf.sections
            if flags & 4 and size and (name == ".text" or name.startswith(".text."))]
    constants = [(address, address + size)
                 for name, _, _, address, size in elf.sections
                 if name in (".got", ".got.plt") and size]
    by_section = {}
    for name, _, section, address, size in elf.symbols:
        by_section.setdefault(section, set()).add(address)
    starts = {section: sorted(addresses)
              for section, addresses in by_section.items()}

    def end_of(section, address, size):
        if size:
            return address + size
        for start in starts[section]:  # up to the next symbol
            if start > address:
                return start
        holder = elf.section_named(section)
        return holder[3] + holder[4]

    seen_labels = False
    for name, _, section, address, size in elf.symbols:
        if not 0 < section < 0xff00:
            continue
        if (name in PLAIN_FUNCTIONS or name in plain or
                name.startswith(PLAIN_PREFIXES)):
            code = subtract(code, (address, end_of(section, address, size)))
        elif name in OWN_DATA:
            constants.append((address, address + size))
        elif name.startswith(CONSTANT_LABELS):
            seen_labels = True
            constants.append((address, end_of(section, address, size)))
        elif name.startswith(".L"):
            seen_labels = True
    if not seen_labels:
        raise ValueError("the program has no assembler labels: build it with "
                         "-Wa,-L and link it with -Wl,--discard-none")
    return code, constants


def describe(path, instrumented, plain=()):
    """Lines for the plugin."""
    elf = Elf(path)
    lines = [f"module {path}"]
    lines += [f"segment {offset:x} {address:x} {size:x}"
              for offset, address, size in elf.segments]
    if instrumented:
        code, constants = code_and_constants(elf, plain)
        lines += [f"code {begin:x} {end:x}" for begin, end in code]
        lines += [f"constant {begin:x} {end:x}" for begin, end in constants]
    else:  # the runtime
        lines += sorted({f"constant {address:x} {address + size:x}"
                         for name, _, section, address, size in elf.symbols
                         if name in OWN_DATA and section})
    for name, _, section, address, _ in elf.symbols:
        if name == "__pagetide_boundaries" and section:
            lines.append(f"boundaries {address:x}")
            break
    return "\n".join(lines) + "\n"
