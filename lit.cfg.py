# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How lit runs the tests below test/. lit walks upward from the path it is given
# until it meets a configuration: `lit build/test` finds build/lit.site.cfg.py,
# which holds the build's paths and loads this file; `lit test/pass/x.ll` finds
# this file, which then loads the site configuration of the build in
# $PAGETIDE_BUILD (default: build/).

import ctypes
import hashlib
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys

import lit.util

if not hasattr(config, "pagetide_build_root"):
    source_root = os.path.dirname(os.path.realpath(__file__))
    build_root = os.environ.get(
        "PAGETIDE_BUILD", os.path.join(source_root, "build")
    )
    site_config = os.path.join(build_root, "lit.site.cfg.py")
    if not os.path.exists(site_config):
        lit_config.fatal(
            "no configured build in '%s': run cmake there first, or set "
            "PAGETIDE_BUILD to the build directory" % build_root
        )
    lit_config.load_config(config, site_config)
    raise SystemExit  # The site configuration has loaded this file already.

config.name = "Pagetide"


def without_blanks(root):
    """A directory without blanks in its path, if there are some in root: LD_PRELOAD,
    make and many configure scripts cannot have them. `checkout` in it leads to
    root, and the tests work in `work`. With `-D real_paths=1` there is none; with
    that test/meta/scripts/path_of_checkout.test runs what must work there too."""
    if not re.search(r"\s", root) or lit_config.params.get("real_paths"):
        return None
    name = hashlib.sha256(root.encode()).hexdigest()[:12]
    directory = os.path.join("/tmp", "pagetide-tests-%d-%s" % (os.getuid(), name))
    os.makedirs(directory, exist_ok=True)
    found = os.lstat(directory)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        lit_config.fatal("'%s' is not a directory of yours: remove it, the tests "
                         "need it because there is a blank in '%s'"
                         % (directory, root))
    os.chmod(directory, 0o755)  # some tests run as another user
    os.makedirs(os.path.join(directory, "work"), exist_ok=True)
    for link, target in {
        "checkout": root,
        # lit looks for the unit tests' configuration below its work directory.
        "work/test/unit": os.path.join(config.pagetide_build_root, "test", "unit"),
    }.items():
        link = os.path.join(directory, link)
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.islink(link):
            os.symlink(target, link)
    return directory


real_root = config.pagetide_source_root
elsewhere = without_blanks(real_root)
work_root = config.pagetide_build_root
if elsewhere:
    work_root = os.path.join(elsewhere, "work")
    for name, path in list(vars(config).items()):
        if (name.startswith("pagetide_") or name == "make_trace") and (
            path == real_root or path.startswith(real_root + os.sep)
        ):
            setattr(config, name, os.path.join(elsewhere, "checkout")
                    + path[len(real_root):])

# bash runs the scripts, so that tests may use all of the shell.
sys.path.insert(0, os.path.join(config.pagetide_source_root, "test", "lib"))
from quoting_format import QuotingShTest

config.test_format = QuotingShTest(
    real_root, config.pagetide_source_root)
config.suffixes = [".ll", ".c", ".cpp", ".test"]
config.excludes = ["Inputs", "docs", "benchmarks", "examples", ".deps"]
config.excludes += [
    name for name in os.listdir(config.pagetide_source_root)
    if name.startswith("build")
]
config.test_source_root = config.pagetide_source_root
config.test_exec_root = work_root
# build/llvm-N/lit.site.cfg.py is for a further LLVM: the pass is all that is built
# for it, so its tests are all that is run.
if config.pagetide_llvm != config.pagetide_default_llvm:
    config.name += " (LLVM %s)" % config.pagetide_llvm
    config.test_exec_root = os.path.join(work_root, "llvm-" + config.pagetide_llvm)
    os.makedirs(config.test_exec_root, exist_ok=True)
    config.test_source_root = os.path.join(config.pagetide_source_root, "test")
    config.excludes += [
        name for name in os.listdir(config.test_source_root) if name != "pass"
    ]

