# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that the oracle runs, how each is built, and what each is made to
do. Inputs are small: QEMU and the plugin slow them down 50 times and more."""

import dataclasses
import pathlib
import random
import subprocess

TEST = pathlib.Path(__file__).resolve().parent.parent
INPUTS = TEST / "oracle" / "Inputs"


@dataclasses.dataclass
class Program:
    name: str
    sources: list           # of one link, instrumented
    flags: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)
    stdin: pathlib.Path = None
    calls: int = 0          # end_period_calls; 0: the program ends its periods
    threads: bool = False   # one whole period, or timed ones
    # By how many periods an access and its entry may be apart: threads that come
    # back from a barrier, and mark it, while another ends the period are not
    # quiescent (docs/reference/contract.md, Exact at quiescence).
    slack: int = 0
    status: int = 0
    needs: str = ""         # a directory of .deps/src
    plain: tuple = ()       # functions in it that are not instrumented
    prepare: object = None  # called before the first build


# Of test/e2e: those that state their sets themselves, too.
# Left out are those that fork, exec, load libraries, cancel threads (at which QEMU
# 7.2 dies, with any program), or need more shadow or
# processor than QEMU has.
KNOWN = """
memory/atomics.c memory/bitfields.c memory/comparisons.c memory/globals.c
memory/inline_assembly.c memory/loads_and_stores.c memory/loop_shapes.c
memory/memory_ranges.c memory/straddles.c memory/struct_copies.c
memory/variable_arguments.c memory/vector_loops_avx2.c
signals/exceptions.cpp signals/long_jumps.c signals/signals.c
threads/threads_disjoint.c threads/threads_shared.c
""".split()


def known():
    for path in KNOWN:
        name = path.split("/")[1]
        flags = ["-include", str(INPUTS / "no_watch.h"),
                 "-I", str(TEST / "lib"), "-I", str(TEST / "e2e" / "Inputs"),
                 "-Wno-unused-function", "-pthread"]
        flags += ["-std=c++17"] if name.endswith(".cpp") else ["-std=gnu99"]
        if name == "atomics.c":
            flags.append("-mcx16")
        if "avx2" in name:
            flags.append("-mavx2")
        yield Program(name.split(".")[0], [TEST / "e2e" / path], flags,
                      slack=int(name.startswith("threads_")))


def made():
    """Made for the oracle."""
    for source in sorted(INPUTS.glob("made_*.c*")):
        flags = ["-pthread", "-lm"]
        flags += ["-std=c++17"] if source.suffix == ".cpp" else ["-std=gnu11"]
        yield Program(source.stem, [source], flags, calls=3)


def text(path, size, seed):
    """A file of words that compresses as text does."""
    if not path.exists():
        chance = random.Random(seed)
        words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9)))
                 for _ in range(3000)]
        written = ""
        while len(written) < size:
            written += " ".join(chance.choices(words, k=4000)) + "\n"
        path.write_text(written[:size])
    return path


def amalgamation(sources, work):
    """sqlite3's sources as one file, as its own makefile makes it."""
    made = work / "sqlite3"
    if not (made / "shell.c").exists():
        made.mkdir(parents=True, exist_ok=True)
        subprocess.run(["make", "-f", sources / "main.mk", f"TOP={sources}",
                        "BCC=cc -w", "TCCX=cc -w", "sqlite3.c", "shell.c"],
                       cwd=made, check=True, capture_output=True)
    return made


def real(sources, work):
    """Real ones, from their Debian sources below `sources`."""
    lua = sources / "lua5.4" / "src"
    yield Program(
        "lua", [f for f in sorted(lua.glob("*.c")) if f.name != "luac.c"],
        ["-DLUA_USE_LINUX", "-I", str(INPUTS), "-Wl,-E", "-lm", "-ldl"],
        [INPUTS / "oracle.lua"], calls=100, needs="lua5.4")
    bzip2 = sources / "bzip2"
    yield Program(
        "bzip2",
        [bzip2 / (f + ".c") for f in ("bzip2", "blocksort", "huffman", "crctable",
                                      "randtable", "compress", "decompress",
                                      "bzlib")],
        ["-D_FILE_OFFSET_BITS=64", "-w"],
        ["-1", "-k", "-c", text(work / "bzip2.txt", 150000, 1)], calls=20,
        needs="bzip2")
    yield Program(
        "sqlite3", [work / "sqlite3" / f for f in ("shell.c", "sqlite3.c")],
        ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-w", "-lm"],
        [":memory:"], INPUTS / "oracle.sql", calls=300, needs="sqlite3",
        prepare=lambda: amalgamation(sources / "sqlite3", work))
    zstd = sources / "libzstd"
    zstd_sources = [f for folder in ("lib/common", "lib/compress",
                                     "lib/decompress", "lib/dictBuilder",
                                     "programs")
                    for f in sorted((zstd / folder).glob("*.c"))]
    zstd_flags = ["-DZSTD_DISABLE_ASM", "-w",
                  "-I", str(zstd / "lib"), "-I", str(zstd / "lib/common"),
                  "-I", str(zstd / "programs")]
    yield Program("zstd", zstd_sources, zstd_flags,
                  ["-6", "-c", "--no-progress",
                   text(work / "zstd.txt", 300000, 2)],
                  calls=1, needs="libzstd")
    yield Program("zstd_T2", zstd_sources,
                  [*zstd_flags, "-DZSTD_MULTITHREAD", "-pthread"],
                  ["-1", "-T2", "-B524288", "-c", "--no-progress",
                   text(work / "zstd_T2.txt", 2000000, 3)],
                  threads=True, needs="libzstd")
