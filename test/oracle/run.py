#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same-binary oracle: runs programs under QEMU, which sees each of their
accesses, and holds what it saw against the traces of the same runs.

Prints a table: program, build, layout, granule; periods, entries of the trace;
missed, invented, lost (compare.py says what these are); entries that no access
explains, but exceptions.txt does; and of the stack pages that instrumented code
touched, those that are not in the trace. Exit status 1 where anything is
missed, invented or lost.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402
import elf_ranges  # noqa: E402
import programs  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LEVELS = {"O0": ["-O0"], "O1": ["-O1"], "O2": ["-O2"], "O3avx2": ["-O3", "-mavx2"]}
# Of precision exact, and of precision near with its cells of 2^8 bytes: what a
# program gets that asks for none and has granules of 4 KiB.
BUILDS = {name + suffix: [*flags, "-fpagetide-precision=" + precision]
          for suffix, precision in (("", "exact"), ("near", "near"))
          for name, flags in LEVELS.items()}
NEAR_CELL_SHIFT = 8
LAYOUTS = ("rw", "access", "write")
GRANULES = (12, 21)
TIMEOUT = 600


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="build tree of Pagetide [build]")
    parser.add_argument("--sources", type=pathlib.Path,
                        default=ROOT / ".deps" / "src",
                        help="sources of real programs [.deps/src]")
    parser.add_argument("--work", type=pathlib.Path,
                        help="directory for builds and runs [BUILD/oracle]")
    parser.add_argument("--quick", action="store_true",
                        help="real programs at -O2 with layout rw and 4 KiB, and "
                        "the others at -O2 and -O0 with the same")
    parser.add_argument("--only", default="", help="programs, by commas")
    parser.add_argument("--builds", default="O0,O2,O3avx2")
    parser.add_argument("--layouts", default=",".join(LAYOUTS))
    parser.add_argument("--granules", default=",".join(map(str, GRANULES)))
    parser.add_argument("--by", choices=("process", "thread"),
                        help="of programs that end their periods themselves, only "
                        "the sets of these")
    parser.add_argument("--source", type=pathlib.Path, action="append", default=[],
                        help="a program of your own instead, of one file")
    parser.add_argument("--calls", type=int, default=1,
                        help="end_period_calls for --source [1]")
    parser.add_argument("--show", type=int, default=5,
                        help="places shown of each kind of difference [5]")
    parser.add_argument("--results", type=pathlib.Path,
                        help="file of results, to which these are added")
    parser.add_argument("--doc", type=pathlib.Path,
                        help="put the table, with what --results had, into this "
                        "file, such as docs/measurements/oracle.md")
    parser.add_argument("--libraries", action="store_true",
                        help="also print what code that is not instrumented "
                        "touched without a mark, by library")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", action="store_true",
                        help="keep what the runs leave")
    return parser.parse_args()


class Failure(Exception):
    pass


def run(command, cwd=None, env=None, stdin=None, stdout=subprocess.PIPE,
        status=0):
    command = [str(word) for word in command]
    with open(stdin or os.devnull, "rb") as given:
        done = subprocess.run(command, cwd=cwd, env=env, stdin=given,
                              stdout=stdout, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, check=False)
    if done.returncode != status:
        raise Failure(f"exit status {done.returncode}, not {status}: "
                      + " ".join(command) + "\n"
                      + done.stderr.decode(errors="replace"))
    return done


@dataclasses.dataclass
class Result:
    program: str
    build: str
    layout: str
    shift: int
    mode: str
    report: compare.Report
    listed: list
    seconds: float
    text: str = ""
    libraries: dict = None


