# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds each program once a way, and keeps it for as long as it would come out
the same."""

import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import NamedTuple

from commands import processor_seconds
from elf_sections import code_bytes
from failure import Failure
from toolchain import ROOT, file_hash
from variants import BUILDS

HERE = pathlib.Path(__file__).absolute().parent


class Source(NamedTuple):
    directory: pathlib.Path
    version: str


class Executable(NamedTuple):
    path: pathlib.Path
    cached: bool
    compile_s: float  # user and system time of compiling and linking
    code_bytes: int
    version: str  # of its source


def key_of(*parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _environment():
    """Without what would change the builds: CFLAGS and the like."""
    kept = ("PATH", "TMPDIR", "PAGETIDE_CLANG")
    chosen = {name: os.environ[name] for name in kept if name in os.environ}
    return chosen | {"LC_ALL": "C"}


def _run(command, directory, log):
    """Runs a build step; what it prints goes to the log."""
    with open(log, "ab") as out:
        out.write(("$ %s\n" % " ".join(map(str, command))).encode())
        out.flush()
        try:
            status = subprocess.run(
                [str(word) for word in command],
                cwd=directory,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            ).returncode
        except OSError as error:
            raise Failure(
                "cannot run '%s': %s; install it (scripts/setup.sh does)"
                % (command[0], error.strerror)
            ) from error
    if status != 0:
        tail = pathlib.Path(log).read_text(errors="replace").splitlines()[-20:]
        raise Failure(
            "'%s' failed with status %d. The end of what it said:\n  | %s"
            % (command[0], status, "\n  | ".join(tail))
        )


class Builder:
    """Builds with one toolchain into one cache, which several runs may share:
    what is in it is made elsewhere and moved there whole."""

    def __init__(self, toolchain, cache):
        self.toolchain = toolchain
        self.cache = pathlib.Path(cache)
        self._sources = {}  # by package

    def launcher(self):
        """The path of the program made from launch.c."""
        source = HERE / "launch.c"
        key = key_of(self.toolchain.compiler_version, file_hash(source),
                     file_hash(HERE / "programs.h"))
        name = "launch-" + key
        with self.made(name) as (new, _):
            if new:
                self._compile(
                    self.toolchain.clang, BUILDS["native"], ["-O2"], [source],
                    [], new,
                )
        return self.place(name) / "program"

    def build(self, recipe, build):
        """The recipe's executable, built that way."""
        directory, version = self._source(recipe)
        files = self._files(recipe, directory)
        drivers = [HERE / "drivers" / name for name in recipe.drivers]
        ours = [*drivers, HERE / "kernels" / "kernel.h"] if drivers else []
        files += drivers
        compiler = self.toolchain.clang
        if recipe.language == "c++":
            compiler = self.toolchain.clangxx
        key = key_of(
            recipe.flags,
            recipe.includes,
            recipe.libraries,
            recipe.headers,
            [file_hash(file) for file in ours],
            [str(file) for file in files],
            version,
            build.flags,
            self.toolchain.compiler_version,
            self.toolchain.instrumentation if build.layout else "",
        )
        name = "%s-%s-%s" % (recipe.name, build.name, key)
        with self.made(name) as (new, cached):
            if new:
                for header, text in recipe.headers:
                    (new / header).write_text(text)
                flags = ["-w", *recipe.flags, "-I", new, "-I", directory]
                for include in recipe.includes:
                    flags += ["-I", directory / include]
                seconds = self._compile(
                    compiler, build, flags, files, recipe.libraries, new
                )
                facts = {"compile_s": seconds}
                (new / "facts.json").write_text(json.dumps(facts))
        place = self.place(name)
        facts = json.loads((place / "facts.json").read_text())
        return Executable(
            place / "program",
            cached,
            facts["compile_s"],
            code_bytes(place / "program"),
            version,
        )

    def input(self, maker, size):
        """The path of what a function of inputs.py makes, of that size."""
        name = "input-%s-%d-%s" % (
            maker.__name__, size, key_of(file_hash(HERE / "inputs.py")))
        with self.made(name) as (new, _):
            if new:
                (new / "input").write_bytes(maker(size))
        return self.place(name) / "input"

    def _compile(self, compiler, build, flags, files, libraries, directory):
        """Makes directory/program of the files, as many at a time as there are
        processors. Returns the seconds of processor time it took."""
        before = processor_seconds()
        command = [compiler, *build.flags, *flags]
        objects = [directory / ("%d.o" % n) for n in range(len(files))]

        def make_object(made, file):
            log = made.with_suffix(".log")
            _run([*command, "-c", file, "-o", made], directory, log)

        with concurrent.futures.ThreadPoolExecutor(
            len(os.sched_getaffinity(0))
        ) as pool:
            list(pool.map(make_object, objects, files))
        link = [*command, *objects, "-o", directory / "program", *libraries]
        _run(link, directory, directory / "log")
        for made in objects:
            made.unlink()
        return processor_seconds() - before

    def place(self, name):
        return self.cache / name

    @contextlib.contextmanager
    def made(self, name):
        """Gives (directory to fill, False), which is moved to its place at the
        end; or (None, True) where that stands."""
        place = self.place(name)
        if place.exists():
            yield None, True
            return
        self.cache.mkdir(parents=True, exist_ok=True)
        new = pathlib.Path(tempfile.mkdtemp(dir=self.cache, prefix="new-"))
        try:
            yield new, False
            with contextlib.suppress(OSError):  # another run was faster
                new.rename(place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        if not place.exists():
            raise Failure("%s cannot be made: is the disk full?" % place)

    def _files(self, recipe, directory):
        files = []
        for pattern in recipe.sources:
            found = sorted(directory.glob(pattern))
            if not found:
                raise Failure(
                    "no file in %s matches '%s', of which %s is made; remove "
                    "that directory to have it fetched again"
                    % (directory, pattern, recipe.name)
                )
            files += [f for f in found if f.name not in recipe.left_out]
        return files

    def _source(self, recipe):
        """The directory of the recipe's sources, and their version."""
        if recipe.package is None:
            kernels = HERE / "kernels"
            used = [kernels / name for name in recipe.sources]
            used += sorted(kernels.glob("*.h"))
            return kernels, key_of([file_hash(file) for file in used])
        directory, version = self.source_of(recipe.package)
        if recipe.prepare:
            directory = self._prepare(recipe, directory, version)
        return directory, version

    def source_of(self, package):
        """Of a Debian source package."""
        if package not in self._sources:
            self._sources[package] = self._fetch(package)
        return self._sources[package]

    def _fetch(self, package):
        fetched = subprocess.run(
            [ROOT / "scripts" / "fetch_source.sh", package],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        if fetched.returncode != 0:
            raise Failure(
                "the source of %s could not be fetched (above); see to that, "
                "or choose other programs by --programs" % package
            )
        directory = pathlib.Path(fetched.stdout.splitlines()[-1])
        changelog = directory / "debian" / "changelog"
        with open(changelog, encoding="utf-8", errors="replace") as file:
            words = file.readline().split()  # name (version) suite; urgency
        return Source(directory, words[1].strip("()"))

    def _prepare(self, recipe, source, version):
        clang = "%s %s" % (self.toolchain.clang, *BUILDS["native"].flags)
        # The wrapper's own path counts: configure may write it down.
        key = key_of(recipe.prepare, version, clang)
        name = "%s-source-%s" % (recipe.name, key)
        with self.made(name) as (new, _):
            if new:
                for step in recipe.prepare:
                    words = [w.format(source=source, cc=clang) for w in step]
                    _run(words, new, new / "log")
        return self.place(name)
