# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a program that states its own page sets (known_sets.h), runs it in each
asked-for way and compares.

By default in the ways of PAIRED: each level, layout (site only where a test asks for
it), granule and precision is in one of them, and is run per process or per thread.
Of these the suite runs every fourth one, and of the ways that a test names every
second one: the name of the program decides which. A way that is run per process and
per thread is run in one of the two. `lit -D ways=all` runs all, and those of EVERY instead of PAIRED.
"""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import time
import zlib

import page_sets

# LEVEL[/LAYOUT[/GRANULE[/PRECISION[/UNIT]]]][:MODE]
PAIRED = ("O0:thread", "O1/write/21:process", "O2", "O3/access:thread",
          "O2/rw/6:process", "Os/rw/12/near:process", "O3/write/12/near:thread",
          "O2/rw-site:thread")
EVERY = ("O0", "O1", "O2", "O3", "Os", "O2/access", "O2/write", "O2/rw/6",
         "O2/rw/21", "O2/rw-site", "O2/rw/12/near", "O2/write/12/near")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    for tool in ("clang", "clangxx", "flang", "plugin", "runtime", "include", "pagetide"):
        parser.add_argument("--" + tool, required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--all-ways", action="store_true")
    parser.add_argument("--ways", type=lambda text: text.split(","),
        help="LEVEL[/LAYOUT[/GRANULE[/PRECISION[/UNIT]]]][:MODE],... UNIT is asked "
        "for when the program is recorded (option granularity)")
    parser.add_argument("--modes", type=lambda text: text.split(","),
                        default=["process", "thread"])
    parser.add_argument("--flag", action="append", default=[],
                        help="for the compiler, of the instrumented parts")
    parser.add_argument("--plain", action="append", default=[],
                        help="a source built without the plugin")
    parser.add_argument("--plain-host", action="store_true",
                        help="SOURCE itself is built without the plugin, and not "
                        "linked with the runtime")
    parser.add_argument("--library", action="append", default=[],
                        metavar="NAME=SOURCE", help="an instrumented library "
                        "$PAGETIDE_TEST_DIR/NAME.so")
    parser.add_argument("--plain-library", action="append", default=[],
                        metavar="NAME=SOURCE")
    parser.add_argument("--option", action="append", default=[],
                        help="for PAGETIDE_OPTIONS")
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--checksum", default="none")
    parser.add_argument("--unstable", default="flag")
    parser.add_argument("--may-carry", action="store_true", help="threads need "
                        "not be settled when a period ends")
    parser.add_argument("--skip-carried", action="store_true", help="do not look "
                        "at pages that are only carried: there may be millions")
    parser.add_argument("--timed", metavar="PERIOD", help="the clock ends periods "
                        "and accesses are stamped (known_times.h)")
    parser.add_argument("--under-record", action="store_true",
                        help="run by `pagetide record`, not by itself")
    parser.add_argument("--program", type=pathlib.Path, help="what was built of "
                        "SOURCE otherwise; --ways says how")
    parser.add_argument("--engine", help="SOURCE is built without the plugin and "
                        "the runtime, and recorded by this engine")
    parser.add_argument("--outside", metavar="ENGINE", help="as --engine, for a "
                        "static program that record watches from outside; needs "
                        "--timed")
    parser.add_argument("--attach", action="store_true", help="with --outside: "
                        "when the program runs (known_times.h)")
    parser.add_argument("--status", type=int, default=0,
                        help="the program's exit status, or minus its signal")
    parser.add_argument("--info", action="append", default=[],
                        help="what `pagetide info` must say of every trace")
    parser.add_argument("--traces", type=int, help="how many there must be")
    parser.add_argument("--prefix", action="append", default=[],
                        help="a word put before the program's command")
    parser.add_argument("--arg", action="append", default=[])
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("source", nargs="+")
    args = parser.parse_args()
    args.ways = args.ways or (EVERY if args.all_ways else PAIRED)
    if args.outside:
        args.engine = args.outside
        args.flag += ["-static", "-DWATCHED_FROM_OUTSIDE"]
        if args.outside == "soft-dirty":
            args.flag.append("-DBY_SOFT_DIRTY")
    if args.engine == "emulate":
        args.ways = ["O2/rw"]
        args.plain_host = args.under_record = True
        args.info += ["emulate: reads and writes"]
        args.source.append(os.path.join(
            os.path.dirname(os.path.abspath(__file__)), "..", "engines",
            "Inputs", "emulate_api.c"))
    elif args.engine:
        args.ways = ["O2/write"]
        args.modes = ["process"]
        args.plain_host = args.under_record = True
        args.info += [f"{args.engine}: writes only, of the whole process"]
    return args


class Way:
    """One way of building."""

    def __init__(self, text):
        text, _, self.mode = text.partition(":")
        parts = text.split("/")
        self.level = parts[0]
        self.layout = parts[1] if len(parts) > 1 else "rw"
        # The layout whose page sets these are.
        self.sets = {"site": "access", "rw-site": "rw"}.get(
            self.layout, self.layout)
        self.granule_shift = int(parts[2]) if len(parts) > 2 else 12
        self.precision = parts[3] if len(parts) > 3 else "exact"
        # What is reported. With a unit it is coarser than the build's granule.
        self.unit = 1 << int(parts[4]) if len(parts) > 4 else None
        self.granule = self.unit or 1 << self.granule_shift
        self.name = "-".join([self.level, self.layout, str(self.granule_shift),
                              *parts[3:]])


class Failure(Exception):
    pass


def run(command, env=None, timeout=120, status=0):
    shown = shlex.join(map(str, command))
    try:
        done = subprocess.run(command, env=env, timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False)
    except subprocess.TimeoutExpired as expired:
        raise Failure(f"still running after {timeout} s: {shown}\n"
                      f"{expired.stdout}\n{expired.stderr}") from None
    if done.returncode != status:
        raise Failure(f"exit status {done.returncode}, not {status}: {shown}\n"
                      f"{done.stdout}{done.stderr}")
    return done


def build(args, way):
    """Builds the program and its libraries; returns the program."""
    directory = args.work / way.name
    directory.mkdir(parents=True, exist_ok=True)
    support = os.path.dirname(os.path.abspath(__file__))
    common = [f"-{way.level}", "-g1", "-Wall", "-Wextra",
              "-Wno-unused-function", f"-DGRANULE={way.granule}",
              "-I", args.include, "-I", support]
    link = ["-pthread", "-ldl"]
    if any(source.endswith(".f90") for source in args.source):
        tools = os.path.dirname(os.path.realpath(args.flang))
        link += ["-L" + os.path.join(os.path.dirname(tools), "lib"),
                 "-lFortranRuntime", "-lFortranDecimal", "-lm"]
    with_runtime = ["-Wl,--push-state,--no-as-needed", args.runtime,
                    "-Wl,--pop-state",
                    "-Wl,-rpath," + os.path.dirname(args.runtime)]

    def compiler_for(source):
        if source.endswith(".f90"):
            return [args.flang, f"-{way.level}", "-g", "-J", directory]
        if source.endswith(".cpp"):
            return [args.clangxx, "-std=c++17", *common]
        return [args.clang, "-std=gnu99", *common]

    def instrumented(source):
        passed_on = "-Xflang" if source.endswith(".f90") else "-Xclang"
        words = [f"-fpass-plugin={args.plugin}",
                 passed_on, "-load", passed_on, args.plugin]
        for option in (f"-pagetide-layout={way.layout}",
                       f"-pagetide-granule={way.granule_shift}",
                       f"-pagetide-precision={way.precision}"):
            words += [passed_on, "-mllvm", passed_on, option]
        return words + args.flag

    for libraries, plain in ((args.library, False), (args.plain_library, True)):
        for library in libraries:
            name, source = library.split("=", 1)
            run([*compiler_for(source), "-fPIC", "-shared",
                 *([] if plain else instrumented(source)), source,
                 "-o", directory / f"{name}.so",
                 *([] if plain else with_runtime), *link])
    objects = []
    for source, plain in [(s, args.plain_host) for s in args.source] + \
            [(s, True) for s in args.plain]:
        target = directory / (os.path.basename(source) + ".o")
        run([*compiler_for(source), "-c",
             *(args.flag if plain else instrumented(source)), source,
             "-o", target])
        objects.append(target)
    program = directory / "program"
    driver = compiler_for(".cpp" if any(
        s.endswith(".cpp") for s in args.source) else ".c")[0]
    run([driver, *args.flag, *objects, "-o", program,
         *([] if args.plain_host else with_runtime), *link])
    return program


def is_only_carried(line):
    """Whether a row of the CSV is there for an earlier period's write alone."""
    return line.endswith("+carried,\n") and line.split(",", 7)[6] != "1"


