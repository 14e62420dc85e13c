#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds real programs with plain clang and with the wrappers, runs their own
test suites on both, and compares test by test.

What fails natively may fail instrumented; nothing else may. The exit status is
0 where that holds and every trace is whole.

Each program has a file in programs/; stages.sh says what such a file declares.
Everything built and every log is kept in BUILD/realworld/PROGRAM, and
built again where compiler, pass, sources or the program's file have changed.
Natively a suite is run once and its results are kept; --again runs it again.
"""

import argparse
import hashlib
import json
import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from tables import markdown, print_table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEPS = os.path.join(ROOT, ".deps")

# All of it, so that programs that differ in more than marks are not compared.
CFLAGS = "-O2 -g1"
CLANG, FLANG = "clang-19", "flang-new-19"

LAYOUTS = ("rw", "access", "write")
MODES = {
    "idle": "the runtime is there and records nothing",
    "recorded": "a trace is written, periods of 10 ms",
    "checksums": "recorded, with checksums of written pages",
}
MODE_OPTIONS = {
    "idle": "",
    "recorded": "period=10ms",
    "checksums": "period=10ms:checksum=written",
}


class Failure(Exception):
    """What cannot be done, in words for the user."""


def program_names():
    return sorted(
        name[:-3]
        for name in os.listdir(os.path.join(HERE, "programs"))
        if name.endswith(".sh")
    )


def digest(*paths):
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()


class Pagetide:
    """A build tree of Pagetide, or an installed prefix."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        self.bin = os.path.join(self.root, "bin")
        self.command = os.path.join(self.bin, "pagetide")
        if not os.path.exists(self.command):
            raise Failure(
                "there is no bin/pagetide in %s: build Pagetide first, or name "
                "its build tree or prefix by --pagetide" % self.root
            )
        self.identity = digest(
            os.path.join(self.root, "lib", "PagetidePass-19.so"),
            os.path.join(self.bin, "pagetide-clang"),
        )


