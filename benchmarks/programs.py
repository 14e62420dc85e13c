# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs, each described once: where its source is, how it is built, what
it is run with.

A Recipe builds an executable; a Program runs one on an input of some size. Two
programs may share a recipe.
"""

import pathlib
from typing import Callable, NamedTuple, Optional

import inputs


class Recipe(NamedTuple):
    """How to build an executable: one call of the compiler with all sources."""

    name: str
    sources: tuple  # patterns, below the source directory
    package: Optional[str] = None  # Debian source package; None: kernels/
    language: str = "c"  # or "c++"
    flags: tuple = ("-O2",)
    libraries: tuple = ()
    left_out: tuple = ()  # file names that the patterns match as well
    includes: tuple = ()  # directories of headers, below the source directory
    drivers: tuple = ()  # sources of ours in drivers/, beside the package's
    headers: tuple = ()  # (name, text) of files that the package's build makes
    # Commands that make further sources in an empty directory, which is then
    # the source directory. {source} is the package, {cc} a native compiler.
    prepare: tuple = ()


class Client(NamedTuple):
    """What gives a server its work: it is started beside it, waits until the
    server listens, prints what must be the same in every run, and tells the
    server to end. It is built natively, and its time is not measured."""

    recipe: Recipe
    arguments: dict  # by size, as a Program's


class Program(NamedTuple):
    """A run: the executable's arguments, and what they are run on. It may write
    to the directory that it is started in."""

    name: str
    kind: str  # "kernel", "real" or "start"
    help: str
    recipe: Recipe
    # By size: the arguments. {input} is the input's path.
    arguments: dict
    input: Optional[Callable] = None  # makes it; see inputs.py
    input_sizes: Optional[dict] = None
    stdin: bool = False  # the input is standard input
    client: Optional[Client] = None  # of a server


DRIVERS = pathlib.Path(__file__).absolute().parent / "drivers"

# What the name of a kernel that stays in the cache ends in.
WITHIN = "-in-cache"

# By name, for the table and the command line.
SIZES = ("smoke", "quick", "full")


def by_size(smoke, quick, full):
    return dict(zip(SIZES, (smoke, quick, full)))


def kernel(name, help, smoke, quick, full, quick_within, full_within,
           language="c"):
    """Two programs: beyond the caches, and within a core's own (half a MiB, and
    many more rounds). The smallest size is the same for both."""
    suffix = ".c" if language == "c" else ".cpp"
    recipe = Recipe(name, (name + suffix,), language=language)
    return tuple(
        Program(title, "kernel", words, recipe,
                by_size(*(arguments.split() for arguments in sizes)))
        for title, words, sizes in (
            (name, help, (smoke, quick, full)),
            (name + WITHIN, help + ", in the cache",
             (smoke, quick_within, full_within)),
        )
    )


# Debian's bzip2 has its library apart; here it is one program, as its
# packages for other systems are.
BZIP2 = Recipe(
    "bzip2",
    (
        "blocksort.c", "huffman.c", "crctable.c", "randtable.c", "compress.c",
        "decompress.c", "bzlib.c", "bzip2.c",
    ),
    package="bzip2",
    flags=("-O2", "-D_FILE_OFFSET_BITS=64"),
)

MINIGZIP = Recipe(
    "minigzip",
    ("*.c", "test/minigzip.c"),
    package="zlib",
    flags=("-O2", "-D_LARGEFILE64_SOURCE=1", "-DHAVE_UNISTD_H"),
)

# Without the assembly, which no compiler marks; native has none either. One
# thread, for which the rest is written.
ZSTD = Recipe(
    "zstd",
    (
        "lib/common/*.c", "lib/compress/*.c", "lib/decompress/*.c",
        "lib/dictBuilder/*.c", "programs/*.c",
    ),
    package="libzstd",
    flags=(
        "-O2", "-DZSTD_DISABLE_ASM", "-DZSTD_LEGACY_SUPPORT=0",
        "-DXXH_NAMESPACE=ZSTD_", "-DZSTD_NOBENCH", "-DZSTD_NOTRACE",
    ),
)

# The seed of its string hashes would be taken from the clock and an address.
LUA = Recipe(
    "lua",
    ("src/*.c",),
    package="lua5.4",
    left_out=("luac.c",),
    flags=("-O2", "-DLUA_USE_POSIX", "-Dluai_makeseed(L)=1u"),
    libraries=("-lm",),
    headers=(
        (
            "lua5.4-deb-multiarch.h",
            '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n',
        ),
    ),
)

SQLITE = Recipe(
    "sqlite3",
    ("sqlite3.c", "shell.c"),
    package="sqlite3",
    flags=("-O2", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"),
    libraries=("-lm",),
    prepare=(
        (
            "{source}/configure", "CC={cc}", "--disable-tcl",
            "--disable-shared", "--disable-readline",
        ),
        ("make", "sqlite3.c", "shell.c"),
    ),
)

# Some of its sources are made, by scripts of its own, of Unicode's tables.
RE2 = Recipe(
    "re2",
    ("re2/*.cc", "util/rune.cc", "util/strutil.cc"),
    package="re2",
    language="c++",
    flags=("-O2", "-std=c++17", "-pthread"),
    drivers=("search.cpp",),
    prepare=(
        ("cp", "-r", "{source}/re2", "{source}/util", "."),
        *(
            ("sh", "-c", "%s re2/make_%s >re2/%s.cc" % (command, script, made))
            for command, script, made in (
                ("/usr/bin/python3", "unicode_casefold.py", "unicode_casefold"),
                ("/usr/bin/python3", "unicode_groups.py", "unicode_groups"),
                ("perl", "perl_groups.pl", "perl_groups"),
            )
        ),
    ),
)

# The interpreter without its modules: what its build calls miniperl, and makes
# first. Hashes have no seed and no order of their own a run.
PERL = Recipe(
    "perl",
    ("*.c",),
    package="perl",
    left_out=(
        "generate_uudmap.c", "malloc.c", "opmini.c", "perlmain.c",
        "perlmini.c", "universalmini.c", "vutil.c",
    ),
    flags=(
        "-O2", "-fno-strict-aliasing", "-fwrapv", "-D_GNU_SOURCE",
        "-D_LARGEFILE_SOURCE", "-D_FILE_OFFSET_BITS=64", "-DPERL_CORE",
        "-DPERL_IS_MINIPERL", "-DPERL_EXTERNAL_GLOB", "-DNO_HASH_SEED",
        "-DPERL_PERTURB_KEYS_DISABLED",
    ),
    libraries=("-lm", "-lcrypt"),
    prepare=(
        ("cp", "-r", "{source}/.", "."),
        (
            "./Configure", "-des", "-Dcc={cc}", "-Uusedl", "-Dman1dir=none",
            "-Dman3dir=none",
        ),
        ("make", "uudmap.h"),
    ),
)

# In C alone, and in one thread. It says how fast it was, which would be another
# output every time.
X264 = Recipe(
    "x264",
    (
        "common/*.c", "encoder/*.c", "filters/*.c", "filters/video/*.c",
        "input/input.c", "input/raw.c", "input/timecode.c", "input/y4m.c",
        "output/raw.c", "output/flv*.c", "output/matroska*.c",
        "autocomplete.c", "x264.c",
    ),
    package="x264",
    left_out=(
        "opencl.c", "threadpool.c", "win32thread.c", "rdo.c", "slicetype.c",
        "slicetype-cl.c",
    ),
    flags=(
        "-O2", "-std=gnu99", "-D_GNU_SOURCE", "-DBIT_DEPTH=8",
        "-DHIGH_BIT_DEPTH=0",
    ),
    libraries=("-lm",),
    prepare=(
        ("cp", "-r", "{source}/.", "."),
        ("sed", "-i", "/encoded %d frames/,/;$/d", "x264.c"),
        (
            "env", "CC={cc}", "./configure", "--disable-asm",
            "--disable-opencl", "--disable-thread", "--bit-depth=8",
            "--disable-avs", "--disable-swscale", "--disable-lavf",
            "--disable-ffms", "--disable-gpac", "--disable-lsmash",
            "--enable-static",
        ),
    ),
)

# Without image formats that need a library each: it writes bitmaps, which say
# nothing of when they were made. Boost's threads are Debian's, without marks.
POVRAY = Recipe(
    "povray",
    (
        "source/*.cpp", "source/backend/*.cpp", "source/backend/*/*.cpp",
        "source/base/*.cpp", "source/base/font/*.cpp", "source/base/image/*.cpp",
        "source/frontend/*.cpp", "vfe/*.cpp", "vfe/unix/*.cpp",
        "unix/disp_text.cpp",
    ),
    package="povray",
    language="c++",
    left_out=(
        "precomp.cpp", "vfeprecomp.cpp", "jpeg.cpp", "openexr.cpp", "png.cpp",
        "tiff.cpp",
    ),
    includes=(
        "source", "source/backend", "source/base", "source/frontend", "vfe",
        "vfe/unix", "unix",
    ),
    flags=("-O2", "-std=c++11", "-pthread", "-DHAVE_CONFIG_H"),
    libraries=("-lboost_thread", "-lboost_date_time", "-lboost_system", "-lz"),
    headers=(("config.h", (DRIVERS / "povray_config.h").read_text()),),
)

# Without regular expressions, for which it needs a library. Thread-local
# storage, and functions of libc that its configure would find.
JQ = Recipe(
    "jq",
    ("src/*.c",),
    package="jq",
    left_out=("inject_errors.c",),
    flags=(
        "-O2", "-D_GNU_SOURCE", "-DIEEE_8087",
        *(
            "-DHAVE_" + name
            for name in (
                "ALLOCA_H", "ATEXIT", "FLOOR", "FREXP", "GETTIMEOFDAY", "GMTIME",
                "GMTIME_R", "ISATTY", "LGAMMA_R", "LOCALTIME_R", "LOG",
                "MEMMEM", "MKSTEMP", "MODF", "POW", "PTHREAD_KEY_CREATE",
                "PTHREAD_ONCE", "SQRT", "STRFTIME", "STRPTIME", "TIMEGM",
                "TM_TM_GMT_OFF", "__THREAD",
            )
        ),
    ),
    libraries=("-lm",),
    prepare=(
        ("cp", "-r", "{source}/src", "."),
        (
            "sed", "-n", r's/\\/&&/g; s/"/\\"/g; s/.*/"&\\n"/; w src/builtin.inc',
            "src/builtin.jq",
        ),
        ("sh", "-c", "echo '#define JQ_VERSION \"\"' >src/version.h"),
    ),
)

# The compiler as a library. What it compiles includes no header, so it needs no
# directory of its own.
TCC = Recipe(
    "tcc",
    ("libtcc.c",),
    package="tcc",
    flags=("-O2", "-fno-strict-aliasing", "-DTCC_TARGET_X86_64"),
    libraries=("-ldl", "-lm"),
    drivers=("compile.c",),
    headers=(
        (
            "config.h",
            '#define TCC_VERSION "0.9.27"\n#define CONFIG_TCCDIR "/nonexistent"\n',
        ),
    ),
)

# Hashes of types are made of their names. By default they are made of addresses,
# and the order of terms changes with every run.
GINAC = Recipe(
    "ginac",
    ("ginac/*.cpp", "ginac/*/*.cpp"),
    package="ginac",
    language="c++",
    left_out=("excompiler.cpp",),
    includes=("ginac", "ginac/parser"),
    flags=("-O2", "-std=c++14", "-DGINAC_HASH_USE_MANGLED_NAME"),
    libraries=("-lcln",),
    drivers=("algebra.cpp",),
)

HIREDIS = tuple(
    "deps/hiredis/%s.c" % name
    for name in ("alloc", "async", "hiredis", "net", "read", "sds", "sockcompat")
)

# With libc's malloc, as the other programs. One thread for I/O beside the main
# one: they spin while they wait, and more of them would do little else where
# there are two processors.
REDIS = Recipe(
    "redis",
    (
        "src/*.c", "deps/hdr_histogram/hdr_histogram.c", "deps/lua/src/*.c",
        *HIREDIS,
    ),
    package="redis",
    left_out=(
        "ae_epoll.c", "ae_evport.c", "ae_kqueue.c", "ae_select.c",
        "cli_common.c", "lua.c", "luac.c", "print.c", "redis-benchmark.c",
        "redis-cli.c", "redisassert.c",
    ),
    includes=(
        "src", "deps/hdr_histogram", "deps/hiredis", "deps/linenoise",
        "deps/lua/src",
    ),
    flags=(
        "-O2", "-std=gnu11", "-pthread", "-DREDIS_STATIC=", "-DLUA_ANSI",
        "-DENABLE_CJSON_GLOBAL", "-DLUA_USE_MKSTEMP",
        '-DHDR_MALLOC_INCLUDE="hdr_redis_malloc.h"',
    ),
    libraries=("-lm", "-ldl"),
    headers=(
        (
            "release.h",
            '#define REDIS_GIT_SHA1 "0"\n#define REDIS_GIT_DIRTY "0"\n'
            '#define REDIS_BUILD_ID ""\n',
        ),
    ),
)

REDIS_CLIENT = Recipe(
    "redis-client",
    HIREDIS,
    package="redis",
    includes=("deps/hiredis",),
    drivers=("redis_client.c",),
)

PROGRAMS = {
    program.name: program
    for program in (
        *kernel("triad", "a = b + s*c over three arrays",
                "1000 5", "3000000 80", "4000000 420",
                "20000 25000", "20000 350000"),
        *kernel("stencil", "five-point mean over a plate",
                "60 5", "1000 350", "2000 550",
                "170 10000", "170 130000"),
        *kernel("lbm", "a fluid, by lattice-Boltzmann",
                "8 3", "48 40", "64 90",
                "14 1000", "14 13000"),
        *kernel("spmv", "sparse matrix times vector",
                "500 5", "300000 30", "1000000 45",
                "3000 8000", "3000 110000"),
        *kernel("hash", "find, insert, erase in a hash table",
                "500 5", "1000000 10", "2000000 28",
                "16000 350", "16000 5000"),
        *kernel("chase", "walk along pointers in random order",
                "500 5", "400000 8", "1000000 12",
                "8000 2500", "8000 35000"),
        *kernel("btree", "insert, find, walk in a B-tree",
                "500 3", "200000 3", "400000 7",
                "1500 600", "1500 8000", language="c++"),
        *kernel("sort", "sort, group, heap with the C++ library",
                "500 3", "400000 2", "800000 6",
                "8000 80", "8000 1200", language="c++"),
        Program("bzip2", "real", "compress", BZIP2,
                by_size(*[["-9", "--stdout", "{input}"]] * 3),
                inputs.mixture, by_size(100_000, 4_000_000, 26_000_000)),
        Program("bzip2-log", "real", "compress a server's log", BZIP2,
                by_size(*[["-9", "--stdout", "{input}"]] * 3),
                inputs.log, by_size(100_000, 3_000_000, 20_000_000)),
        Program("bunzip2", "real", "decompress by bzip2", BZIP2,
                by_size(*[["--decompress", "--stdout", "{input}"]] * 3),
                inputs.mixture_bz2, by_size(100_000, 8_000_000, 45_000_000)),
        Program("minigzip", "real", "compress by zlib", MINIGZIP,
                by_size(*[["-6"]] * 3),
                inputs.mixture, by_size(100_000, 6_000_000, 40_000_000),
                stdin=True),
        Program("zstd", "real", "compress", ZSTD,
                by_size(*[["-7", "--quiet", "--stdout", "{input}"]] * 3),
                inputs.mixture, by_size(100_000, 18_000_000, 120_000_000)),
        Program("perl", "real", "text, hashes, formats, objects", PERL,
                by_size(*[["{script}/report.pl", n] for n in ("1", "1", "6")]),
                inputs.text, by_size(20_000, 1_000_000, 1_000_000),
                stdin=True),
        Program("povray", "real", "draw a scene, C++", POVRAY,
                by_size(*[["+I{script}/scene.pov", "+W" + width, "+H" + height,
                           "-D", "-V", "+WT1", "-GA", "+FB", "+O-"]
                          for width, height in (
                              ("32", "24"), ("240", "180"), ("640", "480"))])),
        Program("re2", "real", "search and replace by patterns, C++", RE2,
                by_size(*[[n] for n in ("1", "1", "7")]),
                inputs.text, by_size(100_000, 4_000_000, 4_000_000),
                stdin=True),
        Program("x264", "real", "encode a video", X264,
                by_size(*[["--quiet", "--no-progress", "--demuxer", "y4m",
                           "--muxer", "raw", "--output", "-", "{input}"]] * 3),
                inputs.video, by_size(2, 45, 280)),
        Program("lua", "real", "tables, strings, closures, collector", LUA,
                by_size(*[["{script}/mixed.lua", n]
                          for n in ("1", "16", "100")])),
        Program("sqlite3", "real", "a shop's tables, in memory", SQLITE,
                by_size(*[["-batch", ":memory:"]] * 3),
                inputs.sql, by_size(2_000, 80_000, 400_000), stdin=True),
        Program("jq", "real", "query and rewrite a JSON text", JQ,
                by_size(*[["--compact-output", "--from-file",
                           "{script}/orders.jq", "{input}"]] * 3),
                inputs.orders, by_size(50, 1_800, 14_000)),
        Program("tcc", "real", "compile a C program", TCC,
                by_size(*[[n] for n in ("1", "8", "60")]),
                inputs.c_program, by_size(40, 1_000, 1_000), stdin=True),
        Program("ginac", "real", "algebra by symbols, C++", GINAC,
                by_size(*[[n] for n in ("1", "3", "20")]),
                inputs.formulas, by_size(20, 300, 300), stdin=True),
        Program("redis", "real", "a server with a thread for I/O", REDIS,
                by_size(*[["--port", "0", "--unixsocket", "socket",
                           "--io-threads", "2", "--io-threads-do-reads", "yes",
                           "--save", "", "--logfile", "/dev/null",
                           "--enable-debug-command", "local"]] * 3),
                client=Client(
                    REDIS_CLIENT,
                    by_size(*[["socket", n] for n in ("2", "40", "220")]))),
        Program("empty", "start", "a main() that returns",
                Recipe("empty", ("empty.c",)), by_size([], [], [])),
    )
}

# --smoke is for machines that may have no network, and must not take long:
# what scripts/test.sh has fetched, and what builds within a second or two. A
# kernel's two sizes are the same there.
SMOKE_PROGRAMS = tuple(
    p.name
    for p in PROGRAMS.values()
    if p.recipe.package is None and not p.name.endswith(WITHIN)
) + ("bzip2",)
