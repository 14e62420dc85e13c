# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets each system call of the runtime fail, one at a time, and judges the run.

usage: sweep.py --inject INJECT --work WORK --pagetide PAGETIDE --dir DIR
                [--quick] [--only CALL] [--policy refuse|continue|stop] [--jobs N]
                [--scenario NAME]

For every scenario of SCENARIOS, every call of the runtime and every number N,
as long as the run makes an Nth such call, the program is run with that call
failing (ERRORS says with what). It must

  - end, and not by a signal;
  - print and return what it does if nothing fails, or, as on_failure allows,
    end with status 125 and a message that begins "ERROR: Pagetide": at any time
    under `stop`, when a program starts under `refuse`, never under `continue`
    (except if the runtime cannot even map memory of its own);
  - leave traces that hold exactly what the program says it accessed, unless the
    trace itself says that something is lost, or the process has no trace and a
    message says why.

Prints each broken promise with the command that shows it, and a line of totals.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import signal
import subprocess
import sys

ARENA, ARENA_BYTES = 0x100000000000, 4096 * 4096
SECONDS = 20

# name: words for work, options of the runtime, whether below pagetide record
SCENARIOS = {
    "plain": ("periods threads fork", "period=0", False),
    "stop-threads": ("periods threads",
                     "period=0:checksum=accessed:unstable=stop", False),
    "callback": ("callback periods fork",
                 "period=0:checksum=written:unstable=rehash", False),
    "record": ("periods threads fork exec", "period=0:per_thread=1", True),
}
# In the quick sweep, of each kind: the first calls, then fewer and fewer.
QUICK = [1, 2, 4, 9, 20, 45, 100]
QUICK_POLICIES = {"plain": ["refuse", "stop"], "stop-threads": ["continue"],
                  "callback": ["continue"], "record": ["refuse"]}

# What a call is made to fail with; `+`: it and all later calls of its kind.
ERRORS = {
    "mmap": ["ENOMEM", "+ENOMEM"], "mremap": ["ENOMEM", "+ENOMEM"],
    "mprotect": ["ENOMEM"], "madvise": ["EINVAL"], "msync": ["EIO"],
    "memfd_create": ["EMFILE", "ENOMEM", "EPERM"], "ftruncate": ["ENOSPC"],
    "fallocate": ["ENOSPC", "+ENOSPC", "EIO", "EINTR", "EOPNOTSUPP",
                  "+EOPNOTSUPP"],
    "openat": ["EMFILE", "+EMFILE", "ENOMEM"], "read": ["EIO", "EINTR"],
    "write": ["EIO"],
    "writev": ["ENOSPC", "+ENOSPC", "EIO", "+EIO", "EINTR", "short",
               "EDQUOT"],
    "clone": ["EAGAIN"], "clone3": ["EAGAIN"], "socket": ["EMFILE"],
    "connect": ["ECONNREFUSED", "EINTR"], "sendmsg": ["ENOMEM", "EINTR"],
    "dup3": ["EMFILE"], "process_vm_readv": ["EPERM", "ENOMEM", "+EPERM"],
    "process_vm_writev": ["EPERM", "ENOMEM", "+EPERM"],
    "prctl": ["EPERM"], "ptrace": ["EPERM"],
}


