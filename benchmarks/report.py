# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables from the records of a run: Markdown that reads well in a terminal."""

import statistics

from programs import PROGRAMS
from tables import NOTHING, geomean, head, list_part, spread, table
from variants import BUILDS, CHOSEN, GROUPS, NATIVE, VARIANTS, base_of

class Measurements:
    """The records, by what they say."""

    def __init__(self, records):
        self.session = records[0]
        self.pairs = {}
        self.builds = {}  # by recipe and way
        self.unbuilt = {}  # why, by program and variant
        self.failures = {}  # what failed, by program
        for record in records:
            key = record.get("program"), record.get("variant")
            match record["record"]:
                case "pair":
                    self.pairs.setdefault(key, []).append(record)
                case "unbuilt":
                    self.unbuilt[key] = record
                case "build":
                    self.builds[record["recipe"], record["build"]] = record
                case "failure":
                    self.failures[record["program"]] = record["what"]

    def groups(self):
        """Those that were measured."""
        known = GROUPS | {CHOSEN.name: CHOSEN}
        return [
            known[name]._replace(variants=tuple(facts["variants"]))
            for name, facts in self.session["groups"].items()
            if name in known
        ]

    def _measured(self):
        return [*self.pairs, *self.unbuilt]

    def programs(self, *kinds):
        measured = {program for program, _ in self._measured()}
        measured |= set(self.failures)
        return [
            p.name
            for p in PROGRAMS.values()
            if p.name in measured and p.kind in kinds
        ]

    def variants(self, group, *kinds):
        """Those of the group that programs of these kinds were run as."""
        measured = {
            variant
            for program, variant in self._measured()
            if PROGRAMS[program].kind in kinds
        }
        return [
            VARIANTS[name]
            for name in group.variants
            if name in measured and name in VARIANTS
        ]

    def voids(self, group):
        """What is void, a record each."""
        everything = [
            *(p for pairs in self.pairs.values() for p in pairs),
            *self.unbuilt.values(),
        ]
        return [
            r
            for r in everything
            if r["void"] and r["variant"] in group.variants
        ]

    def faults(self):
        """What is wrong with us: another tool may fail."""
        return [*self.failures.values()] + [
            void
            for group in self.groups()
            for void in self.voids(group)
            if not VARIANTS[void["variant"]].other
        ]

    def bases(self, program, group, quantity):
        """What those runs took that the group's were compared with."""
        return [
            pair["base"][quantity]
            for (name, variant), pairs in self.pairs.items()
            for pair in pairs
            if name == program
            and variant in group.variants
            and pair["base"]
            and not pair["void"]
        ]

    def valid(self, program, variant):
        """The pairs, or None if there is none or any of them is void."""
        pairs = self.pairs.get((program, variant.name))
        if program in self.failures or not pairs:
            return None
        if any(pair["void"] for pair in pairs):
            return None
        return pairs

    def ratios(self, program, variant, quantity):
        pairs = self.valid(program, variant)
        if pairs is None or not all(p["base"][quantity] for p in pairs):
            return None
        return [p["measured"][quantity] / p["base"][quantity] for p in pairs]

    def ratio(self, program, variant, quantity):
        """The median of the ratios, or None."""
        ratios = self.ratios(program, variant, quantity)
        return statistics.median(ratios) if ratios else None

    def too_long(self, program, variant):
        """True if it was ended because it took too long."""
        records = self.pairs.get((program, variant.name), [])
        return any(r["void"] and r.get("too_long") for r in records)


def _ratio_cell(m, program, variant, quantity):
    ratios = m.ratios(program, variant, quantity)
    if ratios is None:
        return (
            "> %d" % variant.limit if m.too_long(program, variant) else "void"
        )
    return spread(ratios, "%.2f") if len(ratios) > 1 else "%.2f" % ratios[0]


KINDS = (
    ("kernels", ("kernel",)),
    ("real programs", ("real",)),
    ("all", ("kernel", "real")),
)


def _geomean_rows(m, variants, value):
    """A row for the kernels, one for the real programs, one for all. A program
    that is missing or void leaves no geomean: the rest is another suite. So
    where some are, further rows say what holds for the others."""
    rows, others = [], []
    for title, kinds in KINDS:
        names = m.programs(*kinds)
        if not names or (title == "all" and len(rows) < 2):
            continue
        columns = [[value(name, v) for name in names] for v in variants]
        rows.append(_geomean_row(title, columns))
        whole = [
            [column[i] for column in columns]
            for i in range(len(names))
            if all(column[i] is not None for column in columns)
        ]
        if 0 < len(whole) < len(names):
            title += " that no column is void for"
            others.append(_geomean_row(title, list(zip(*whole))))
    return [*rows, *others]


