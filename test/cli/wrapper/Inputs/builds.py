#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links and rewrites programs in every way of a table, natively and marked.

    builds.py links|rewrites --clang C --wrapper W --pagetide P --inputs DIR

What works natively must work marked: the same output, not recorded and
recorded, and the pages that the program is known to write.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

# Each of the program's two arrays is four pages; they may begin in a page.
LEAST_PAGES = 8

LINKERS = ("bfd", "gold", "lld", "mold")

# Name: options of the link. `library` and `relocatable` are links in two steps.
LINKS = {
    "plain": "",
    "library": "-shared -fPIC",
    "relocatable": "-r -nostdlib",
    "gc-sections": "-Wl,--gc-sections",
    "z-defs": "-Wl,-z,defs",
    "icf": "-Wl,--icf=all",
    "no-pie": "-no-pie",
    "build-id-none": "-Wl,--build-id=none",
    "noseparate-code": "-Wl,-z,noseparate-code",
    "notes-discarded": "-no-pie -Wl,-T,discard.ld",
}

# Those that differ under link-time optimisation.
LTO_LINKS = ("plain", "library", "relocatable", "gc-sections", "z-defs")

# Name: options of all steps, and of the wrapper alone.
LTO = {
    "no-lto": ("", ""),
    "lto": ("-flto", "-fpagetide-lto=mark"),
    "thinlto": ("-flto=thin", "-fpagetide-lto=mark"),
    "lld-lto": ("-flto", ""),
    "lld-thinlto": ("-flto=thin", ""),
}

# What is done to a finished program.
PROGRAM_REWRITES = (
    "strip",
    "strip --strip-unneeded",
    "strip -R .note.ABI-tag",
    "strip -R .note.gnu.build-id",
    "strip -R .note.gnu.property",
    "strip -R .note.pagetide",
    "strip -R .note*",
    "strip -R .note.gnu.* -R .comment",
    "objcopy --remove-section .note.ABI-tag",
    "objcopy --strip-all -R .note.gnu.build-id -R .note.ABI-tag",
    "llvm-strip-19 --strip-all",
    "llvm-strip-19 --strip-sections",
    "llvm-strip-19 -R .note.pagetide",
    "llvm-objcopy-19 --remove-section .note.gnu.build-id",
    "eu-strip",
    "eu-strip --strip-sections",
    "eu-strip -R .note.ABI-tag",
    "patchelf --add-rpath /no/such/directory",
    "patchelf --add-needed libm.so.6",
)

# What is done to each of its objects. Main refers to the other's function.
OBJECT_REWRITES = (
    "strip --strip-unneeded",
    "objcopy -R .note.pagetide",
    "objcopy --localize-hidden",
    "objcopy --keep-global-symbol main --keep-global-symbol sum_of_neighbours",
    "objcopy -G main -G sum_of_neighbours --strip-unneeded",
    "objcopy --weaken",
    "objcopy -R .note.GNU-stack -R .comment",
    "llvm-objcopy-19 --localize-hidden",
    "llvm-objcopy-19 --keep-global-symbol main "
    "--keep-global-symbol sum_of_neighbours",
)


class Failure(Exception):
    pass


def run(command, **keywords):
    return subprocess.run(command, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          errors="replace", timeout=120, **keywords)


def checked(command, directory):
    done = run(command, cwd=directory)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}: status "
                      f"{done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Builder:
    """Builds by one compiler command in one directory."""

    def __init__(self, command, extra, inputs, directory):
        self.command = [command, "-O1", *extra]
        self.inputs = inputs
        self.directory = directory
        directory.mkdir(parents=True)
        # bfd's own script, in which no note is kept.
        script = checked(["ld.bfd", "--verbose"], directory).split("=" * 50)[1]
        (directory / "discard.ld").write_text(
            script.replace("/DISCARD/ : {", "/DISCARD/ : { *(.note.*)"))

    def do(self, *words):
        checked([*self.command, *words], self.directory)

    def objects(self, options, rewrite=None):
        for side in ("left", "right"):
            self.do(*options, "-c", self.inputs / f"link_{side}.c", "-o",
                    f"{side}.o")
            if rewrite:
                checked([*rewrite, f"{side}.o"], self.directory)

    def link(self, name, options):
        words = LINKS[name].split()
        parts = ["left.o", "right.o"]
        if name == "library":
            self.do(*options, *words, "right.o", "-o", "libright.so")
            words, parts = [], ["left.o", "./libright.so"]
        elif name == "relocatable":
            self.do(*options, *words, *parts, "-o", "all.o")
            words, parts = [], ["all.o"]
        self.do(*options, *words, *parts, "-o", "program")

    def output(self):
        return checked(["./program"], self.directory)


