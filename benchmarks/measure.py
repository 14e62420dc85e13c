# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs, takes their times, and checks that they did their work."""

import contextlib
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time
from typing import NamedTuple, Optional

from failure import Failure
from variants import NATIVE, Variant, base_of

TIME_LIMIT_S = 900
# What another tool may take even where native takes no time at all.
OTHERS_LEAST_S = 5
# What a server may take to end after its client has failed.
SERVER_END_S = 5


class TooLong(Failure):
    """A run that took more than its limit, and was ended."""


class Task(NamedTuple):
    """What to run: arguments and input, the same for every build."""

    arguments: tuple
    stdin: Optional[pathlib.Path] = None
    # A command that is started beside the program, gives it work and tells it
    # to end. Its time is not measured.
    client: tuple = ()


class Result(NamedTuple):
    """What a run did; runs of one task must not differ in it."""

    status: int
    stdout: str  # hashes
    stderr: str
    client_status: int = 0
    client_stdout: str = ""  # a hash


def difference(result, reference, stderr=True):
    """How a result differs from the reference, in words; None: it does not.
    `stderr` says if the error output counts."""
    for is_same, words in (
        (result.status == reference.status,
         "exit status %d instead of %d" % (result.status, reference.status)),
        (result.stdout == reference.stdout, "another output than native"),
        (not stderr or result.stderr == reference.stderr,
         "another error output than native"),
        (result.client_status == reference.client_status,
         "a client with exit status %d instead of %d"
         % (result.client_status, reference.client_status)),
        (result.client_stdout == reference.client_stdout,
         "another output of its client than native"),
    ):
        if not is_same:
            return words
    return None