class Run:
    """One run of a scenario, with a fault or without."""

    def __init__(self, args, scenario, policy, fault):
        words, options, below_record = SCENARIOS[scenario]
        name = "%s-%s-%s" % (scenario, policy, fault or "none")
        self.dir = os.path.join(args.dir, name.replace(":", "_"))
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.dir)
        options += ":on_failure=" + policy
        self.command = [args.inject, "-c", "counts", "-l", "faults"]
        if fault:
            self.command += ["-f", fault]
        self.command += ["--"]
        if below_record:
            self.command += [args.pagetide, "record", "-o", "trace", "--"]
        else:
            options += ":trace_path=trace"
        self.command += [args.work] + words.split()
        self.options = options
        self.timed_out = False
        with open(os.path.join(self.dir, "out"), "wb") as out, \
                open(os.path.join(self.dir, "err"), "wb") as err:
            process = subprocess.Popen(
                self.command, cwd=self.dir, stdout=out, stderr=err,
                stdin=subprocess.DEVNULL, start_new_session=True,
                env=dict(os.environ, PAGETIDE_OPTIONS=options))
            try:
                self.status = process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                self.status, self.timed_out = -9, True
        self.out = self.read("out")
        self.err = self.read("err")
        self.injected = self.read("faults")

    def read(self, name):
        try:
            with open(os.path.join(self.dir, name), errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def counts(self):
        return {line.split()[0]: int(line.split()[1])
                for line in self.read("counts").splitlines()}


def truth_of(out):
    """{role: {(period, address): {r, w}}}; the roles are processes' traces."""
    truth = {}
    for line in out.splitlines():
        match = re.fullmatch(r"(\w+) (\d+) (0x[0-9a-f]+) ([rw])", line)
        if match:
            role, period, address, kind = match.groups()
            truth.setdefault(role, {}).setdefault(
                (int(period), int(address, 16)), set()).add(kind)
    return truth


class Trace:
    def __init__(self, args, path):
        self.path = path
        report = subprocess.run(
            [args.pagetide, "report", "--json", "--only", path],
            capture_output=True, text=True, errors="replace", timeout=SECONDS)
        info = subprocess.run([args.pagetide, "info", path],
                              capture_output=True, text=True, timeout=SECONDS)
        self.info_status = info.returncode
        self.report = report.stdout
        self.lost = ('"code":"lost"' in self.report
                     or self.info_status != 0)
        rows = subprocess.run(
            [args.pagetide, "export", "-f", "csv", "--address-range",
             "%#x:%#x" % (ARENA, ARENA + ARENA_BYTES - 1), path],
            capture_output=True, text=True, timeout=SECONDS)
        self.rows = {}
        for line in rows.stdout.splitlines()[1:]:
            fields = line.split(",")
            kinds = set()
            if fields[6] == "1":
                kinds.add("r")
            if fields[7] == "1" and "+carried" not in fields[9]:
                kinds.add("w")
            key = int(fields[0]), int(fields[5], 16)
            if kinds:
                self.rows.setdefault(key, set()).update(kinds)


def judge(args, run, truth_out, policy):
    """What is wrong with a run; empty if nothing is."""
    if run.timed_out:
        return "it did not end within %d s" % SECONDS
    if run.status < 0:
        return "it died of signal %d" % -run.status
    if "inject:" in run.err:
        return "the injector failed: " + run.err
    refused = "ERROR: Pagetide" in run.err
    not_started = "ERROR: Pagetide: the program was not started" in run.err
    # Marks of a fork without memory of its own would be its parent's.
    no_shadow = ("cannot map shadow memory for a forked child" in run.err
                 or "virtual address space" in run.err)
    # An option that cannot be obeyed is an error under every policy.
    bad_option = "ERROR: Pagetide: option" in run.err and not run.out
    allowed = refused and (policy == "stop" or no_shadow or bad_option or
                           (policy == "refuse" and not_started))
    if (run.out, run.status) != (truth_out, 0):
        if not allowed:
            return "the program's output or status %d differs" % run.status
        if run.status != 125 and "child's status 0x7d00" not in run.out:
            return "it was stopped with status %d" % run.status
        if not truth_out.startswith(run.out) and (
                "child's status 0x7d00" not in run.out):
            return "what it printed before it was stopped differs"
    elif refused:
        return "an ERROR was said, but the program ran on"

    truth = truth_of(truth_out)
    traces = [Trace(args, path) for path in
              sorted(glob.glob(os.path.join(run.dir, "trace*")))]
    unsaid = []
    roles = set(truth)
    for trace in traces:
        # The first page says which process it is.
        best = max(roles, key=lambda role: (
            sum(truth[role].get(key, set()) >= kinds
                for key, kinds in trace.rows.items()), role), default=None)
        if best is None:
            return "%s: a trace of no process" % trace.path
        roles.discard(best)
        wanted = truth[best]
        for key, kinds in trace.rows.items():
            if not kinds <= wanted.get(key, set()):
                return "%s: invented: period %d, %#x: %s" % (
                    trace.path, key[0], key[1], kinds)
        missing = sorted(key for key, kinds in wanted.items()
                         if not kinds <= trace.rows.get(key, set()))
        if missing and not trace.lost and not allowed:
            unsaid.append("%s: period %d, %#x is missing and nothing says so" %
                          (trace.path, *missing[0]))
        if trace.lost and policy == "stop" and not refused:
            unsaid.append("%s: something is lost though the policy is stop" %
                          trace.path)
        if not missing and trace.info_status and not run.err:
            unsaid.append("%s: not complete, without a message" % trace.path)
    if roles and not ("Pagetide" in run.err):
        unsaid.append("no trace of %s, and no message" % sorted(roles))
    if roles and policy == "stop" and not refused:
        unsaid.append("no trace of %s though the policy is stop" %
                      sorted(roles))
    return "; ".join(unsaid)


def main():
    parser = argparse.ArgumentParser()
    for name in ("inject", "work", "pagetide", "dir"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--scenario")
    parser.add_argument("--policy")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    for name in ("inject", "work", "pagetide", "dir"):
        setattr(args, name, os.path.abspath(getattr(args, name)))

    points, broken, idle = 0, [], 0
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    for scenario in SCENARIOS:
        if args.scenario and scenario != args.scenario:
            continue
        for policy in ("refuse", "continue", "stop"):
            if args.policy and policy != args.policy or (
                    args.quick and policy not in QUICK_POLICIES[scenario]):
                continue
            clean = Run(args, scenario, policy, None)
            problem = judge(args, clean, clean.out, policy)
            if problem or clean.status or clean.injected:
                sys.exit("%s without a fault: %s; status %d\n%s" % (
                    scenario, problem, clean.status, clean.err))
            if not truth_of(clean.out):
                sys.exit(scenario + ": the program said nothing")

            def attempt(call, number, error):
                goes_on = "+" if error.startswith("+") else ""
                fault = "%s:%d%s:%s" % (call, number, goes_on,
                                        error.lstrip("+"))
                run = Run(args, scenario, policy, fault)
                try:
                    problem = judge(args, run, clean.out, policy)
                except subprocess.TimeoutExpired as late:
                    problem = str(late)
                if not problem:
                    shutil.rmtree(run.dir, ignore_errors=True)
                return run, fault, problem

            jobs = []
            for call, most in sorted(clean.counts().items()):
                if args.only and call != args.only:
                    continue
                # Beyond the count of the clean run: a failure may lead to
                # further calls, and some runs make more than others.
                numbers = [n for n in QUICK if n <= most] if args.quick else \
                    range(1, most + 3)
                errors = ERRORS.get(call, ["EPERM"])
                for i, number in enumerate(numbers):
                    for j, error in enumerate(errors):
                        if args.quick and len(errors) > 2 and \
                                (i + j) % len(errors) > 1:
                            continue
                        jobs.append(pool.submit(attempt, call, number, error))
            for job in jobs:
                run, fault, problem = job.result()
                points += bool(run.injected)
                idle += not run.injected
                if problem:
                    broken.append(fault)
                    print("BROKEN %s, on_failure=%s, %s: %s\n"
                          "  PAGETIDE_OPTIONS='%s' %s\n  %s  %s" % (
                              scenario, policy, fault, problem, run.options,
                              " ".join(run.command), run.injected,
                              run.err.replace("\n", "\n  ")), flush=True)
    pool.shutdown()
    print("faults injected: %d (and %d runs that made no such call); "
          "broken promises: %d" % (points, idle, len(broken)))
    sys.exit(bool(broken) or not points)


if __name__ == "__main__":
    main()
