# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs, takes their times, and checks that they did their work."""

import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
from typing import NamedTuple, Optional

from failure import Failure
from variants import BUILDS, NATIVE, Variant

TIME_LIMIT_S = 900


class Task(NamedTuple):
    """What to run: arguments and input, the same for every build."""

    arguments: tuple
    stdin: Optional[pathlib.Path] = None


class Result(NamedTuple):
    """What a run did; runs of one task must not differ in it."""

    status: int
    stdout: str  # hashes
    stderr: str


def difference(result, reference, by_command=False):
    """How a result differs from the reference, in words; None: it does not."""
    if result.status != reference.status:
        return "exit status %d instead of %d" % (
            result.status,
            reference.status,
        )
    if result.stdout != reference.stdout:
        return "another output than native"
    # `pagetide record` says there where the trace is.
    if result.stderr != reference.stderr and not by_command:
        return "another error output than native"
    return None


def _hash(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Runner:
    """Runs one thing at a time, with its files in a directory of its own."""

    def __init__(self, launcher, pagetide, directory):
        self.launcher = launcher
        self.pagetide = pagetide
        self.directory = pathlib.Path(directory)
        # A program must not see what the user has set.
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}

    def run(self, program, task, variant):
        """Returns (Result, measurements, what is wrong with the trace or
        None)."""
        trace = self.directory / "trace.ptrace"
        command = [program, *task.arguments]
        environment = self.environment
        period = variant.period
        if period and variant.by_command:
            options = ["-p", period, "--checksum", "none", "-o", trace]
            command = [self.pagetide, "record", *options, "--", *command]
        elif period:
            environment = environment | {
                "PAGETIDE_OPTIONS": "trace_path='%s':period=%s:checksum=none"
                % (trace, period)
            }
        result, measured = self._launch(command, environment, task.stdin)
        if not period:
            return result, measured, None
        measured["trace"], fault = self._inspect(trace)
        return result, measured, fault

    def _launch(self, command, environment, stdin):
        report = self.directory / "report.json"
        out, err = self.directory / "stdout", self.directory / "stderr"
        report.unlink(missing_ok=True)
        with (
            open(stdin or os.devnull, "rb") as in_file,
            open(out, "wb") as out_file,
            open(err, "wb") as err_file,
        ):
            process = subprocess.Popen(
                [self.launcher, report, *command],
                cwd=self.directory,
                env=environment,
                stdin=in_file,
                stdout=out_file,
                stderr=err_file,
                start_new_session=True,
            )
            try:
                status = process.wait(TIME_LIMIT_S)
            except BaseException as error:
                # Too late, or interrupted: all that it started ends with it.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                raise Failure(
                    "'%s' ran for more than %d s and was ended"
                    % (" ".join(map(str, command)), TIME_LIMIT_S)
                ) from None
        if status != 0:
            raise Failure(
                "the launcher failed with status %d: %s"
                % (status, err.read_text(errors="replace").strip())
            )
        usage = json.loads(report.read_text())
        measured = {
            "cpu_s": (usage["user_us"] + usage["system_us"]) / 1e6,
            "user_s": usage["user_us"] / 1e6,
            "system_s": usage["system_us"] / 1e6,
            "wall_s": usage["wall_ns"] / 1e9,
        }
        for name in (
            "peak_kib", "minor_faults", "major_faults", "preempted", "waited",
        ):
            measured[name] = usage[name]
        return Result(usage["status"], _hash(out), _hash(err)), measured

    def stderr_of_last_run(self):
        text = (self.directory / "stderr").read_text(errors="replace")
        return text.strip()[:400]

    def _inspect(self, trace):
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
            # A run that finds a trace writes another file.
            for file in self.directory.glob("trace.ptrace*"):
                file.unlink()
        summary = {
            "layout": facts["layout"],
            "bytes": facts["bytes"],
            "duration_s": facts["duration_ns"] / 1e9,
            "periods": facts["periods"]["count"],
            "overruns": facts["periods"]["overruns"],
            "accessed_median": facts["granules"]["accessed"]["median"],
            "accessed_sum": facts["granules"]["accessed"]["sum"],
        }
        if facts["integrity"] != "complete":
            return summary, "a trace that is %s" % facts["integrity"]
        if summary["accessed_sum"] == 0:
            return summary, "a trace without a page"
        return summary, None


def check_marks(runner, task, executables):
    """Sees to it that what should have marks has them: records each build once.
    Marks that were missing would cost nothing."""
    for name, executable in executables.items():
        layout = BUILDS[name].layout
        if layout is None:
            continue
        recorded = Variant(name, name, "recorded once", "10ms")
        result, measured, fault = runner.run(executable, task, recorded)
        if fault is None and measured["trace"]["layout"] != layout:
            fault = "a trace of layout %s" % measured["trace"]["layout"]
        if fault:
            raise Failure(
                "the build '%s' cannot be recorded, it has %s; exit status %d, "
                "it said: %s"
                % (name, fault, result.status, runner.stderr_of_last_run())
            )


def pairs(runner, task, executables, variants, rounds, seed):
    """Runs native and each variant in turn, next to each other, and gives a
    record a pair. In each round the variants come in another order, and either
    of a pair comes first as often as the other."""
    native = executables[NATIVE.build]
    # The first run warms up the caches, and says what is right.
    reference, _, _ = runner.run(native, task, NATIVE)
    if reference.status != 0:
        raise Failure(
            "native ended with status %d: %s"
            % (reference.status, runner.stderr_of_last_run())
        )
    order = random.Random(seed)
    native_first = {v.name: order.random() < 0.5 for v in variants}
    for number in range(rounds):
        shuffled = list(variants)
        order.shuffle(shuffled)
        for variant in shuffled:
            sides = [NATIVE, variant]
            if not native_first[variant.name]:
                sides.reverse()
            native_first[variant.name] = not native_first[variant.name]
            record = {
                "record": "pair",
                "variant": variant.name,
                "round": number,
                "first": "native" if sides[0] is NATIVE else "variant",
                "void": None,
            }
            for side in sides:
                result, measured, fault = runner.run(
                    executables[side.build], task, side
                )
                wrong = difference(result, reference, side.by_command)
                wrong = wrong or fault
                if wrong and not record["void"]:
                    record["void"] = "%s has %s" % (side.name, wrong)
                    record["stderr"] = runner.stderr_of_last_run()
                name = "native" if side is NATIVE else "measured"
                record[name] = measured
            yield record