def _hash(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Runner:
    """Runs one thing at a time, with its files in a directory of its own."""

    def __init__(self, launcher, toolchain, directory):
        self.launcher = launcher
        self.pagetide = toolchain.pagetide
        self.runtime = toolchain.runtime
        self.directory = pathlib.Path(directory)
        # A program must not see what the user has set.
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}

    def run(self, program, task, variant, limit_s=None):
        """Returns (Result, measurements, what is wrong with what it left behind
        or None)."""
        trace = self.directory / "trace.ptrace"
        command = [program, *task.arguments]
        settings = dict(variant.environment)
        period = variant.period
        if period and variant.by_command:
            options = ["-p", period, "-o", trace]
            if variant.engine:  # it takes no checksums, and is asked for none
                options += ["--engine", variant.engine]
            else:
                options += ["--checksum", "none"]
            command = [self.pagetide, "record", *options, "--", *command]
        elif period:
            words = ["trace_path='%s'" % trace, "period=" + period]
            if variant.engine:
                # As `pagetide record --engine` does, without a process more,
                # so that the engines are measured as the marks are.
                settings["LD_PRELOAD"] = str(self.runtime)
                words.append("engine=" + variant.engine)
            if "checksum=" not in variant.options:
                words.append("checksum=none")
            words += [variant.options] if variant.options else []
            settings["PAGETIDE_OPTIONS"] = ":".join(words)
        for name, value in settings.items():
            command[:0] = ["-e", "%s=%s" % (name, value)]
        result, measured = self._launch(command, task, limit_s)
        fault = None
        if period:
            measured["trace"], fault = self._inspect(trace, variant.engine)
        if variant.leaves:
            fault = fault or self._take(variant.leaves)
        return result, measured, fault

    def _take(self, pattern):
        """Removes what the run left. Says so if it is not what it should be."""
        files = list(self.directory.glob(pattern))
        whole = len(files) == 1 and files[0].stat().st_size > 0
        for file in files:
            file.unlink()
        if whole:
            return None
        return "left no file %s with anything in it" % pattern

    def _launch(self, command, task, limit_s):
        limit_s = limit_s or TIME_LIMIT_S
        deadline = time.monotonic() + limit_s
        report = self.directory / "report.json"
        for old in (report, *self.directory.glob("client-*")):
            old.unlink(missing_ok=True)
        running = []
        client_status, client_stdout = 0, ""
        try:
            process = self._start(
                [self.launcher, report, *command], "", task.stdin
            )
            running.append(process)
            if task.client:
                client = self._start(task.client, "client-")
                running.append(client)
                client_status = client.wait(deadline - time.monotonic())
                if client_status != 0:
                    # Nobody else ends the server. If it died, its own status
                    # says more.
                    deadline = time.monotonic() + SERVER_END_S
                client_stdout = _hash(self.directory / "client-stdout")
            status = process.wait(max(0, deadline - time.monotonic()))
        except BaseException as error:
            # Too late, or interrupted: all that they started ends with them.
            for process in running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            if client_status != 0:
                raise Failure(
                    "the client ended with status %d: %s"
                    % (client_status, self.stderr_of_last_run())
                ) from None
            raise TooLong(
                "'%s' ran for more than %d s and was ended"
                % (" ".join(map(str, command)), limit_s)
            ) from None
        if status != 0:
            raise Failure(
                "the launcher failed with status %d: %s"
                % (status, self.stderr_of_last_run())
            )
        usage = json.loads(report.read_text())
        measured = {
            "cpu_s": (usage["user_us"] + usage["system_us"]) / 1e6,
            "user_s": usage["user_us"] / 1e6,
            "system_s": usage["system_us"] / 1e6,
            "wall_s": usage["wall_ns"] / 1e9,
        }
        measured["peak_kib"] = usage["peak_kib"]
        result = Result(
            usage["status"],
            _hash(self.directory / "stdout"),
            _hash(self.directory / "stderr"),
            client_status,
            client_stdout,
        )
        return result, measured

    def _start(self, command, prefix, stdin=None):
        """Starts a process with a session of its own. Its outputs go to files
        whose names begin with the prefix."""
        with (
            open(stdin or os.devnull, "rb") as in_file,
            open(self.directory / (prefix + "stdout"), "wb") as out_file,
            open(self.directory / (prefix + "stderr"), "wb") as err_file,
        ):
            return subprocess.Popen(
                command,
                cwd=self.directory,
                env=self.environment,
                stdin=in_file,
                stdout=out_file,
                stderr=err_file,
                start_new_session=True,
            )

    def stderr_of_last_run(self):
        """What the program said, then its client."""
        said = [
            path.read_text(errors="replace").strip()[:400]
            for name in ("stderr", "client-stderr")
            if (path := self.directory / name).exists()
        ]
        return "\n".join(filter(None, said))

    def _inspect(self, trace, engine):
        """What was recorded: an empty or broken trace would be cheap."""
        report = subprocess.run(
            [self.pagetide, "report", "--json", trace],
            capture_output=True,
            text=True,
        )
        try:
            facts = json.loads(report.stdout)["traces"][0]
        except (ValueError, LookupError):
            return None, "a trace that cannot be reported: %s" % (
                report.stderr.strip()[:400]
            )
        finally:
            self.remove_traces()
        summary = {
            "layout": facts["layout"],
            "bytes": facts["bytes"],
            "duration_s": facts["duration_ns"] / 1e9,
            "periods": facts["periods"]["count"],
            "overruns": facts["periods"]["overruns"],
            "accessed_median": facts["granules"]["accessed"]["median"],
            "accessed_sum": facts["granules"]["accessed"]["sum"],
            "pause_ns": (facts["cuts"] or {}).get("pause_ns"),
            "precision": facts["precision"],
        }
        # Pages summed over periods, certain and possible ones, of each kind
        # that the layout tells: what precision near leaves in doubt.
        for certain, possible in (
            ("accessed", "may"),
            ("read", "may_read"),
            ("written", "may_written"),
        ):
            figures = [facts["granules"].get(k) for k in (certain, possible)]
            if all(figures):
                summary["of_" + certain] = [f["sum"] for f in figures]
        if facts["engine"] != (engine or "marks"):
            return summary, "a trace by engine %s" % facts["engine"]
        if facts["integrity"] != "complete":
            return summary, "a trace that is %s" % facts["integrity"]
        if summary["accessed_sum"] == 0:
            return summary, "a trace without a page"
        return summary, None

    def remove_traces(self):
        """A run that finds a trace would write another file."""
        for file in self.directory.glob("trace.ptrace*"):
            file.unlink()


def check_marks(runner, task, executable, build):
    """Sees to it that what should have marks has them: records the build once.
    Marks that were missing would cost nothing."""
    if build.layout is None:
        return
    recorded = Variant(build.name, build.name, "recorded once", "10ms")
    result, measured, fault = runner.run(executable, task, recorded)
    if fault is None and measured["trace"]["layout"] != build.layout:
        fault = "a trace of layout %s" % measured["trace"]["layout"]
    if fault:
        raise Failure(
            "the build '%s' cannot be recorded, it has %s; exit status %d, "
            "it said: %s"
            % (build.name, fault, result.status, runner.stderr_of_last_run())
        )