def _geomean_row(title, columns):
    cells = [
        NOTHING if None in column else "%.3f" % geomean(column)
        for column in columns
    ]
    count = len(columns[0]) if columns else 0
    return "geomean, %s (%d)" % (title, count), cells


def ratio_table(m, group, quantity):
    """Each program's time, and the median ratio of each variant."""
    variants = m.variants(group, "kernel", "real")
    rows = []
    for program in m.programs("kernel", "real"):
        base = m.bases(program, group, quantity)
        cells = ["%.3f" % statistics.median(base) if base else NOTHING]
        cells += [_ratio_cell(m, program, v, quantity) for v in variants]
        rows.append([program, *cells])
    for title, cells in _geomean_rows(
        m, variants, lambda program, v: m.ratio(program, v, quantity)
    ):
        rows.append([title, NOTHING, *cells])
    header = ["program", "%s s" % _base(variants), *(v.name for v in variants)]
    return table(header, rows)


def _base(variants):
    """What the variants are compared with, in a word."""
    names = {v.against for v in variants}
    return names.pop() if len(names) == 1 else "base"


def start_table(m, group):
    """Milliseconds that starting and ending takes more than native."""
    rows = []
    for program in m.programs("start"):
        native = m.bases(program, group, "wall_s")
        middle = NOTHING
        if native:
            middle = "%.2f" % (statistics.median(native) * 1e3)
        rows.append(["native", middle, NOTHING, NOTHING])
        for variant in m.variants(group, "start"):
            pairs = m.valid(program, variant)
            cells = ["void"] * 3
            if pairs:
                total = statistics.median(p["measured"]["wall_s"] for p in pairs)
                cells = ["%.2f" % (total * 1e3), _ms_over(pairs, "wall_s"),
                         _ms_over(pairs, "cpu_s")]
            rows.append([variant.name, *cells])
    header = ["", "wall ms", "wall ms over native", "cpu ms over native"]
    return table(header, rows)


def _ms_over(pairs, quantity):
    values = [(p["measured"][quantity] - p["base"][quantity]) * 1e3
              for p in pairs]
    if len(values) < 4:
        return "%.2f" % statistics.median(values)
    low, middle, high = statistics.quantiles(values, n=4)
    return "%.2f (%.2f..%.2f)" % (middle, low, high)


def memory_table(m, group):
    """Peak resident memory, in MiB."""
    kinds = "kernel", "real"
    variants = [v for v in m.variants(group, *kinds) if v.name != "control"]

    def cell(peaks, without):
        return "%.1f" % (max(peaks) / 1024) if peaks else without

    def peaks(program, variant):
        pairs = m.valid(program, variant) or []
        return [p["measured"]["peak_kib"] for p in pairs]

    rows = [
        [program, cell(m.bases(program, group, "peak_kib"), NOTHING),
         *(cell(peaks(program, v), "void") for v in variants)]
        for program in m.programs(*kinds)
    ]
    header = ["program", _base(variants), *(v.name for v in variants)]
    return table(header, rows)


def build_table(m, group):
    """Code size and compile time over those of what they are compared with."""
    variants = [
        v
        for v in m.variants(group, "kernel", "real")
        if v.build != base_of(v).build
    ]
    if not variants:
        return None
    base = VARIANTS.get(_base(variants), NATIVE).build
    builds = list(dict.fromkeys(v.build for v in variants))
    names = [PROGRAMS[p].recipe.name for p in m.programs("kernel", "real")]
    recipes = [r for r in dict.fromkeys(names) if (r, base) in m.builds]

    def ratio(recipe, build, quantity):
        record = m.builds.get((recipe, build))
        reference = m.builds[recipe, base][quantity]
        return record[quantity] / reference if record and reference else None

    def cell(values):
        return "%.2f" % geomean(values) if values and all(values) else NOTHING

    # A runtime that is part of the program would be counted as its code.
    columns = [
        (b, "code_bytes") for b in builds if not BUILDS[b].holds_runtime
    ] + [(b, "compile_s") for b in builds]
    rows = []
    for recipe in recipes:
        record = m.builds[recipe, base]
        rows.append([
            recipe,
            "%.1f" % (record["code_bytes"] / 1024),
            "%.2f" % record["compile_s"],
            *(cell([ratio(recipe, *column)]) for column in columns),
        ])
    means = ["geomean", NOTHING, NOTHING,
             *(cell([ratio(recipe, *column) for recipe in recipes])
               for column in columns)]
    words = {"code_bytes": "code", "compile_s": "compile"}
    header = ["program", "code KiB", "compile s"]
    header += ["%s %s" % (words[q], b) for b, q in columns]
    return table(header, [*rows, means]) if rows else None