def pages_of(builder, pagetide):
    """Records the program, and returns its output and the pages written."""
    trace = "trace.pagetide"
    recorded = checked([pagetide, "record", "-o", trace, "--",
                        "./program"], builder.directory)
    text = checked([pagetide, "export", "-f", "csv", trace],
                   builder.directory)
    rows = [row.split(",") for row in text.splitlines()]
    kind = rows[0].index("written")
    return recorded, sum(1 for row in rows[1:] if row[kind] == "1")


def same(name, builder, expected, pagetide):
    if builder.output() != expected:
        raise Failure(f"not recorded: {builder.output()!r}")
    recorded, pages = pages_of(builder, pagetide)
    if recorded != expected:
        raise Failure(f"recorded: {recorded!r}, not {expected!r}")
    if pages < LEAST_PAGES:
        raise Failure(f"only {pages} written pages")


def each_link(args, work):
    """Name, native builder, marked builder, and a function that builds."""
    for linker in LINKERS:
        if not shutil.which(f"ld.{linker}"):
            raise SystemExit(f"ld.{linker} is not installed: scripts/setup.sh")
        for lto, (options, own) in LTO.items():
            if lto.startswith("lld-") and linker != "lld":
                continue
            for name in LTO_LINKS if options else LINKS:
                words = [f"-fuse-ld={linker}", *options.split()]
                compile_words = [*options.split(),
                                 *(["-fPIC"] if name == "library" else [])]

                def build(builder, name=name, words=words,
                          compile_words=compile_words):
                    builder.objects(compile_words)
                    builder.link(name, words)

                place = work / f"{linker}-{lto}-{name}"
                yield (f"{linker} {lto} {name}",
                       Builder(args.clang, [], args.inputs, place / "native"),
                       Builder(args.wrapper, own.split(), args.inputs,
                               place / "marked"), build)


def each_rewrite(args, work):
    for of_objects, rewrites in ((False, PROGRAM_REWRITES),
                                 (True, OBJECT_REWRITES)):
        for number, rewrite in enumerate(rewrites):
            words = rewrite.split()
            if not shutil.which(words[0]):
                raise SystemExit(
                    f"{words[0]} is not installed: scripts/setup.sh")

            def build(builder, words=words, of_objects=of_objects):
                builder.objects([], words if of_objects else None)
                builder.link("plain", [])
                if not of_objects:
                    checked([*words, "program"], builder.directory)

            place = work / f"{'objects' if of_objects else 'program'}-{number}"
            yield (f"{'objects' if of_objects else 'program'}: {rewrite}",
                   Builder(args.clang, [], args.inputs, place / "native"),
                   Builder(args.wrapper, [], args.inputs, place / "marked"),
                   build)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table", choices=("links", "rewrites"))
    for option in ("clang", "wrapper", "pagetide"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--inputs", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="part of a name")
    args = parser.parse_args()
    work = pathlib.Path.cwd() / args.table
    rows = each_link if args.table == "links" else each_rewrite
    counts = {"same": 0, "not native": 0, "failed": 0}
    for name, native, marked, build in rows(args, work):
        if args.only not in name:
            continue
        try:
            build(native)
            expected = native.output()
        except Failure:
            counts["not native"] += 1
            print(f"not native: {name}")
            continue
        try:
            build(marked)
            same(name, marked, expected, args.pagetide)
            counts["same"] += 1
        except Failure as failure:
            counts["failed"] += 1
            print(f"FAILED: {name}: {failure}")
    print(json.dumps(counts))
    sys.exit(counts["failed"] != 0)


if __name__ == "__main__":
    main()