class Program:
    """One file of programs/: what it declares, and its stages."""

    def __init__(self, name, arguments):
        self.name = name
        self.file = os.path.join(HERE, "programs", name + ".sh")
        self.arguments = arguments
        if not os.path.exists(self.file):
            raise Failure(
                "there is no program '%s'; there are: %s"
                % (name, ", ".join(program_names()))
            )
        self.package = self.variable("package")
        self.packages = self.variable("packages").split()
        self.needs = self.variable("needs").split()
        # As whom to test.
        self.user = "nobody" if os.geteuid() == 0 and self.variable(
            "unprivileged") else None
        self.directory = os.path.join(arguments.directory, name)

    def variable(self, name):
        done = subprocess.run(
            ["bash", "-c", 'source "$1"; printf "%s" "${!2:-}"', "bash",
             self.file, name],
            check=True, stdout=subprocess.PIPE, text=True,
        )
        return done.stdout

    def stage(self, name, directory, environment, output, seconds, user=None):
        """Runs a stage in a session of its own, at most so long. The status is
        None where it took longer; what it left running is ended."""
        script = 'source "$1"; source "$2"; "$3"'
        process = subprocess.Popen(
            # No signal ignored, as nohup and background jobs would have it.
            ["env", "--default-signal", "bash", "-euo", "pipefail", "-c",
             script, "bash",
             os.path.join(HERE, "stages.sh"), self.file, name],
            cwd=directory, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            user=user, group=pwd.getpwnam(user).pw_gid if user else None,
            extra_groups=[] if user else None,
        )
        try:
            status = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        return status

    def fetch(self):
        missing = [
            package
            for package in self.needs
            if subprocess.run(
                ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}", package],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            ).stdout[:2] != "ii"
        ]
        if missing:
            raise Failure(
                "%s needs packages that are not installed: apt-get install %s"
                % (self.name, " ".join(missing))
            )
        for package in [self.package] + self.packages:
            done = subprocess.run(
                [os.path.join(ROOT, "scripts", "fetch_source.sh"), package],
                stdout=subprocess.PIPE, text=True,
            )
            if done.returncode:
                raise Failure("the source of %s could not be had" % package)
        self.source = os.path.join(DEPS, "src", self.package)
        with open(os.path.join(self.source, "debian", "changelog")) as log:
            self.version = re.search(r"\((.*?)\)", log.readline()).group(1)

    def environment(self, variant):
        """What the stages see: none of the caller's settings for compilers or
        for Pagetide."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS",
                            "CPPFLAGS", "FC", "MAKEFLAGS", "MAKELEVEL", "LC_ALL",
                            "LANGUAGE", "PAGETIDE_OPTIONS", "LD_PRELOAD",
                            "LD_LIBRARY_PATH", "TERM")
        }
        cc, cxx, fc = CLANG, CLANG.replace("clang", "clang++"), FLANG
        if variant != "native":
            wrapper = os.path.join(self.arguments.pagetide.bin, "pagetide-clang")
            option = " -fpagetide-layout=" + variant
            cc, cxx = wrapper + option, wrapper + "++" + option
            fc = wrapper.replace("clang", "flang") + option
        environment.update(
            LC_ALL="C.UTF-8", TERM="dumb", CC=cc, CXX=cxx, FC=fc, CFLAGS=CFLAGS,
            JOBS=str(self.arguments.jobs), PAGETIDE_ROOT=ROOT,
            SOURCES=os.path.join(DEPS, "src"),
        )
        return environment

    def build(self, variant):
        """The directory of a finished build."""
        directory = os.path.join(self.directory, variant)
        tree = os.path.join(directory, "tree")
        stamp = os.path.join(directory, "built")
        # Of stages.sh and the program's file only what builds matters, but a
        # build too many is better than one too few.
        identity = " ".join(
            (
                self.version, CFLAGS, self.function_digest(),
                os.environ.get("LUA_TESTS", "") if self.name == "lua" else "",
                "" if variant == "native" else self.arguments.pagetide.identity,
            )
        )
        if os.path.exists(stamp) and open(stamp).read() == identity:
            return tree
        say("%s %s: building" % (self.name, variant))
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        shutil.copytree(self.source, tree, symlinks=True)
        log = os.path.join(directory, "build.log")
        began = time.monotonic()
        with open(log, "wb") as output:
            status = self.stage("build", tree, self.environment(variant), output,
                                self.arguments.timeout)
        if status != 0:
            raise Failure(
                "%s %s: the build failed (%s); its log is %s"
                % (self.name, variant, how(status), log)
            )
        say("    built in %d s" % (time.monotonic() - began))
        with open(stamp, "w") as file:
            file.write(identity)
        return tree

    def function_digest(self, name="build"):
        """A digest of that function, and of the names of tests beside it."""
        done = subprocess.run(
            ["bash", "-c",
             'source "$1"; declare -f "$2"; declare -p tests || :',
             "bash", self.file, name],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        )
        return hashlib.sha256(done.stdout.encode()).hexdigest()

    def check(self, variant, mode):
        """Runs the suite. Gives a Run."""
        tree = self.build(variant)
        directory = os.path.join(self.directory, variant, mode)
        # What was run natively once stands, as long as the tests are the same.
        suite = os.path.join(directory, "suite")
        identity = self.function_digest("check") + " " + self.version
        if (variant == "native" and not self.arguments.again
                and os.path.exists(suite) and open(suite).read() == identity):
            return Run(self, variant, mode, directory)
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(os.path.join(directory, "traces"))
        # Some tests have another user run the program.
        os.chmod(os.path.join(directory, "traces"), 0o1777)
        # A tree of its own, since suites leave files behind; and the same path
        # for all, which the tests of some programs depend on.
        work = os.path.join(self.directory, "work")
        shutil.rmtree(work, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", tree, work], check=True)
        if self.user:
            subprocess.run(["chown", "-R", self.user, work, directory],
                           check=True)
        environment = self.environment(variant)
        options = MODE_OPTIONS.get(mode, "")
        if options:
            environment["PAGETIDE_OPTIONS"] = "%s:trace_path=%s:log_path=%s" % (
                options,
                os.path.join(directory, "traces", "trace"),
                os.path.join(directory, "traces", "message"),
            )
        say("%s %s, %s: testing" % (self.name, variant, mode))
        began = time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(os.path.join(directory, "log"), "wb") as output:
            status = self.stage("check", work, environment, output,
                                self.arguments.timeout, self.user)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = (after.ru_utime + after.ru_stime) - (
            before.ru_utime + before.ru_stime)
        with open(os.path.join(directory, "done"), "w") as file:
            file.write("%s\n%.0f\n%.0f\n%s\n" % (
                how(status), time.monotonic() - began, cpu,
                time.strftime("%Y-%m-%d")))
        with open(suite, "w") as file:
            file.write(identity)
        run = Run(self, variant, mode, directory)
        if self.arguments.keep:
            os.rename(work, os.path.join(directory, "tree"))
        else:
            shutil.rmtree(work, ignore_errors=True)
        say("    %s" % run.in_words())
        return run

    def audit(self):
        """Runs the program's usual work under `pagetide audit`, layout rw."""
        tree = self.build("rw")
        directory = os.path.join(self.directory, "rw", "audit")
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        work = os.path.join(self.directory, "work")
        shutil.rmtree(work, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", tree, work], check=True)
        report = os.path.join(directory, "report.json")
        environment = self.environment("rw")
        environment["AUDIT"] = "%s audit -p 10ms --json -r %s --" % (
            self.arguments.pagetide.command, report)
        say("%s rw: audit" % self.name)
        with open(os.path.join(directory, "log"), "wb") as output:
            # audit's status says whether all is covered; the report does, too.
            self.stage("audited", work, environment, output,
                       self.arguments.timeout)
        if not self.arguments.keep:
            shutil.rmtree(work, ignore_errors=True)
        if not os.path.exists(report):
            raise Failure("%s: no audit came about; see %s/log"
                          % (self.name, directory))
        with open(os.path.join(directory, "date"), "w") as file:
            file.write(time.strftime("%Y-%m-%d"))
        return Audit(self, directory)

    def parse(self, log):
        """NAME -> "ok", "fail" or "skip". A name that comes twice is `fail`
        where it failed once."""
        with open(log, "rb") as stdin:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c",
                 'source "$1"; source "$2"; results', "bash",
                 os.path.join(HERE, "stages.sh"), self.file],
                stdin=stdin, stdout=subprocess.PIPE, check=True,
                env=dict(os.environ, LC_ALL="C.UTF-8"),
            )
        results = {}
        rank = {"skip": 0, "ok": 1, "fail": 2}
        for line in done.stdout.decode(errors="replace").splitlines():
            result, _, name = line.partition(" ")
            if rank[result] > rank.get(results.get(name), -1):
                results[name] = result
        return results