def trace_table(m, group):
    """What the recorder made of it."""
    rows = []
    for program in m.programs("kernel", "real"):
        for variant in m.variants(group, "kernel", "real"):
            pairs = m.valid(program, variant) if variant.period else None
            if not pairs:
                continue
            traces = [p["measured"]["trace"] for p in pairs]

            def middle(name):
                return statistics.median(trace[name] for trace in traces)

            periods = middle("periods")
            rows.append([
                "%s %s" % (program, variant.name),
                "%d" % periods,
                "%d" % middle("overruns"),
                "%.2f" % (1e3 * middle("duration_s") / max(periods, 1)),
                "%d" % middle("accessed_median"),
                "%d" % middle("accessed_sum"),
                _pause(traces),
                "%.1f" % (middle("bytes") / 1024),
            ])
    header = ["run", "periods", "overruns", "ms a period", "pages", "rows",
              "pause us", "trace KiB"]
    return table(header, rows) if rows else None


def _pause(traces):
    """For how long all threads stood: the median, and the most of all."""
    told = [p for p in (trace.get("pause_ns") for trace in traces) if p]
    if not told:
        return NOTHING
    return "%d (%d)" % (statistics.median(p["median"] for p in told) / 1e3,
                        max(p["max"] for p in told) / 1e3)


def maybe_table(m, group):
    """What precision near left in doubt, of the very runs that were measured."""
    variants = [
        v
        for v in m.variants(group, "kernel", "real")
        if v.period and not v.engine
    ]
    rows, shares = [], {}
    for program in m.programs("kernel", "real"):
        for variant in variants:
            pairs = m.valid(program, variant) or []
            traces = [p["measured"]["trace"] for p in pairs]
            if not traces or any(t.get("precision") != "near" for t in traces):
                continue

            def share_of(kind):
                sums = [t["of_" + kind] for t in traces if "of_" + kind in t]
                return statistics.median(
                    may / max(sure + may, 1) for sure, may in sums
                ) if sums else None

            counts = [t["of_accessed"] for t in traces]
            rows.append([
                "%s %s" % (program, variant.name),
                "%d" % statistics.median(map(sum, counts)),
                "%d" % statistics.median(may for _, may in counts),
                *(_share(share_of(kind))
                  for kind in ("accessed", "read", "written")),
            ])
            if PROGRAMS[program].kind == "real":
                shares.setdefault(variant.name, []).append(share_of("accessed"))
    for name, values in shares.items():
        for word, of in (("median", statistics.median), ("worst", max)):
            rows.append(["%s of real programs %s" % (word, name), NOTHING,
                         NOTHING, _share(of(values)), NOTHING, NOTHING])
    header = ["run", "rows", "of them may", "share", "of reads", "of writes"]
    return table(header, rows) if rows else None


def _share(value):
    return NOTHING if value is None else "%.3f%%" % (100 * value)


def _void_words(record):
    words = " ".join(record["void"].split())
    said = " ".join((record.get("said") or "").split())
    if said and said not in words:
        words += "; it said: %s" % said
    if len(words) > 300:
        words = words[:297] + "..."
    return "%s, %s: %s" % (record["program"], record["variant"], words)


def _void_parts(m, group):
    return list_part("Void", map(_void_words, m.voids(group))) + list_part(
        "Failed", ["%s: %s" % item for item in m.failures.items()])


def _parts_of(m, group):
    """The group, or its parts where a table would be too wide: each with what
    is to be added to a title."""
    parts = [
        group._replace(title=": " + title, variants=names)
        for title, names in group.parts
    ] or [group._replace(title="")]
    return [p for p in parts if m.variants(p, "kernel", "real")]


def _if_any(title, text):
    return ["### " + title, text] if text else []


def group_parts(m, group):
    """The tables of a group, each below its title."""
    ran = m.variants(group, "kernel", "real")
    rounds = m.session["groups"][group.name]["rounds"]
    parts = [head(m.session, rounds)]
    over = _base(ran) if ran else NATIVE.name
    for words, quantity in (
        ("User and system time", "cpu_s"),
        ("Wall time", "wall_s"),
    ):
        for part in _parts_of(m, group):
            parts += [
                "### %s, over %s%s" % (words, over, part.title),
                ratio_table(m, part, quantity),
            ]
    if any(v.name in group.variants for v in m.variants(group, "start")):
        parts += [
            "### Start and end of an empty program",
            start_table(m, group),
        ]
    parts += _if_any("Code size and compile time, over " + over,
                     build_table(m, group))
    for part in _parts_of(m, group):
        parts += [
            "### Peak resident memory, MiB" + part.title,
            memory_table(m, part),
        ]
    parts += _if_any("What was recorded", trace_table(m, group))
    parts += _if_any("What precision near could not tell", maybe_table(m, group))
    return parts + _void_parts(m, group)