def reference_run(runner, task, native):
    """What the task is to come to, and what that took. It warms up the caches
    too."""
    reference, measured, _ = runner.run(native, task, NATIVE)
    if reference.status != 0:
        raise Failure(
            "native ended with status %d: %s"
            % (reference.status, runner.stderr_of_last_run())
        )
    if reference.client_status != 0:
        raise Failure(
            "native's client ended with status %d: %s"
            % (reference.client_status, runner.stderr_of_last_run())
        )
    return reference, measured


class Attempt(NamedTuple):
    """One side of a pair, run."""

    measured: Optional[dict]
    void: Optional[str] = None  # why it is
    said: Optional[str] = None  # on its error output, where it is void
    too_long: Optional[float] = None  # the seconds after which it was ended


def _attempt(runner, executable, task, side, reference, limit_s):
    try:
        result, measured, fault = runner.run(executable, task, side, limit_s)
    except Failure as failure:
        if side is NATIVE:
            raise
        runner.remove_traces()
        if isinstance(failure, TooLong):
            return Attempt(
                None,
                "%s took more than %d s" % (side.name, limit_s),
                runner.stderr_of_last_run(),
                limit_s,
            )
        return Attempt(None, "%s: %s" % (side.name, failure))
    # `pagetide record` says on the error output where the trace is.
    wrong = difference(result, reference, not side.by_command) or fault
    if wrong is None:
        return Attempt(measured)
    return Attempt(
        measured,
        "%s has %s" % (side.name, wrong),
        runner.stderr_of_last_run(),
    )


def _blocks(variants, native_first, order):
    """Runs next to each other, a list each: [variant, base, other variant]. The
    base is a pair with each of its neighbours. Each variant comes before its
    base as often as after it."""
    blocks = []
    for base in dict.fromkeys(map(base_of, variants)):
        sides = [], []  # before the base, and after it
        for variant in variants:
            if base_of(variant) is base:
                sides[native_first[variant.name]].append(variant)
        before, after = sides
        order.shuffle(before)
        order.shuffle(after)
        for number in range(max(len(before), len(after))):
            block = [*before[number : number + 1], None]
            block += after[number : number + 1]
            blocks.append((base, block))
    order.shuffle(blocks)
    return blocks


def pairs(runner, task, executables, variants, rounds, seed):
    """Runs each variant next to what it is compared with (native, mostly), and
    gives a record a pair. `rounds` says how many a variant has. In each round
    they come in another order, and either of a pair comes first as often as the
    other. If a pair of a variant is void, the variant is not run again."""
    reference, measured = reference_run(runner, task, executables["native"])
    order = random.Random(seed)
    # Half of them this way, half that way, so that few bases are to be run.
    shuffled = list(variants)
    order.shuffle(shuffled)
    native_first = {v.name: n % 2 == 0 for n, v in enumerate(shuffled)}
    void = set()
    for number in range(max(rounds[v.name] for v in variants)):
        active = [
            v
            for v in variants
            if number < rounds[v.name] and v.name not in void
        ]
        for base, block in _blocks(active, native_first, order):
            runs = []
            for variant in block:
                side = variant or base
                limit_s = TIME_LIMIT_S
                if side.other:
                    least = side.limit * measured["wall_s"]
                    limit_s = min(limit_s, max(OTHERS_LEAST_S, least))
                executable = executables[side.build]
                runs.append(
                    _attempt(
                        runner, executable, task, side, reference, limit_s
                    )
                )
            of_base = runs[block.index(None)]
            for variant, run in zip(block, runs):
                if variant is None:
                    continue
                base_first = native_first[variant.name]
                bad = of_base if of_base.void else run
                if bad.void:
                    void.add(variant.name)
                yield {
                    "record": "pair",
                    "variant": variant.name,
                    "against": base.name,
                    "round": number,
                    "first": base.name if base_first else "variant",
                    "void": bad.void,
                    "said": bad.said,
                    "too_long": bad.too_long,
                    "base": of_base.measured,
                    "measured": run.measured,
                }
        for name in native_first:
            native_first[name] = not native_first[name]