def how(status):
    if status is None:
        return "took too long"
    return "signal %d" % -status if status < 0 else "status %d" % status


def say(text):
    print(text, flush=True)


class Run:
    """What a run of a suite came to."""

    def __init__(self, program, variant, mode, directory):
        self.program, self.variant, self.mode = program, variant, mode
        self.directory = directory
        self.results = program.parse(os.path.join(directory, "log"))
        with open(os.path.join(directory, "done")) as file:
            self.end, wall, cpu, self.date = file.read().splitlines()
        self.wall, self.cpu = int(wall), int(cpu)
        # Which pass and wrapper it was built by: digits of their digest.
        with open(os.path.join(os.path.dirname(directory), "built")) as file:
            self.of_pass = file.read().split()[-1][:8]
        # By outcome of `pagetide info`, where this run recorded.
        self.traces = {}
        self.wrong_traces = []
        self.messages = []
        if MODE_OPTIONS.get(mode):
            self.look_at_traces()

    def look_at_traces(self):
        summary = os.path.join(self.directory, "traces.txt")
        traces = os.path.join(self.directory, "traces")
        if not os.path.exists(summary):
            with open(summary, "w") as out:
                for name in sorted(os.listdir(traces)):
                    path = os.path.join(traces, name)
                    if name.startswith("message"):
                        for line in open(path, errors="replace"):
                            out.write("message %s" % line)
                        continue
                    # Of a process that was killed as it began to record.
                    if os.path.getsize(path) == 0:
                        out.write("trace 1 %s empty\n" % name)
                        continue
                    done = subprocess.run(
                        [self.program.arguments.pagetide.command, "info", path],
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        text=True, errors="replace",
                    )
                    out.write("trace %d %s %s\n" % (
                        done.returncode, name,
                        " ".join(done.stdout.split())
                        if done.returncode else ""))
            if not self.program.arguments.keep:
                shutil.rmtree(traces)
        for line in open(summary):
            if line.startswith("message "):
                self.messages.append(line[8:].rstrip())
                continue
            _, status, name, *words = line.split(maxsplit=3)
            self.traces[int(status)] = self.traces.get(int(status), 0) + 1
            # 1 is a trace without its end: a process that was killed.
            if int(status) > 1:
                self.wrong_traces.append(name + ": " + " ".join(words))

    def count(self, result):
        return sum(1 for value in self.results.values() if value == result)

    def in_words(self):
        text = "%d ok, %d failed, %d skipped, %s, %d s" % (
            self.count("ok"), self.count("fail"), self.count("skip"), self.end,
            self.wall)
        if self.traces:
            text += "; %d traces, %d of them without an end" % (
                sum(self.traces.values()), self.traces.get(1, 0))
        return text

    def worse_than(self, native):
        """Tests that native passes and this run does not, and those that only
        fail here."""
        worse = [
            "%s: native %s, here %s" % (name, result,
                                        self.results.get(name, "never ran"))
            for name, result in native.results.items()
            if result == "ok" and self.results.get(name) != "ok"
        ]
        worse += [
            "%s: native %s, here fail" % (name,
                                          native.results.get(name, "never ran"))
            for name, result in self.results.items()
            if result == "fail" and native.results.get(name) not in ("ok", "fail")
        ]
        if self.end != native.end:
            worse.append("the suite's end: native %s, here %s"
                         % (native.end, self.end))
        return worse


