# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what QEMU saw a program do (plugin.cpp) against the trace of that same run.

missed     an access by instrumented code, outside stacks and what code generation
           made, that is not in the trace
invented   an entry of the trace that no access of any code, no system call and no
           `may` explains
lost       a mark that is not in the trace, or an entry that has no mark: not the
           pass's affair, but the recorder's
"""

import argparse
import collections
import csv
import struct
import subprocess
import sys

READ, WRITE = 1, 2
KINDS = ((0, READ), (1, WRITE))
KIND_OF = {"read": READ, "written": WRITE, "accessed": READ | WRITE}

# Bits of a record's ways: that of reads; writes have the next (plugin.cpp, Way).
(INSTRUMENTED, STACK, CONSTANT, PLAIN, RUNTIME, KERNEL, MARK, MAY,
 STACK_POINTER, MASKED) = range(0, 20, 2)
ACCESSES = (INSTRUMENTED, STACK, CONSTANT, PLAIN, RUNTIME, KERNEL, MASKED)
WAYS = 20
RECORD = struct.Struct(f"<QI{WAYS}I4x")
GROUP = struct.Struct("<IIII")


class Seen:
    """What QEMU saw: `periods[period][tid][granule]` is (ways, codes)."""

    def __init__(self, path, shift):
        self.shift = shift
        self.periods = collections.defaultdict(dict)
        self.strangers = []  # codes of marks that the runtime's own threads made
        with open(path, "rb") as file:
            data = file.read()
        at = 0
        while at < len(data):
            period, tid, count, _ = GROUP.unpack_from(data, at)
            at += GROUP.size
            granules = self.periods[period].setdefault(tid, {})
            for fields in RECORD.iter_unpack(data[at:at + count * RECORD.size]):
                add(granules, fields[0], fields[1], fields[2:])
            at += count * RECORD.size
        self.codes, self.placed, self.maps = {}, [], []
        self.recordings = self.boundaries = self.stray = 0
        with open(path + ".codes", encoding="utf-8", errors="replace") as file:
            for line in file:
                word, rest = line.rstrip("\n").split(" ", 1)
                if word == "code":
                    index, pc, *text = rest.split(" ", 2)
                    self.codes[int(index)] = (int(pc, 16), text[0] if text else "")
                elif word == "placed":
                    begin, end, offset, name = rest.split(" ", 3)
                    self.placed.append((int(begin, 16), int(end, 16),
                                        int(offset, 16), name))
                elif word == "map":
                    begin, end, name = rest.split(" ", 2)
                    self.maps.append((int(begin, 16), int(end, 16), name))
                elif word == "recordings":
                    self.recordings = int(rest)
                elif word == "periods":
                    self.boundaries = int(rest)
                elif word == "stray":
                    self.stray = int(rest)
                elif word == "stranger":
                    self.strangers.append(int(rest))

    def of_process(self):
        """The same with all threads united under tid 0."""
        for period, threads in self.periods.items():
            united = {}
            for granules in threads.values():
                for granule, (ways, codes) in granules.items():
                    add(united, granule, ways, codes)
            self.periods[period] = {0: united}
        return self

    def module_of(self, pc):
        for begin, end, offset, name in self.placed:
            if begin <= pc < end:
                return name or "[anonymous]", pc - begin + offset
        return "[unknown]", pc

    def owner_of(self, granule):
        """What lies there at the program's end: later entries are surer."""
        address, owner = granule << self.shift, "memory unmapped since"
        for begin, end, name in self.maps:
            if begin <= address < end:
                owner = name.rsplit("/", 1)[-1] or "heap or other memory"
        return owner

    def name_of(self, way, code):
        """The module that an access came from."""
        if way & ~1 == KERNEL:
            return f"system call {code}"
        return self.module_of(self.codes[code][0])[0]


def add(granules, granule, ways, codes):
    """Adds a record. `codes` says for each way who was first."""
    before = granules.get(granule)
    if before:
        codes = tuple(old if before[0] >> i & 1 else new
                      for i, (old, new) in enumerate(zip(before[1], codes)))
        ways |= before[0]
    granules[granule] = (ways, codes)