def export(args, trace, granule):
    """The rows of one trace."""
    command = [args.pagetide, "export", "--format", "csv", trace]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
        lines = tool.stdout
        if args.skip_carried:
            lines = (line for line in lines if not is_only_carried(line))
        rows = page_sets.read_rows(lines, granule)
    if tool.returncode != 0:
        raise Failure(f"exit status {tool.returncode}: "
                      + shlex.join(map(str, command)))
    return rows


def traces_of(trace):
    """FILE, FILE.<pid>, FILE.<pid>.<n>."""
    return sorted(trace.parent.glob(trace.name + "*"))


def attach(args, command, env, trace):
    """Starts the program, then its recording, then lets it go on."""
    split = command.index("--")
    go = trace.with_suffix(".go")
    go.unlink(missing_ok=True)
    with subprocess.Popen(command[split + 1:], env=env | {"PAGETIDE_GO": str(go)},
                          stdin=subprocess.DEVNULL) as program:
        with subprocess.Popen([*command[:split], "--pid", str(program.pid)],
                              stderr=subprocess.PIPE, text=True) as record:
            while record.poll() is None and not (
                    trace.exists() and trace.stat().st_size):
                time.sleep(0.01)
            go.touch()
            said = record.communicate(timeout=args.timeout)[1]
        if program.wait(args.timeout) != args.status or record.returncode != 0:
            raise Failure(f"exit status {program.returncode} of the program, "
                          f"{record.returncode} of record: {said}")
    return subprocess.CompletedProcess(command, 0, "", said)


