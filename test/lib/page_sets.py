# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Page sets that a program states of itself, and their comparison with the rows
that `pagetide export --format csv` prints.

Nothing here knows how Pagetide works; it knows the CSV's columns and the
contract's rules.
"""

import bisect
import collections
import struct

CSV_HEADER = (
    "period,start_ns,end_ns,pid,tid,address,read,written,checksum,state,may"
).split(",")

STATES = {"stable", "unstable", "gone", "unreadable", "none"}
SUFFIXES = {"carried", "may", "maybe"}
MAY = {"read", "written", "accessed"}

# `count` rows of granules one after the other, from `address` on, that differ in
# nothing else: there may be millions of rows, and a few hundred of these.
Run = collections.namedtuple(
    "Run",
    "period start end pid tid address read written checksum state suffixes may "
    "count",
)


class BadExport(Exception):
    """The CSV breaks its own rules, whatever the program did."""


def read_rows(lines, granule):
    """The rows of a CSV export as runs, checked for form."""
    lines = iter(lines)
    header = next(lines, "").rstrip("\n").split(",")
    if header != CSV_HEADER:
        raise BadExport(f"header is {header}, not {CSV_HEADER}")
    runs = []
    times = {}  # (pid, period) -> (start, end)
    number = 2
    line = next(lines, None)
    while line is not None:
        run = read_row(line, f"line {number} of the export: {line.rstrip()}",
                       granule)
        span = times.setdefault((run.pid, run.period), (run.start, run.end))
        if span != (run.start, run.end) or run.start > run.end:
            raise BadExport(f"line {number} of the export: {line.rstrip()}: "
                            "times disagree")
        # The lines that are the same but for the next address.
        before, _, rest = line.partition(",0x")
        after = "," + rest.partition(",")[2]
        address = run.address + granule
        for line in lines:
            if line != f"{before},{address:#x}{after}":
                break
            address += granule
        else:
            line = None
        run = run._replace(count=(address - run.address) // granule)
        number += run.count
        runs.append(run)
    check_no_row_twice(runs, granule)
    for (pid, period), (start, _) in times.items():
        before = times.get((pid, period - 1))
        if before and before[1] > start:
            raise BadExport(f"pid {pid}: period {period} starts at {start}, "
                            f"before period {period - 1} ends at {before[1]}")
    return runs


def read_row(line, where, granule):
    """One line of a CSV export as a run of one."""
    fields = line.rstrip("\n").split(",")
    if len(fields) != len(CSV_HEADER):
        raise BadExport(f"{where}: {len(fields)} fields")
    if not fields[5].startswith("0x"):
        raise BadExport(f"{where}: address without 0x")
    if fields[6] not in ("", "0", "1") or fields[7] not in ("", "0", "1"):
        raise BadExport(f"{where}: read and written are 0, 1 or empty")
    state, *suffixes = fields[9].split("+")
    if state not in STATES or not set(suffixes) <= SUFFIXES:
        raise BadExport(f"{where}: unknown state")
    may = frozenset(fields[10].split("+")) - {""}
    if not may <= MAY or bool(may) != bool({"may", "maybe"} & set(suffixes)):
        raise BadExport(f"{where}: the last field says what the suffix is about")
    if (state == "stable") != (fields[8] != ""):
        raise BadExport(f"{where}: a checksum stands where, and only where, the "
                        "state is stable")
    run = Run(
        period=int(fields[0]),
        start=int(fields[1]),
        end=int(fields[2]),
        pid=int(fields[3]),
        tid=int(fields[4]),
        address=int(fields[5], 16),
        read=fields[6],
        written=fields[7],
        checksum=int(fields[8], 16) if fields[8] else None,
        state=state,
        suffixes=frozenset(suffixes),
        may=may,
        count=1,
    )
    if run.address % granule:
        raise BadExport(f"{where}: address is no multiple of {granule}")
    return run


def check_no_row_twice(runs, granule):
    ends = {}  # (pid, period, tid) -> the end of the run before
    for pid, period, tid, address, count in sorted(
            (run.pid, run.period, run.tid, run.address, run.count)
            for run in runs):
        if address < ends.get((pid, period, tid), 0):
            raise BadExport("second row for " + describe(
                (pid, period, tid), address, "there is one already"))
        ends[pid, period, tid] = address + count * granule


def single_rows(runs, granule):
    """The same as runs of one each."""
    return [run._replace(address=run.address + i * granule, count=1)
            for run in runs for i in range(run.count)]


def row_count(runs):
    return sum(run.count for run in runs)


def certain(rows):
    """What the accesses of that very period explain: carried writes left out."""
    kept = []
    for row in rows:
        if "carried" in row.suffixes:
            if row.read != "1" and not row.may:
                continue
            row = row._replace(suffixes=row.suffixes - {"carried"})
            if not row.may & {"written", "accessed"}:
                row = row._replace(written="0")
        kept.append(row)
    return kept


class Truth:
    """What a program said that it did, in granules."""

    def __init__(self, granule):
        self.granule = granule
        # (pid, period, tid) -> [(first granule's index, last one's, letters of
        # "r", "w", "mr", "mw")], in the order of the statements.
        self.accesses = collections.defaultdict(list)
        # The same, of what precision near may list as may without an access
        # there or beside it: letters of "r", "w".
        self.near_may = collections.defaultdict(list)
        # (pid, period, address) -> (state, checksum or None)
        self.checksums = {}

    def add(self, pid, period, tid, address, size, what):
        letters = {"r"} if what == "r" else {"w"} if what == "w" else \
            {"r", "w"} if what == "rw" else {what}
        assert letters <= {"r", "w", "mr", "mw"}, what
        self.add_pages(self.accesses[pid, period, tid], address, size, letters)

    def add_pages(self, ranges, address, size, letters):
        ranges.append((address // self.granule,
                       (address + size - 1) // self.granule, letters))

    def read(self, lines):
        for line in lines:
            fields = line.split()
            if fields[0] == "access":
                self.add(int(fields[1]), int(fields[2]), int(fields[3]),
                         int(fields[4], 16), int(fields[5]), fields[6])
            elif fields[0] == "near-may":
                self.add_pages(
                    self.near_may[tuple(int(field) for field in fields[1:4])],
                    int(fields[4], 16), int(fields[5]), set(fields[6]))
            elif fields[0] == "checksum":
                key = int(fields[1]), int(fields[2]), int(fields[3], 16)
                value = int(fields[5], 16) if len(fields) > 5 else None
                self.checksums[key] = fields[4], value
            else:
                raise ValueError(f"no such statement: {line!r}")
        return self

    def for_process(self):
        """The same by process: the union over its threads, under tid 0."""
        merged = Truth(self.granule)
        merged.checksums = self.checksums
        for mine, theirs in ((self.accesses, merged.accesses),
                             (self.near_may, merged.near_may)):
            for (pid, period, _), ranges in mine.items():
                theirs[pid, period, 0] += ranges
        return merged

    def wanted_runs(self, key, layout):
        """[(address, end, columns)] in ascending order: the rows that there must
        be for (pid, period, tid)."""
        starts, ends = collections.defaultdict(list), collections.defaultdict(list)
        for first, last, letters in self.accesses[key]:
            starts[first].append(letters)
            ends[last + 1].append(letters)
        running = collections.Counter()
        runs, before = [], None
        for index in sorted(starts.keys() | ends.keys()):
            columns = expected_columns(running.keys(), layout) if running else None
            if columns:
                add_run(runs, before * self.granule, index * self.granule, columns)
            for letters in starts.get(index, ()):
                running.update(letters)
            for letters in ends.get(index, ()):
                running.subtract(letters)
            running = +running  # without the letters that no range has now
            before = index
        return runs

    def wanted(self, layout):
        """(key, address) -> columns: the rows that there must be, one by one."""
        return {
            (key, address): columns
            for key in self.accesses
            for start, end, columns in self.wanted_runs(key, layout)
            for address in range(start, end, self.granule)
        }

    def page_count(self):
        """Stated granules, whether or not the layout has rows for them."""
        return sum(end - start for key in self.accesses
                   for start, end, _ in self.wanted_runs(key, "access")) \
            // self.granule

    def near_may_of(self, key, address):
        """The letters that are stated of that granule, in near_may."""
        index = address // self.granule
        return set().union(*(letters for first, last, letters
                             in self.near_may.get(key, ())
                             if first <= index <= last))


def add_run(runs, start, end, columns):
    """Appends to [(start, end, columns)], or lengthens the last one."""
    if runs and runs[-1][1:] == (start, columns):
        start = runs.pop()[0]
    runs.append((start, end, columns))


def expected_columns(letters, layout):
    """(read, written, which of them are only possible) of a row, or None for no
    row."""
    letters = set(letters)
    reads = bool(letters & {"r", "mr"})
    writes = bool(letters & {"w", "mw"})
    may_read = {"read"} if "mr" in letters and "r" not in letters else set()
    may_write = {"written"} if "mw" in letters and "w" not in letters else set()
    if layout == "access":
        return "", "", set() if letters & {"r", "w"} else {"accessed"}
    if layout == "write":
        return ("", "1", may_write) if writes else None
    return str(int(reads)), str(int(writes)), may_read | may_write


def describe(key, address, rest):
    pid, period, tid = key
    return f"pid {pid} period {period} tid {tid} page {address:#x}: {rest}"


def are_equal(truth, rows, layout):
    """Whether the runs are those that there must be, without a checksum: looks at
    no single row. What is in the way of that is for compare_exact to say."""
    found = collections.defaultdict(list)
    for row in sorted(rows, key=lambda row: row.address):
        if row.state != "none" or "maybe" in row.suffixes:
            return False
        add_run(found[row.pid, row.period, row.tid], row.address,
                row.address + row.count * truth.granule,
                (row.read, row.written, row.may))
    wanted = {key: truth.wanted_runs(key, layout) for key in truth.accesses}
    return found == {key: runs for key, runs in wanted.items() if runs}


def compare_exact(truth, rows, layout, with_checksums=False):
    """Differences between statements and rows, in words; none if equal."""
    rows = certain(rows)
    if not with_checksums and are_equal(truth, rows, layout):
        return []
    found = {}
    differences = []
    for row in single_rows(rows, truth.granule):
        found[(row.pid, row.period, row.tid), row.address] = row
    wanted = truth.wanted(layout)

    for key, address in sorted(wanted.keys() - found.keys()):
        read, written, may = wanted[key, address]
        differences.append("missing   " + describe(
            key, address, f"read={read} written={written}"
            + (" may be " + " ".join(sorted(may)) if may else "")))
    for key, address in sorted(found.keys() - wanted.keys()):
        row = found[key, address]
        differences.append("invented  " + describe(
            key, address, f"read={row.read} written={row.written} "
            + "+".join([row.state, *sorted(row.suffixes)])))
    for key, address in sorted(found.keys() & wanted.keys()):
        row = found[key, address]
        got = row.read, row.written, row.may
        if got != wanted[key, address] or "maybe" in row.suffixes:
            differences.append("different " + describe(
                key, address, "got read=%s written=%s may=%s" % got
                + ", expected read=%s written=%s may=%s" % wanted[key, address]))
        checksum_key = key[0], key[1], address
        state = truth.checksums.get(checksum_key, ("none", None))
        if not with_checksums:
            state = ("none", None)
        if state[0] != row.state or state[1] not in (None, row.checksum):
            differences.append("checksum  " + describe(
                key, address, f"got {row.state} {hexadecimal(row.checksum)}, "
                f"expected {state[0]} {hexadecimal(state[1])}"))
    return differences


def compare_near(truth, rows, layout):
    """The same for precision near. Nothing may be missing. A certain row must be
    right. An uncertain row must have an access in it or beside it, or be stated
    as uncertain."""
    rows = {((row.pid, row.period, row.tid), row.address): row
            for row in single_rows(certain(rows), truth.granule)}
    wanted = {place: columns[:2]
              for place, columns in truth.wanted(layout).items()}

    def within(columns, others):
        return all(column != "1" or other == "1"
                   for column, other in zip(columns, others))

    differences = []
    for key, address in sorted(wanted):
        row = rows.get((key, address))
        if not row or not within(wanted[key, address], (row.read, row.written)):
            differences.append("missing   " + describe(
                key, address, "read=%s written=%s" % wanted[key, address]))
    for (key, address), row in sorted(rows.items()):
        # What is certain is explained by this place alone, and what may be by
        # the ones beside it too; one may explain the read, another the write.
        beside = [address - truth.granule, address + truth.granule]

        stated = truth.near_may_of(key, address)

        def known(in_doubt):
            places = [address, *beside] if in_doubt else [address]
            return [wanted[key, place] for place in places
                    if (key, place) in wanted]

        explained = layout != "access" or bool(
            known("accessed" in row.may) or "accessed" in row.may and stated)
        for i, kind in enumerate(("read", "written")):
            if kind in row.may and kind[0] in stated:
                continue
            if (row.read, row.written)[i] == "1" and not any(
                    columns[i] == "1" for columns in known(kind in row.may)):
                explained = False
        if not explained:
            differences.append("invented  " + describe(
                key, address, f"read={row.read} written={row.written} "
                + "+".join([row.state, *sorted(row.suffixes)])
                + (" may: " + "+".join(sorted(row.may)) if row.may else "")))
    return differences


def hexadecimal(value):
    return "-" if value is None else f"{value:#x}"


def compare_carried(rows, granule):
    """Carried pages that were neither written nor carried just before."""
    if not any("carried" in row.suffixes for row in rows):
        return []
    rows = single_rows(rows, granule)
    written = {(row.pid, row.tid, row.address, row.period) for row in rows
               if row.written != "0"}
    return [
        "carried   " + describe((row.pid, row.period, row.tid), row.address,
                                "not written in the period before")
        for row in rows if "carried" in row.suffixes
        and (row.pid, row.tid, row.address, row.period - 1) not in written
    ]


def list_carried(rows, granule):
    """All carried pages, if none is allowed."""
    return [
        "carried   " + describe((row.pid, row.period, row.tid), row.address,
                                "though its thread was quiescent")
        for row in single_rows(
            [row for row in rows if "carried" in row.suffixes], granule)
    ]


# Accesses with the times around them, for periods that the clock ends.

STAMP = struct.Struct("<QQQIIII")  # known_times.h, struct stamp

Stamp = collections.namedtuple("Stamp",
                               "address before after bytes pid tid written")


def read_stamps(data):
    stamps = [Stamp._make(fields[:7]) for fields in STAMP.iter_unpack(data)]
    return [stamp for stamp in stamps if stamp.before]  # filled ones


class WindowFinder:
    """From times to periods, as far as the rows of one process tell."""

    def __init__(self, rows):
        self.spans = sorted({(row.start, row.end, row.period) for row in rows})
        self.starts = [span[0] for span in self.spans]
        self.ends = [span[1] for span in self.spans]

    def window(self, before, after):
        """The periods that a mark made between the two times may belong to: its
        own, or the one before, whose collection takes some time after its end.
        If no row names the period of a time, the nearest known ones limit
        it."""
        low = bisect.bisect_right(self.starts, before) - 1
        high = bisect.bisect_left(self.ends, after)
        return (
            self.spans[low][2] - 1 if low >= 0 else 0,
            self.spans[high][2] if high < len(self.spans) else 1 << 62,
        )


def directions(row, layout):
    """The accesses that a row stands for: "r", "w", or "a" if not known."""
    if layout == "access":
        return ["a"]
    return [name for name, column in (("r", row.read), ("w", row.written))
            if column == "1"]


def after_watching(stamps, rows, granule):
    """The rows without those of what the program did before it watched its first
    arena: where the clock ends periods, one may end before that, and lists the
    program's own memory by right. Such a row lies in a period that ended before the
    first stamp, and outside the stamped memory."""
    first = min(stamp.before for stamp in stamps)
    low = min(stamp.address for stamp in stamps) // granule * granule
    high = max(stamp.address + stamp.bytes for stamp in stamps)
    return [row for row in rows
            if row.end > first or low <= row.address < high]


def between(stamps, rows, granule):
    """The rows of the memory from the lowest stamped address to the highest."""
    low = min(stamp.address for stamp in stamps) // granule * granule
    high = max(stamp.address + stamp.bytes for stamp in stamps)
    return [row for row in single_rows(rows, granule) if low <= row.address < high]


def compare_timed(stamps, rows, layout, granule, near=False):
    """Differences between stamped accesses and the rows of timed periods: each
    access has a row in its period or the one before, and each row an access of its
    own that explains it (one that is marked at both ends explains two); under
    precision near a row that is not certain has one in its page or beside it, which
    may explain others too. Also the share of the
    accesses that need a row to themselves, being far from every other access of
    their page: 0 to 1. There must be stamps."""
    rows = after_watching(stamps, single_rows(rows, granule), granule)
    by_process = collections.defaultdict(list)
    reported = collections.defaultdict(list)  # page -> periods
    doubtful = set()  # (page, period)
    names = {"r": "read", "w": "written", "a": "accessed"}
    for row in certain(rows):
        by_process[row.pid].append(row)
        for direction in directions(row, layout):
            page = row.pid, row.tid, row.address, direction
            reported[page].append(row.period)
            if near and names[direction] in row.may:
                doubtful.add((page, row.period))
    finders = {pid: WindowFinder(some) for pid, some in by_process.items()}

    done = collections.defaultdict(list)  # page -> windows
    differences = []
    for stamp in stamps:
        if layout == "write" and not stamp.written:
            continue
        if stamp.pid not in finders:
            return [f"missing   all rows of pid {stamp.pid}"], 0
        low, high = finders[stamp.pid].window(stamp.before, stamp.after)
        direction = "a" if layout == "access" else "w" if stamp.written else "r"
        first = stamp.address // granule
        last = (stamp.address + stamp.bytes - 1) // granule
        for index in range(first, last + 1):
            done[stamp.pid, stamp.tid, index * granule, direction].append(
                (low, high, stamp))

    def explains_doubt(page, period):
        pid, tid, address, direction = page
        return any(low <= period <= high
                   for place in (address - granule, address, address + granule)
                   for low, high, _ in done.get((pid, tid, place, direction), []))

    alone = total = 0
    for key in sorted(done.keys() | reported.keys()):
        name = "pid %d tid %d page %#x %s" % key
        periods = sorted(reported.get(key, []))
        windows = sorted(done.get(key, []), key=lambda window: window[:2])
        total += len(windows)
        alone += sum(
            (i == 0 or windows[i - 1][1] < windows[i][0])
            and (i + 1 == len(windows) or windows[i][1] < windows[i + 1][0])
            for i in range(len(windows)))
        for low, high, stamp in windows:
            if not any(low <= period <= high for period in periods):
                differences.append(
                    f"missing   {name} at {stamp.before}..{stamp.after}: not in "
                    f"periods {low}..{high}, only in {periods}")
        # One access has one mark, in one period. In ascending order the fitting
        # access that expires first is the right one to use up.
        for period in periods:
            if (key, period) in doubtful:
                if not explains_doubt(key, period):
                    differences.append(f"invented  {name} in period {period}: no "
                                       "access there or beside it explains it")
                continue
            fitting = [w for w in windows if w[0] <= period <= w[1]]
            if fitting:
                windows.remove(min(fitting, key=lambda window: window[1]))
            elif not any(low <= period <= high and stamp.written == 2
                         for low, high, stamp in done.get(key, [])):
                differences.append(f"invented  {name} in period {period}: no "
                                   "access is left that explains it")
    return differences, alone / max(total, 1)
