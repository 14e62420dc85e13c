# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a restore takes, beside a plain read of the same files and a copy of
as much memory. A section of checkpoints.py."""

import os
import pathlib
import statistics
import tempfile

from commands import run
from sections import grouped
from tables import spread, table
from toolchain import ROOT

SOURCE = ROOT / "benchmarks" / "checkpoints" / "restore.c"
CHAINS = (("a base", 0), ("a base and 20 increments", 20))
COMPRESSIONS = (("zstd", 1), ("LZ4", -2), ("not compressed", -1))


def _build(bench):
    out = bench.directory / "restore"
    run(
        [bench.toolchain.clang, "-O2", "-Wall", "-Wextra", "-Werror",
         "-fpagetide-mode=always", "-fpagetide-precision=exact", SOURCE,
         *bench.toolchain.checkpoint_flags(), "-o", out],
        bench.directory,
    )
    return out


def _forget(files):
    """The kernel's copies of the files go, so that the disk is read."""
    for file in files:
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def _timed(program, directory, *words):
    count, nanoseconds = run([program, *words], directory).stdout.split()
    return {"bytes": int(count), "ns": int(nanoseconds)}


def _round(program, directory, mib, files):
    result = {"copy": _timed(program, directory, "copy", mib)}
    for name, is_cold in (("warm", False), ("cold", True)):
        for what, words in (("read", files), ("back", ["saved"])):
            if is_cold:
                _forget(files)
            else:
                _timed(program, directory, "read", *files)
            result["%s_%s" % (what, name)] = _timed(
                program, directory, what, *words
            )
    return result


def measure(bench, scale):
    program = _build(bench)
    mib = scale["restore_mib"]
    # On the disk of the build; the scratch directory may be memory.
    disk = bench.toolchain.directory / "benchmarks"
    disk.mkdir(exist_ok=True)
    for chain, increments in CHAINS:
        for compression, level in COMPRESSIONS:
            with tempfile.TemporaryDirectory(dir=disk) as directory:
                run([program, "make", "saved", mib, increments, level],
                    directory)
                files = sorted(pathlib.Path(directory, "saved").iterdir())
                for round_number in range(scale["rounds"]):
                    yield {
                        "record": "restore",
                        "options": {"chain": chain, "compression": compression,
                                    "mib": mib, "round": round_number},
                        "void": None,
                        "result": _round(program, directory, mib, files),
                    }


def _bandwidth(results, what):
    """Of the region's bytes, in GB/s."""
    bytes_of_region = [r["copy"]["bytes"] for r in results]
    return "%.2f" % statistics.median(
        n / r[what]["ns"] for n, r in zip(bytes_of_region, results)
    )


def table_of(records):
    groups = grouped(
        records, "restore",
        lambda r: tuple(r["options"][n] for n in ("mib", "chain", "compression")),
        lambda r: r["result"],
    )
    rows = []
    for (mib, chain, compression), results in groups.items():
        for name in ("warm", "cold"):
            read, back = "read_" + name, "back_" + name
            # The lesser of two bandwidths: what takes longer.
            ratios = [
                r[back]["ns"] / max(r[read]["ns"], r["copy"]["ns"])
                for r in results
            ]
            rows.append(
                [
                    "%d MiB: %s, %s, %s" % (mib, chain, compression, name),
                    "%.0f" % (results[0][read]["bytes"] / 2**20),
                    _bandwidth(results, back),
                    _bandwidth(results, read),
                    _bandwidth(results, "copy"),
                    spread(ratios, "%.2f"),
                ]
            )
    header = ["region, files", "files MiB", "restore GB/s", "read GB/s",
              "copy GB/s", "time over the longer of these"]
    return table(header, rows)