class Audit:
    """What `pagetide audit` said of a program's usual work."""

    columns = ("program", "version", "date", "periods", "written", "covered",
               "program's memory", "uncovered", "of these", "stacks",
               "uncovered", "system", "uncovered")

    def __init__(self, program, directory):
        with open(os.path.join(directory, "report.json")) as file:
            total = json.load(file)["sum"]
        with open(os.path.join(directory, "date")) as file:
            self.date = file.read()
        # Where in the program's own memory, largest first.
        places = sorted(
            (
                (group["uncovered"],
                 os.path.basename(group["name"]) or group["kind"])
                for group in total["groups"]
                if group["concern"] == "program" and group["uncovered"]
            ),
            reverse=True,
        )
        self.row = (
            program.name, program.version, self.date, total["compared"],
            total["written"], total["covered"],
            total["program"]["written"], total["program"]["uncovered"],
            ", ".join("%s %d" % (name, count)
                      for count, name in places[:4]) or "none",
            total["stacks"]["written"], total["stacks"]["uncovered"],
            total["system"]["written"], total["system"]["uncovered"],
        )


COLUMNS = ("program", "version", "date", "pass", "layout", "mode", "native ok",
           "native failed", "ok", "failed", "worse", "traces", "no end", "messages",
           "native s", "s")


def row(run, native, worse):
    return (
        run.program.name, run.program.version, run.date, run.of_pass,
        run.variant, run.mode,
        native.count("ok"),
        native.count("fail"), run.count("ok"), run.count("fail"), len(worse),
        sum(run.traces.values()), run.traces.get(1, 0), len(run.messages),
        native.wall, run.wall,
    )


