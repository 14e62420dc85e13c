# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ends a benchmark run, as the user reads it."""


class Failure(Exception):
    """What happened, to what, and what to do about it."""
