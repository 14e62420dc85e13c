# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The build of Pagetide that is measured, and the machine it is measured on."""

import datetime
import hashlib
import os
import pathlib
import platform
import subprocess

from elf_sections import code_hash
from failure import Failure

ROOT = pathlib.Path(__file__).absolute().parent.parent


def file_hash(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def output_of(*command):
    """The output of a command, or an empty string where it fails."""
    try:
        return subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=ROOT
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


class Toolchain:
    """The parts of a build tree (or of an installed prefix)."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory).absolute()
        self.clang = self._part("bin/pagetide-clang")
        self.clangxx = self._part("bin/pagetide-clang++")
        self.pagetide = self._part("bin/pagetide")
        self.plugin = self._part("lib/PagetidePass-19.so")
        self.runtime = self._part("lib/libpagetide.so")
        self.compiler_version = output_of(self.clang, "--version")
        if "clang version" not in self.compiler_version:
            raise Failure(
                "%s --version does not answer: run it by hand to see why"
                % self.clang
            )
        # What an instrumented program's code depends on. The runtime is not
        # part of it: programs load the one that lies in this directory.
        self.instrumentation = "%s %s %s" % (
            self.directory,
            code_hash(self.plugin),
            code_hash(self.clang),
        )

    def checkpoint_flags(self):
        """What a program that makes checkpoints needs, behind its sources."""
        library = self.directory / "lib"
        return ("-I", ROOT / "include", "-L", library, "-lpagetide-checkpoint",
                "-Wl,-rpath,%s" % library)

    def _part(self, name):
        path = self.directory / name
        if not path.exists():
            raise Failure(
                "%s is not there: build Pagetide in %s (ninja -C), or name "
                "another build tree by --build" % (path, self.directory)
            )
        return path


def _first_line_with(path, start):
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except OSError:
        return ""
    found = [line for line in lines if line.startswith(start)]
    return found[0].split(":", 1)[-1].strip() if found else ""


def _cpu_caches():
    sizes = []
    for index in sorted(
        pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")
    ):
        kind = _first_line_with(index / "type", "")
        if kind != "Instruction":
            sizes.append(
                "L%s %s"
                % (
                    _first_line_with(index / "level", ""),
                    _first_line_with(index / "size", ""),
                )
            )
    return ", ".join(sizes)


def describe(toolchain):
    """The machine, the date and all versions, for the record."""
    memory = _first_line_with("/proc/meminfo", "MemTotal").split()
    # Without a lock: someone may be working in this checkout.
    changed = output_of(
        "git", "--no-optional-locks", "status", "--porcelain", "-uno"
    )
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(
            timespec="seconds"
        ),
        "cpu": _first_line_with("/proc/cpuinfo", "model name"),
        "cpus": len(os.sched_getaffinity(0)),
        "caches": _cpu_caches(),
        "memory_mib": int(memory[0]) // 1024 if memory else None,
        "kernel": platform.release(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", ""),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        "compiler": toolchain.compiler_version.splitlines()[0],
        "pagetide": output_of(toolchain.pagetide, "--version"),
        "commit": output_of("git", "rev-parse", "HEAD")
        + (" and changes" if changed else ""),
        "plugin_sha256": file_hash(toolchain.plugin),
        "runtime_sha256": file_hash(toolchain.runtime),
    }