def only_watched(said, rows, granule):
    """What emulate_api.c's programs watch is a line of what they say."""
    watched = []
    for line in said:
        words = line.split()
        if words[0] == "watch":
            begin = int(words[2], 16)
            watched.append((begin // granule * granule, begin + int(words[3])))
    rest = [line for line in said if not line.startswith("watch ")]
    chosen = []
    for row in rows:
        for begin, end in watched:
            first = max(row.address, begin)
            count = (min(row.address + row.count * granule, end) - first
                     + granule - 1) // granule
            if count > 0:
                chosen.append(row._replace(address=first, count=count))
                break
    return rest, chosen


def check(args, way, mode, program):
    directory = program.parent
    truth_file = directory / f"{mode}.truth"
    stamp_file = directory / f"{mode}.stamps"
    trace = directory / f"{mode}.ptrace"
    for old in [truth_file, stamp_file, *traces_of(trace)]:
        old.unlink(missing_ok=True)
    truth_file.touch(mode=0o600)
    env = dict(os.environ, PAGETIDE_TRUTH=str(truth_file),
               PAGETIDE_STAMPS=str(stamp_file),
               PAGETIDE_TEST_DIR=str(directory), PAGETIDE_TEST_MODE=mode)
    for setting in args.env:
        name, value = setting.split("=", 1)
        env[name] = value
    period = args.timed or "0"
    unit = [f"granularity={way.unit}"] if way.unit else []
    command = [*args.prefix, program, *args.arg]
    status = args.status
    if args.under_record:
        command = [args.pagetide, "record", "-o", trace, "-p", period,
                   *(["--engine", args.engine] if args.engine else []),
                   *([] if args.outside or args.engine == "emulate" else
                     ["--checksum", args.checksum, "--unstable",
                      args.unstable]),
                   *(["--per-thread"] if mode == "thread" else []), "--",
                   *command]
        env["PAGETIDE_OPTIONS"] = ":".join(args.option + unit)
    else:
        env["PAGETIDE_OPTIONS"] = ":".join([
            f"trace_path='{trace}'", f"period={period}",
            f"per_thread={int(mode == 'thread')}", f"checksum={args.checksum}",
            f"unstable={args.unstable}", *args.option, *unit])
    if args.attach:
        done = attach(args, command, env, trace)
    else:
        done = run(command, env=env, timeout=args.timeout, status=status)
    if not args.under_record and done.stderr:
        raise Failure(f"unexpected output on stderr:\n{done.stderr}")

    traces = traces_of(trace)
    if not traces:
        raise Failure(f"no trace {trace}\n{done.stdout}{done.stderr}")
    if args.traces not in (None, len(traces)):
        raise Failure(f"{len(traces)} traces, not {args.traces}: {traces}")
    rows = []
    for one in traces:
        said = run([args.pagetide, "info", one]).stdout
        for words in args.info:
            if words not in said:
                raise Failure(f"`pagetide info {one}` does not say {words!r}:\n"
                              + said)
        rows += export(args, one, way.granule)
    said = truth_file.read_text().splitlines()
    if args.engine == "emulate":
        said, rows = only_watched(said, rows, way.granule)
    if args.timed:
        stamps = page_sets.read_stamps(stamp_file.read_bytes())
        if not stamps:
            raise Failure("the program stamped nothing")
        if args.outside:  # all of its memory is recorded
            rows = page_sets.between(stamps, rows, way.granule)
        if mode == "process":
            stamps = [stamp._replace(tid=0) for stamp in stamps]
        differences, alone = page_sets.compare_timed(
            stamps, rows, way.sets, way.granule, way.precision == "near")
        if args.outside:  # only what is certain needs an access
            differences = [d for d in differences if d.startswith("missing")]
            differences += [
                d for d in page_sets.compare_timed(
                    stamps, [row for row in rows if not row.may],
                    way.sets, way.granule)[0] if not d.startswith("missing")]
        if not args.skip_carried:
            differences += page_sets.compare_carried(rows, way.granule)
        periods = {(row.pid, row.period) for row in rows}
        subject = (f"{len(stamps)} stamped accesses, {alone:.0%} far from others "
                   f"of their page, in {len(periods)} periods")
    else:
        truth = page_sets.Truth(way.granule)
        truth.read(said)
        if not truth.accesses:
            raise Failure("the program stated nothing")
        if mode == "process":
            truth = truth.for_process()
        if way.precision == "near":
            differences = page_sets.compare_near(truth, rows, way.sets)
        else:
            differences = page_sets.compare_exact(
                truth, rows, way.sets,
                with_checksums=args.checksum != "none")
        differences += page_sets.compare_carried(rows, way.granule) \
            if args.may_carry else page_sets.list_carried(rows, way.granule)
        subject = f"{truth.page_count()} stated pages"
    if differences:
        repeat = " ".join(f"{name}={shlex.quote(env[name])}" for name in
                          ("PAGETIDE_OPTIONS", "PAGETIDE_TRUTH",
                           "PAGETIDE_STAMPS", "PAGETIDE_TEST_DIR",
                           "PAGETIDE_TEST_MODE"))
        raise Failure("\n".join(
            [f"{len(differences)} differences between {subject} and "
             f"{page_sets.row_count(rows)} rows:", *differences[:40],
             f"to repeat: {repeat} {shlex.join(map(str, command))}"]))
    return subject


def chosen_ways(args):
    """(way, its modes) that are run; see above. Two ways of one mode each are both run."""
    ways = list(map(Way, args.ways))
    step = 2 if len(ways) < len(PAIRED) else 4
    first = zlib.crc32(os.path.basename(args.source[0]).encode())
    for i, way in enumerate(ways):
        modes = [way.mode] if way.mode in args.modes else args.modes
        if args.all_ways or len(ways) == 1:
            yield way, modes
        elif len(modes) > 1:
            yield way, [modes[(i + first) % 2]]
        elif len(ways) == 2 or (i + first) % step == 0:
            yield way, modes


def main():
    args = arguments()
    failures = 0
    for way, modes in chosen_ways(args):
        try:
            program = args.program or build(args, way)
        except Failure as failure:
            failures += 1
            print(f"{way.name}: FAILED: {failure}")
            continue
        for mode in modes:
            try:
                result = f"{check(args, way, mode, program)}: equal"
            except (Failure, page_sets.BadExport) as failure:
                failures += 1
                result = f"FAILED: {failure}"
            print(f"{way.name} by {mode}: {result}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
