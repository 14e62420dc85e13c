#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What checkpoints cost: bytes, processor time and pauses of saves, by the way
in which changes are known; a server under load; restores. README.md beside this
file says how to read the tables.

Exit status: 0; 1 if a run was void or a section failed; 2 if nothing could be
measured.
"""

import pathlib
import shutil
import sys

import checkpoint_restore
import checkpoint_saves
import checkpoint_server
import frame
import sections
from sections import Table

# Per size: a server's runs take `server_s` each, after
# `server_warm_up_s`; a region that is restored has `restore_mib`.
SCALES = sections.by_size(
    rounds=(1, 3, 15),
    server_s=(0.5, 4, 10),
    server_warm_up_s=(0.1, 1.5, 1.5),
    server_period_ms=(100, 1000, 1000),
    restore_mib=(8, 256, 1024),
)


class Bench:
    """Where programs are built, and where they run."""

    def __init__(self, toolchain, directory):
        self.toolchain = toolchain
        self.directory = pathlib.Path(directory)

    def fresh_directory(self):
        directory = self.directory / "run"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        return directory


BENCHMARK = sections.Benchmark(
    name="checkpoints",
    help=__doc__,
    example="benchmarks/checkpoints.py --quick --sections saves "
    "--programs containers",
    tables=(
        sections.Document(
            "checkpoints",
            (
                Table("saves", "Saves, by the way in which changes are known",
                      checkpoint_saves.table_of),
                Table("server", "A key-value server under load",
                      checkpoint_server.table_of),
                Table("restore", "Restores", checkpoint_restore.table_of),
            ),
        ),
    ),
    sections={
        "saves": checkpoint_saves.measure,
        "server": checkpoint_server.measure,
        "restore": checkpoint_restore.measure,
    },
    scales=SCALES,
    bench=Bench,
    options=(sections.PROGRAMS,),
)


if __name__ == "__main__":
    sys.exit(frame.main(BENCHMARK, sys.argv[1:]))