# lit starts the tests that took longest in its last run. Before the first run it
# learns the slow ones from a list (seconds, test), so that none of them begins last.
times = os.path.join(config.test_exec_root, ".lit_test_times.txt")
if not os.path.exists(times):
    shutil.copy(os.path.join(config.pagetide_source_root, "test", "lib",
                             "slow_tests.txt"), times)

# Time limit. lit needs psutil to kill what a test leaves running.
seconds = int(lit_config.params.get("timeout", 600))
supported, why = lit.util.killProcessAndChildrenIsSupported()
if supported:
    if lit_config.maxIndividualTestTime == 0:
        lit_config.maxIndividualTestTime = seconds
else:
    lit_config.note("tests run without a time limit: " + why)

# Tests that measure time, or that load both processors on purpose, put
# `config.parallelism_group = "timing"` into their lit.local.cfg.
lit_config.parallelism_groups["timing"] = 1

# The tests see nothing of the caller's settings but where things are.
for name in ("HOME", "USER", "LANG", "XDG_RUNTIME_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["LC_ALL"] = "C.UTF-8"
# The user's own list of targets must not reach the tests.
config.environment["XDG_CONFIG_HOME"] = os.path.join(config.pagetide_build_root, "test")
config.environment["PATH"] = os.path.pathsep.join(
    [config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
for name in ("PAGETIDE_OPTIONS", "LD_PRELOAD"):
    config.environment.pop(name, None)


def in_lib(name):
    return os.path.join(config.pagetide_lib_dir, name)


def in_bin(name):
    return os.path.join(config.pagetide_bin_dir, name)


def command(*words):
    return " ".join(shlex.quote(word) for word in words)


deps = os.path.join(config.pagetide_source_root, ".deps")
clang = config.clang
clangxx = config.clangxx
config.flang = os.path.join(config.llvm_tools_dir, "flang-new")
plugin = in_lib("PagetidePass-%s.so" % config.pagetide_llvm)
runtime = in_lib("libpagetide.so")
include = os.path.join(config.pagetide_source_root, "include")
link = [
    "-Wl,--push-state,--no-as-needed",
    runtime,
    "-Wl,--pop-state",
    "-Wl,-rpath," + config.pagetide_lib_dir,
]

chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
playwright = os.path.join(deps, "npm", "node_modules", "playwright-core")

# Name, and what it stands for. A name is matched whole: %clang does not match
# the head of %clang_pagetide.
all_ways = lit_config.params.get("ways") == "all"
substitutions = {
    # The parts of Pagetide.
    "pagetide": command(in_bin("pagetide")),
    "pagetide_clang": command(in_bin("pagetide-clang")),
    "pagetide_clangxx": command(in_bin("pagetide-clang++")),
    "pass": command(plugin),
    "runtime": command(runtime),
    "libdir": command(config.pagetide_lib_dir),
    "include": command(include),
    "make_trace": command(config.make_trace),
    "src_root": command(config.pagetide_source_root),
    "build_root": command(config.pagetide_build_root),
    # For what one test leaves to others; otherwise tests work below %t.
    "work_root": command(work_root),
    # What scripts/setup.sh and scripts/fetch_source.sh fetched.
    "deps": command(deps),
    # Compilers and tools.
    "clang": command(clang),
    "clangxx": command(clangxx),
    "clang_pagetide": command(clang, "-fpass-plugin=" + plugin),
    "clangxx_pagetide": command(clangxx, "-fpass-plugin=" + plugin),
    # What links an object made by the two above with the runtime.
    "link_pagetide": command(*link),
    "opt": command(os.path.join(config.llvm_tools_dir, "opt")),
    "flang": command(config.flang),
    "pagetide_flang": command(in_bin("pagetide-flang")),
    # A second clang that the pass was built for.
    "clang_22": command(config.clang_22),
    "clangxx_22": command(config.clang_22 + "++"),
    "cmake": command(config.cmake_command),
    "python": command(config.python_executable),
    # Shows what a rule of cuts is for: with `lit -D ways=all` (docs/internals/testing.md).
    "until_seen": command(os.path.join(config.pagetide_source_root, "test", "lib",
                                       "until_seen.sh")) if all_ways else ":",
    # For tests of tables: every row.
    "all_ways": "--all" if all_ways else "",
    # The browser, and what drives it.
    "chromium": command(chromium or "chromium"),
    "playwright": command(playwright),
}
for name, value in substitutions.items():
    config.substitutions.append((r"%" + re.escape(name) + r"\b", value))


def cpu_flags():
    with open("/proc/cpuinfo") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("flags"):
                return set(line.split())
    return set()


def has_sanitizer(name):
    """Whether clang can link a program with that sanitizer."""
    probe = config.compiler_rt_dir
    return os.path.exists(
        os.path.join(probe, "libclang_rt.%s-x86_64.a" % name)
    ) or os.path.exists(os.path.join(probe, "libclang_rt.%s.a" % name))


def can_run(*command):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def said_by(*command):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, timeout=20,
                              capture_output=True, text=True).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def has_userfaultfd():
    """Whether a descriptor for faults of user mode can be had."""
    number, only_user_mode = 323, 1
    fd = ctypes.CDLL(None).syscall(number, os.O_CLOEXEC | only_user_mode)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def others_can_run(program):
    """Whether other users reach a file of the build: not if the checkout is below a
    home directory that only its owner may enter."""
    return os.geteuid() == 0 and can_run(
        "setpriv", "--reuid", "65534", "--clear-groups", "test", "-x", program)


features = {
    # What the machine can do.
    "avx2": "avx2" in cpu_flags(),
    "avx512f": "avx512f" in cpu_flags(),
    "fsgsbase": "fsgsbase" in cpu_flags(),
    "root": os.geteuid() == 0,
    "other-users": others_can_run(
        os.path.join(config.pagetide_build_root, "bin", "pagetide")),
    # `lit -D ways=all`: what takes minutes and has a shorter relative in the suite.
    "all-ways": all_ways,
    # What is installed beside clang.
    "lld": os.path.exists(os.path.join(config.llvm_tools_dir, "ld.lld")),
    "flang": os.path.exists(config.flang),
    "llvm-22": config.clang_22 != "no",
    "rust-of-llvm-22": "LLVM version: 22" in said_by("rustc", "-vV"),
    "llvm-19-forms": config.pagetide_llvm == "19",
    "asan": has_sanitizer("asan"),
    "tsan": has_sanitizer("tsan"),
    "ubsan": has_sanitizer("ubsan_standalone"),
    "clang-format": shutil.which("clang-format", path=config.llvm_tools_dir)
    is not None,
    "clang-tidy": shutil.which("clang-tidy", path=config.llvm_tools_dir)
    is not None,
    # Debian 13's takes no plugins.
    "qemu-user": "-plugin" in said_by("qemu-x86_64", "-help"),
    "gdb": shutil.which("gdb") is not None,
    "strace": shutil.which("strace") is not None,
    "valgrind": shutil.which("valgrind") is not None,
    "crit": can_run("crit", "--help"),
    # What the pages of `pagetide html` are tried with.
    "chromium": chromium is not None,
    "playwright": os.path.isdir(playwright) and shutil.which("node") is not None,
    "two-processors": len(os.sched_getaffinity(0)) > 1,
    # What the kernel allows.
    # Debian 13's libdw can be linked only as a shared library.
    "static-pagetide": config.pagetide_is_static == "1",
    "namespaces": can_run("unshare", "--mount", "--pid", "--fork", "true"),
    "time-namespaces": can_run("unshare", "--time", "true"),
    "user-namespaces": can_run("unshare", "--user", "true"),
    "userfaultfd": has_userfaultfd(),
    # A core goes into the working directory, not to a program.
    "core-files": open("/proc/sys/kernel/core_pattern").read().startswith("core"),
}
# Sources of real programs: scripts/test.sh fetches them.
for name in ("bzip2", "sqlite3", "lua5.4", "xz-utils"):
    features["source-" + name] = os.path.isdir(os.path.join(deps, "src", name))
config.available_features.update(
    name for name, present in features.items() if present
)
