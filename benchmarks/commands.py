# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that has to succeed, and tells what commands took."""

import resource
import subprocess

from failure import Failure

TIME_LIMIT_S = 300


def run(command, directory, environment=None, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE):
    """The finished process, with what it printed. Without an environment it has
    ours."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=directory,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIME_LIMIT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise Failure(
            "'%s' ran for more than %d s and was ended"
            % (" ".join(words), TIME_LIMIT_S)
        ) from error
    if done.returncode != 0:
        raise Failure(
            "'%s' failed with status %d: %s"
            % (" ".join(words), done.returncode, done.stderr.strip()[-2000:])
        )
    return done


def processor_seconds():
    """User and system time of all that this process started and that has
    ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