class Rows:
    """A trace's rows: `periods[period][tid][granule]` is (certain, may)."""

    def __init__(self, lines, shift):
        self.periods = collections.defaultdict(dict)
        self.knows_kinds = True
        self.pid = None
        for row in csv.DictReader(lines):
            self.pid = int(row["pid"])
            state = row["state"]
            granules = self.periods[int(row["period"])].setdefault(
                int(row["tid"]), {})
            read, written = row["read"], row["written"]
            if not written:
                self.knows_kinds = False
            kinds = (READ if read in ("", "1") and (read or not written) else 0) \
                | (WRITE if written == "1" else 0)
            carried = "+carried" in state
            doubt = 0
            for word in filter(None, row["may"].split("+")):
                doubt |= KIND_OF[word]
            if carried and not doubt & WRITE:
                kinds &= ~WRITE
            granule = int(row["address"], 16) >> shift
            certain, may = granules.get(granule, (0, 0))
            # Under layout access nobody knows whether a carried granule was
            # accessed as well.
            if carried and not written:
                may |= kinds
            may |= kinds & doubt
            certain |= kinds
            if certain:
                granules[granule] = (certain, may)


class Report:
    """What one comparison found. An entry of a list: period, tid, granule, kind,
    way, code."""

    def __init__(self):
        self.entries = 0        # of the trace: granules by period, thread
        self.may = 0            # those of them that say may
        self.periods = 0
        self.missed, self.invented, self.lost = [], [], []
        self.stack = []         # instrumented code's accesses to stacks, no mark
        self.stack_all = 0      # with those that have one
        self.uncovered = []     # other code's and the kernel's, no mark
        self.problems = []      # why nothing can be compared


def kinds_of(layout):
    """The kinds that a layout tells: name, bits of Rows, offsets of ways."""
    if layout == "access":
        return (("accessed", READ | WRITE, (0, 1)),)
    if layout == "write":
        return (("written", WRITE, (1,)),)
    return (("read", READ, (0,)), ("written", WRITE, (1,)))


def any_of(ways, groups, offsets):
    """The first way of these that a record has, or None."""
    for group in groups:
        for offset in offsets:
            if ways >> (group + offset) & 1:
                return group + offset
    return None


def compare(seen, rows, layout, slack=0):
    """`slack`: by how many periods an access and its entry may be apart."""
    report = Report()
    report.periods = len(rows.periods)
    if seen.recordings != 1:
        report.problems.append(f"{seen.recordings} recordings began in the run")
    if seen.strangers:
        symbolize = Symbolizer(seen)
        report.problems.append("the runtime's own threads marked: " + "; ".join(
            map(symbolize, seen.strangers)))
    last = max(rows.periods, default=-1)
    if seen.boundaries != last + 1:
        # Periods in which nothing was touched have no rows.
        if seen.boundaries < last + 1:
            report.problems.append(f"the trace has {last + 1} periods; QEMU saw "
                                   f"{seen.boundaries} end")
    nothing = {}
    for period in range(seen.boundaries):
        tids = set(seen.periods.get(period, nothing)) | \
            set(rows.periods.get(period, nothing))
        near = [p for p in range(period - slack, period + slack + 1)
                if 0 <= p < seen.boundaries]
        for tid in tids:
            granules = seen.periods.get(period, nothing).get(tid, nothing)
            entries = rows.periods.get(period, nothing).get(tid, nothing)
            report.entries += len(entries)
            for granule, (ways, codes) in granules.items():
                def certain():
                    if not slack:
                        return entries.get(granule, (0, 0))[0]
                    bits = 0
                    for p in near:
                        bits |= rows.periods.get(p, nothing).get(
                            tid, nothing).get(granule, (0, 0))[0]
                    return bits
                look_at_record(report, period, tid, granule, ways, codes,
                               certain(), layout, slack)
            for granule, (bits, may) in entries.items():
                report.may += may != 0
                ways = codes = 0
                for p in near:
                    more = seen.periods.get(p, nothing).get(tid, nothing).get(
                        granule)
                    if more:
                        ways |= more[0]
                        if p == period or not codes:
                            codes = more[1]
                look_at_entry(report, period, tid, granule, ways, codes, bits,
                              may, layout)
    return report