def write_doc(path, tables):
    """Puts each table between its markers in the file."""
    with open(path) as file:
        text = file.read()
    for name, (columns, rows) in tables.items():
        begin = "<!-- %s: begin (written by test/realworld/run.sh --doc) -->" % name
        end = "<!-- %s: end -->" % name
        if begin not in text or end not in text:
            raise Failure("%s lacks the lines\n%s\n%s" % (path, begin, end))
        head, rest = text.split(begin, 1)
        tail = rest.split(end, 1)[1]
        text = "%s%s\n\n%s\n\n%s%s" % (head, begin, markdown(columns, rows), end,
                                       tail)
    with open(path, "w") as file:
        file.write(text)


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="test/realworld/run.sh", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM",
                        help="default: all of " + ", ".join(program_names()))
    parser.add_argument("--layout", action="append", choices=LAYOUTS,
                        help="may be given several times; default: all three")
    parser.add_argument("--mode", action="append", choices=MODES,
                        help="default: recorded; " + "; ".join(
                            "%s: %s" % item for item in MODES.items()))
    parser.add_argument("--pagetide", metavar="DIR",
                        default=os.environ.get("PAGETIDE_BUILD",
                                               os.path.join(ROOT, "build")),
                        help="build tree or prefix of Pagetide; a prefix, if you "
                        "go on building meanwhile (default: build)")
    parser.add_argument("--directory", metavar="DIR",
                        help="where to build and test (default: BUILD/realworld)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1,
                        metavar="N", help="default: one a processor")
    parser.add_argument("--timeout", type=int, default=4 * 3600, metavar="S",
                        help="longest time a stage may take (default: 4 hours)")
    parser.add_argument("--again", action="store_true",
                        help="run the native suites again")
    parser.add_argument("--keep", action="store_true",
                        help="keep traces and what the suites leave behind")
    parser.add_argument("--build-only", action="store_true",
                        help="build, and test nothing")
    parser.add_argument("--audit", action="store_true",
                        help="run no suite, but each program's usual work under "
                        "`pagetide audit`")
    parser.add_argument("--table", action="store_true",
                        help="run nothing: the tables of all that has been run")
    parser.add_argument("--doc", metavar="FILE",
                        help="write these tables into FILE, such as "
                        "docs/measurements/coverage.md (with --table)")
    arguments = parser.parse_args()
    arguments.pagetide = Pagetide(arguments.pagetide)
    if not arguments.directory:
        arguments.directory = os.path.join(arguments.pagetide.root, "realworld")
    arguments.directory = os.path.abspath(arguments.directory)
    return arguments


def tables_of_the_past(arguments):
    """What directory holds of earlier runs."""
    rows, audits, bad = [], [], []
    for name in arguments.programs or program_names():
        program = Program(name, arguments)
        native = os.path.join(program.directory, "native", "native")
        for layout in LAYOUTS if os.path.exists(
                os.path.join(native, "done")) else ():
            for mode in MODES:
                directory = os.path.join(program.directory, layout, mode)
                if os.path.exists(os.path.join(directory, "done")):
                    program.fetch()
                    judge(Run(program, layout, mode, directory),
                          Run(program, "native", "native", native), rows, bad)
        directory = os.path.join(program.directory, "rw", "audit")
        if os.path.exists(os.path.join(directory, "date")):
            program.fetch()
            audits.append(Audit(program, directory).row)
    return rows, audits, bad


def judge(run, native, rows, bad):
    worse = run.worse_than(native)
    if not native.count("ok"):
        worse.append("no test passed natively: is the log read rightly? "
                     + native.directory)
    rows.append(row(run, native, worse))
    prefix = "%s %s %s: " % (run.program.name, run.variant, run.mode)
    bad += [prefix + line for line in worse + run.wrong_traces]
    bad += [prefix + "message: " + line for line in sorted(set(run.messages))]


def main():
    arguments = parse_arguments()
    rows, audits, bad = [], [], []
    if arguments.table:
        rows, audits, bad = tables_of_the_past(arguments)
        if arguments.doc:
            # Without the seconds, which are not a measurement.
            write_doc(arguments.doc, {
                "suites": (COLUMNS[:-2], [line[:-2] for line in rows]),
                "audits": (Audit.columns, audits),
            })
    else:
        for name in arguments.programs or program_names():
            program = Program(name, arguments)
            program.fetch()
            if arguments.audit:
                audits.append(program.audit().row)
                continue
            if arguments.build_only:
                for variant in ["native"] + (arguments.layout or list(LAYOUTS)):
                    program.build(variant)
                continue
            native = program.check("native", "native")
            for layout in arguments.layout or LAYOUTS:
                for mode in arguments.mode or ["recorded"]:
                    judge(program.check(layout, mode), native, rows, bad)
    if rows:
        print_table(COLUMNS, rows)
    if audits:
        print_table(Audit.columns, audits)
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print("error: %s" % failure, file=sys.stderr)
        sys.exit(2)
