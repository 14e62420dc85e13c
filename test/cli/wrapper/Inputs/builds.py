#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links and rewrites programs in every way of a table, natively and marked.

    builds.py links|rewrites|options --clang C --wrapper W --pagetide P --inputs DIR

What works natively must work marked: the same output, not recorded and
recorded, and the pages that the program is known to write.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "lib"))
import page_sets  # noqa: E402

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

# Options of compiling and linking one program, which states its page sets. `cxx` makes
# it C++; a step before it has `then` between. Those of QUICK are in the suite.
OPTIONS = (
    "",
    "cxx",
    "-flto -fuse-ld=lld",
    "-flto=thin -fuse-ld=lld",
    "cxx -flto=thin -fuse-ld=lld",
    "-flto -ffat-lto-objects -fuse-ld=lld",
    "-flto -funified-lto -fuse-ld=lld",
    "-flto -fvisibility=hidden -fsanitize=cfi -fuse-ld=lld",
    "-fbasic-block-sections=all -fuse-ld=lld",
    "-fsplit-machine-functions -fuse-ld=lld",
    "-mretpoline",
    "-fsanitize=kcfi",
    "-fprofile-instr-generate -fcoverage-mapping",
    "-fprofile-generate",
    "-mtls-dialect=gnu2",
    "-S then -x assembler",
    "-emit-llvm -c then -x ir",
    "-E then -x cpp-output",
    "-fno-plt",
    "-fno-pie -no-pie",
    "-fpie -pie",
    "-mcmodel=medium",
    "-mcmodel=large -fno-pie -no-pie",
    "-fstack-clash-protection",
    "-fcf-protection=full",
    "-ftrapv",
    "-fwrapv",
    "-ffast-math",
    "-fno-omit-frame-pointer",
    "-fpatchable-function-entry=2",
    "-fxray-instrument -fxray-instruction-threshold=1",
    "-fstack-protector-all",
    "cxx -fstack-protector-all",
    "-ftrivial-auto-var-init=pattern",
    "-g -gsplit-dwarf",
    "-ffunction-sections -fdata-sections -Wl,--gc-sections",
    "-Wl,-z,separate-code",
    "-fvisibility=hidden",
    "-fcommon",
    "-fopenmp",
    "cxx -fno-rtti",
    "cxx -fmodules",
    "-Oz -moutline",
    "-march=x86-64-v3",
    "-fsanitize=safe-stack",
    "-fsanitize=undefined -fsanitize-trap=undefined",
)
QUICK = ("cxx", "-flto=thin -fuse-ld=lld", "-fsanitize=kcfi", "-mretpoline",
         "-emit-llvm -c then -x ir", "-mcmodel=medium")


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


def same_sets(builder, args):
    """The program's page sets are those that it states."""
    truth = builder.directory / "truth"
    checked(["env", f"PAGETIDE_TRUTH={truth}", args.pagetide, "record", "-p", "0",
             "-o", "sets", "--", "./program"], builder.directory)
    stated = page_sets.Truth(4096)
    stated.read(truth.read_text().splitlines())
    rows = page_sets.read_rows(
        checked([args.pagetide, "export", "-f", "csv", "sets"],
                builder.directory).splitlines(True), 4096)
    differences = page_sets.compare_exact(stated.for_process(), rows, "rw")
    if differences or stated.page_count() < 6:
        raise Failure("\n".join(differences[:9]) or "it states too little")


def check_options(args, work, row):
    """Builds by these options natively and marked; raises Failure if they differ.
    False: the native build or program fails."""
    steps = [step.split() for step in row.split(" then ")]
    is_cxx = "cxx" in steps[0]
    include = args.inputs.parents[2].parent / "include"

    def built(command, name, own):
        builder = Builder(command, ["-w", "-pthread", "-I", include, "-I",
                                    args.inputs.parents[2] / "lib", *own],
                          args.inputs, work / name)
        source = args.inputs / "options.c"
        for number, step in enumerate(steps):
            words = [word for word in step if word != "cxx"]
            language = [] if number else ["-x", "c++" if is_cxx else "c"]
            last = number == len(steps) - 1
            target = "program" if last else f"step{number}"
            builder.do("-O2", *language, *words, source, "-o", target)
            source = target
        return builder

    try:
        native = built(args.clang + ("++" if is_cxx else ""), "native", ["-DPLAIN"])
        expected = native.output()
    except Failure:
        return False
    wrapper = args.wrapper + ("++" if is_cxx else "")
    plain = built(wrapper, "plain", ["-DPLAIN"])
    for command in (["./program"],
                    [args.pagetide, "record", "-o", "plain.ptrace", "--", "./program"]):
        done = run(command, cwd=plain.directory)
        if done.returncode != 0 or done.stdout != expected:
            raise Failure(f"{command[0]}: status {done.returncode}, {done.stdout!r}, "
                          f"not {expected!r}: {done.stderr!r}")
    same_sets(built(wrapper, "marked", ["-fpagetide-precision=exact"]), args)
    return True


def each_link(args, work):
    """Name, native builder, marked builder, and a function that builds."""
    for linker in LINKERS:
        if not shutil.which(f"ld.{linker}"):
            raise SystemExit(f"ld.{linker} is not installed: scripts/setup.sh")
        for lto, (options, own) in LTO.items():
            if lto.startswith("lld-") and linker != "lld":
                continue
            chosen = LTO_LINKS if options else list(LINKS)
            if options and not args.all:
                # Each with one of any two ways of LTO that follow each other.
                chosen = chosen[list(LTO).index(lto) % 2::2]
            for name in chosen:
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


def try_options(args, work):
    counts = {"same": 0, "not native": 0, "failed": 0}
    for number, row in enumerate(OPTIONS if args.all else QUICK):
        if args.only not in row:
            continue
        try:
            outcome = "same" if check_options(args, work / str(number), row) \
                else "not native"
        except Failure as failure:
            outcome = "failed"
            print(f"FAILED: {row}: {failure}")
        if outcome == "not native":
            print(f"not native: {row}")
        counts[outcome] += 1
    print(json.dumps(counts))
    return counts["failed"] != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table", choices=("links", "rewrites", "options"))
    for option in ("clang", "wrapper", "pagetide"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--inputs", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true",
                        help="all links of all ways of LTO; all of OPTIONS")
    parser.add_argument("--only", default="", help="part of a name")
    args = parser.parse_args()
    work = pathlib.Path.cwd() / args.table
    if args.table == "options":
        sys.exit(try_options(args, work))
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