class Oracle:
    def __init__(self, args):
        self.args = args
        self.work = (args.work or args.build / "oracle").resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.runtime = (args.build / "lib" / "libpagetide.so").resolve()
        self.pagetide = (args.build / "bin" / "pagetide").resolve()
        self.plugin = (args.build / "test/oracle/PagetideOracle.so").resolve()
        self.qemu = shutil.which("qemu-x86_64")
        if not self.qemu:
            raise Failure("qemu-x86_64 is not installed: the Debian package is "
                          "qemu-user")
        self.listed = read_listed(HERE / "exceptions.txt")

    def build(self, program, build, layout, shift):
        folder = self.work / program.name
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{build}-{layout}-{shift}"
        compiler = self.args.build.resolve() / "bin" / (
            "pagetide-clang++" if any(s.suffix == ".cpp" for s in program.sources)
            else "pagetide-clang")
        # The labels tell constant pools and jump tables from the program's data.
        run([compiler, *BUILDS[build], "-g", "-Wa,-L",
             "-Wl,--discard-none", f"-fpagetide-layout={layout}",
             f"-fpagetide-granule={shift}", "-I", ROOT / "include",
             *program.sources, *program.flags, "-o", target])
        return target

    def modes(self, program, build):
        """Name, options of the runtime, slack of the comparison."""
        if program.threads:
            return [("whole", "period=0", 0),
                    ("whole, by thread", "period=0:per_thread=1", 0),
                    ("300 ms", "period=300ms", 1)]
        if program.calls:
            # Without optimisation far more calls remain.
            calls = program.calls * (20 if build == "O0" else 1)
            # Other programs map at fixed addresses, which a small shadow lacks.
            return [(f"{calls} calls",
                     f"period=0:low_memory=1:end_period_calls={calls}", 0)]
        own = {"process": ("own", "period=0", program.slack),
               "thread": ("own, by thread", "period=0:per_thread=1", program.slack)}
        return [own[self.args.by]] if self.args.by else list(own.values())

    def check(self, program, build, layout, shift, target, mode):
        name, options, slack = mode
        sets = {"site": "access", "rw-site": "rw"}.get(layout, layout)
        cells = shift - NEAR_CELL_SHIFT if build.endswith("near") else 0
        width = 4 if layout.endswith("site") else 1
        folder = target.with_name(target.name + "-" +
                                  name.replace(" ", "").replace(",", "-"))
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        began = time.monotonic()
        (folder / "modules").write_text(
            elf_ranges.describe(str(target), True, program.plain)
            + elf_ranges.describe(str(self.runtime), False))
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
               "PAGETIDE_TRUTH": str(folder / "truth"),
               "PAGETIDE_OPTIONS": f"trace_path='{folder}/trace':{options}"}
        # QEMU has a descriptor for every page that the program maps, also of the
        # shadow. They are quicker to have in huge pages.
        env["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
        with open(folder / "out", "wb") as out:
            run([self.qemu, "-U", "GLIBC_TUNABLES", "-cpu", "max", "-plugin",
                 f"{self.plugin},out={folder}/seen,modules={folder}/modules,"
                 f"shift={shift},layout={sets},cells={cells},width={width}",
                 target,
                 *program.arguments],
                cwd=folder, env=env, stdin=program.stdin, stdout=out,
                status=program.status)
        seen = compare.Seen(str(folder / "seen"), shift)
        if "thread" not in name:
            seen.of_process()
        rows = compare.Rows(compare.export(self.pagetide, folder / "trace"), shift)
        report = compare.compare(seen, rows, sets, slack)
        symbolize = compare.Symbolizer(seen)
        listed = self.take_listed(program, report, symbolize)
        result = Result(program.name, build, layout, shift, name, report, listed,
                        time.monotonic() - began)
        lines = []
        for what in ("problems", "missed", "invented", "lost"):
            entries = getattr(report, what)
            if what == "problems":
                lines += entries
                continue
            for count, first in compare.by_code(entries)[:self.args.show]:
                lines.append(f"{what}: {count} x "
                             + compare.show(first, seen, symbolize))
        result.text = "\n".join(lines)
        if self.args.libraries:
            result.libraries = libraries(report, seen)
            lines += [f"stack: {count} x {compare.show(first, seen, symbolize)}"
                      for count, first in compare.by_code(report.stack)[:20]]
            result.text = "\n".join(lines)
        if not self.args.keep:
            shutil.rmtree(folder, ignore_errors=True)
        return result

    def take_listed(self, program, report, symbolize):
        """Takes out of the report the entries that exceptions.txt explains."""
        listed = []
        for what in ("invented", "missed"):
            rest = []
            for entry in getattr(report, what):
                place = symbolize(entry[5])
                known = any((what, program.name) == line[:2] and line[2] in place
                            for line in self.listed)
                (listed if known else rest).append(entry)
            setattr(report, what, rest)
        return listed


def read_listed(path):
    """What, program, place and reason of each line."""
    lines = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            where, reason = line.split(":", 1)
            lines.append((*where.split(), reason.strip()))
    return lines


def libraries(report, seen):
    """Distinct granules that other code touched in periods in which no mark names
    them: by who did, how, and what lies there."""
    found = {}
    for _, _, granule, name, way, code in report.uncovered:
        key = (pathlib.Path(seen.name_of(way, code)).name, name,
               seen.owner_of(granule))
        found.setdefault(key, set()).add(granule)
    return {key: len(where) for key, where in found.items()}


HEADINGS = ("program", "build", "layout", "granule", "periods are", "periods",
            "entries", "missed", "invented", "lost", "listed",
            "stack pages not marked")


def cells(result):
    report = result.report
    entries = f"{report.entries} ({report.may} may)" if report.may else \
        str(report.entries)
    return (result.program, result.build, result.layout,
            "4 KiB" if result.shift == 12 else "2 MiB", result.mode,
            str(report.periods), entries, str(len(report.missed)),
            str(len(report.invented)), str(len(report.lost)),
            str(len(result.listed)), f"{len(report.stack)} of {report.stack_all}")


def bad(result):
    report = result.report
    return bool(report.missed or report.invented or report.lost or report.problems)


def main():
    args = arguments()
    oracle = Oracle(args)
    if args.source:
        chosen = [programs.Program(
            s.stem, [s.resolve()],
            ["-pthread", "-std=c++17" if s.suffix == ".cpp" else "-std=gnu11"],
            calls=args.calls) for s in args.source]
    else:
        chosen = [*programs.made(), *programs.known(),
                  *programs.real(args.sources.resolve(), oracle.work)]
    if args.only:
        wanted = args.only.split(",")
        chosen = [p for p in chosen if p.name in wanted]
    print("| " + " | ".join(HEADINGS) + " |")
    print("|" + "---|" * len(HEADINGS))
    results, failures = [], []
    output = threading.Lock()

    def one(program, build, layout, shift):
        target = oracle.build(program, build, layout, shift)
        for mode in oracle.modes(program, build):
            result = oracle.check(program, build, layout, shift, target, mode)
            with output:
                results.append(result)
                print("| " + " | ".join(cells(result)) + " |", flush=True)
                if result.text:
                    print(result.text, flush=True)
        if not args.keep:
            target.unlink()

    jobs = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for program in chosen:
            if program.needs and not (args.sources / program.needs).is_dir():
                failures.append(f"{program.name}: its source is not in "
                                f"{args.sources}: scripts/fetch_source.sh "
                                f"{program.needs}")
                continue
            if program.prepare:
                program.prepare()
            for build in args.builds.split(","):
                for layout in args.layouts.split(","):
                    for shift in map(int, args.granules.split(",")):
                        if args.quick and (layout != "rw" or shift != 12 or
                                           build == "O3avx2" or
                                           (program.needs and build != "O2")):
                            continue
                        jobs.append((program.name, build, layout, shift,
                                     pool.submit(one, program, build, layout,
                                                 shift)))
        for *name, job in jobs:
            try:
                job.result()
            except (Failure, subprocess.TimeoutExpired, RuntimeError,
                    ValueError) as error:
                failures.append(f"{' '.join(map(str, name))}: {error}")
    for failure in failures:
        print("failed:", failure)
    if args.libraries:
        print_libraries(results)
    rows = keep_results(args.results, [list(cells(r)) for r in results])
    if args.doc:
        write_doc(args.doc, rows)
    if not results:
        print("nothing was run")
    return 1 if failures or not results or any(map(bad, results)) else 0


def print_libraries(results):
    print("\npages touched by code that is not instrumented, in periods in which no "
          "mark names them:")
    for result in results:
        print("  " + " ".join(cells(result)[:5]))
        for (who, name, owner), count in sorted(
                (result.libraries or {}).items(), key=lambda item: -item[1]):
            print(f"    {who} {name} {owner}: {count}")


def keep_results(path, rows):
    """Adds rows to the file: a later run of the same replaces the earlier."""
    kept = {}
    if path and path.exists():
        for line in path.read_text().splitlines():
            row = json.loads(line)
            kept[tuple(row[:5])] = row
    for row in rows:
        kept[tuple(row[:5])] = row
    rows = sorted(kept.values())
    if path:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def write_doc(path, rows):
    begin, end = "<!-- oracle table -->", "<!-- end of oracle table -->"
    text = path.read_text()
    if begin not in text or end not in text:
        raise Failure(f"{path} lacks the line {begin} or {end}")
    version = subprocess.run(["qemu-x86_64", "--version"], capture_output=True,
                             text=True, check=True).stdout.splitlines()[0]
    clang = re.search(r"clang version (\d+)", subprocess.run(
        [os.environ.get("PAGETIDE_CLANG", "clang-19"), "--version"],
        capture_output=True, text=True, check=True).stdout)[1]
    table = [begin, "",
             f"{datetime.date.today().isoformat()}, {version}, clang {clang}; "
             f"{len(rows)} runs, {sum(int(row[6].split()[0]) for row in rows)} entries of "
             "traces:", "",
             "| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    table += ["| " + " | ".join(row) + " |" for row in rows]
    head, rest = text.split(begin, 1)
    path.write_text(head + "\n".join(table) + "\n\n" + end + rest.split(end, 1)[1])


if __name__ == "__main__":
    sys.exit(main())