def look_at_record(report, period, tid, granule, ways, codes, certain, layout,
                   slack):
    for name, bit, offsets in kinds_of(layout):
        if any_of(ways, (STACK,), offsets) is not None:
            report.stack_all += 1
        if certain & bit:
            continue
        way = any_of(ways, (INSTRUMENTED,), offsets)
        where = (period, tid, granule, name)
        if way is not None:
            report.missed.append((*where, way, codes[way]))
        marks = offsets if layout == "rw" else (0, 1)
        way = any_of(ways, (MARK,), marks)
        if way is not None:
            report.lost.append((*where, way, codes[way]))
        way = any_of(ways, (STACK_POINTER, STACK), offsets)
        if way is not None:
            report.stack.append((*where, way, codes[way]))
        way = any_of(ways, (PLAIN, KERNEL), offsets)
        if way is not None and any_of(ways, (INSTRUMENTED, STACK), offsets) is None:
            report.uncovered.append((*where, way, codes[way]))


def look_at_entry(report, period, tid, granule, ways, codes, bits, may, layout):
    for name, bit, offsets in kinds_of(layout):
        if not bits & bit:
            continue
        where = (period, tid, granule, name)
        marks = offsets if layout == "rw" else (0, 1)
        way = any_of(ways, (MARK,), marks)
        if (way is None and any_of(ways, (MAY,), marks) is None
                and not may & bit):
            report.lost.append((*where, MAY, None))
        if may & bit or any_of(ways, ACCESSES, offsets) is not None:
            continue
        report.invented.append((*where, MARK if way is None else way,
                                codes[way] if way is not None else None))


class Symbolizer:
    """Places in source of instructions."""

    def __init__(self, seen, tool="llvm-symbolizer-19"):
        self.seen, self.tool, self.known = seen, tool, {}

    def __call__(self, code):
        if code is None:
            return "nobody"
        if code not in self.known:
            pc, text = self.seen.codes[code]
            module, offset = self.seen.module_of(pc)
            place = module.rsplit("/", 1)[-1] + f"+0x{offset:x}"
            if module.startswith("/"):
                done = subprocess.run(
                    [self.tool, "--obj=" + module, "--output-style=GNU",
                     "-a", "-s", "--functions=short", "-p", hex(self.address(module, offset))],
                    capture_output=True, text=True, check=False)
                lines = done.stdout.strip().splitlines()
                if lines:
                    place += " " + " < ".join(l.split(": ", 1)[-1].strip()
                                              for l in lines)
            self.known[code] = f"{text}  [{place}]"
        return self.known[code]

    def address(self, module, offset):
        import elf_ranges
        for at, address, size in elf_ranges.Elf(module).segments:
            if at <= offset < at + size:
                return address + offset - at
        return offset


def show(entry, seen, symbolize):
    period, tid, granule, name, way, code = entry
    who = f"system call {code}" if way & ~1 == KERNEL else symbolize(code)
    return (f"period {period} thread {tid} 0x{granule << seen.shift:x} {name}: "
            f"{who}")


def by_code(entries):
    """Entries grouped by the instruction: (count, first entry), most first."""
    groups = {}
    for entry in entries:
        count, first = groups.get(entry[5], (0, entry))
        groups[entry[5]] = (count + 1, first)
    return sorted(groups.values(), key=lambda group: -group[0])


def export(pagetide, trace):
    done = subprocess.run([pagetide, "export", "--format", "csv", trace],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"export of {trace}: {done.stderr}")
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seen", required=True, help="what the plugin wrote")
    parser.add_argument("--rows", required=True, help="pagetide export's CSV")
    parser.add_argument("--layout", default="rw")
    parser.add_argument("--shift", type=int, default=12)
    parser.add_argument("--per-thread", action="store_true")
    parser.add_argument("--slack", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="also what is no fault: "
                        "stacks, and code that is not instrumented")
    args = parser.parse_args()
    seen = Seen(args.seen, args.shift)
    if not args.per_thread:
        seen.of_process()
    with open(args.rows, encoding="utf-8") as file:
        rows = Rows(file, args.shift)
    report = compare(seen, rows, args.layout, args.slack)
    symbolize = Symbolizer(seen)
    for what in ("missed", "invented", "lost", "stack", "uncovered")[
            :5 if args.all else 3]:
        entries = getattr(report, what)
        print(f"{what}: {len(entries)}")
        for count, first in by_code(entries)[:15]:
            print(f"  {count} x {show(first, seen, symbolize)}")
    for problem in report.problems:
        print("cannot compare:", problem)
    print(f"periods {report.periods}, entries {report.entries}, stack "
          f"{report.stack_all}, stray marks {seen.stray}")
    bad = report.missed or report.invented or report.lost or report.problems
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
