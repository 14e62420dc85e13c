#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy over our own C++ files, or over those below PLACEs.

Five things keep it quick:
- Each file is checked once, though several targets compile it.
- Files that the build compiles as one (CMake's UNITY_BUILD) are checked as one.
- If build/lib/OwnCodeOnly.so exists (test/meta/lint/OwnCodeOnly.cpp),
  clang-tidy looks only at our own declarations. It would drop its findings in
  other projects' headers anyway.
- It reads the precompiled headers of the build, so build first.
- A file that passed is checked again only if it, a header of ours that it
  includes, a .clang-tidy of their folders, its compile command or clang-tidy has
  changed since. Passes are noted in STAMPS, and by `--note` in PASSED, which the
  checkout has. `--all` ignores both.
"""

import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
PASSED = TOP / "test" / "meta" / "lint" / "tidy_passed.json"


def commands(build):
    """One compile command per file of ours; those of fuzzers come last."""
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        entries = [single for entry in json.load(file)
                   for single in single_files(entry)]
    entries.sort(key=lambda entry: "-fsanitize=" in entry["command"])
    found = {}
    for entry in entries:
        path = pathlib.Path(entry["file"])
        if path.suffix == ".cpp" and path.is_relative_to(TOP):
            found.setdefault(str(path.relative_to(TOP)), entry)
    return found


def is_unity(file):
    return pathlib.Path(file).parent.name == "Unity"


def single_files(entry):
    """A compile command; or that of a unity build, for each file that it
    includes. `unity` is then the file that includes it."""
    source = pathlib.Path(entry["file"])
    if not is_unity(source):
        return [entry]
    if not source.exists():
        return []
    files = re.findall(r'#include "(.*)"', source.read_text(encoding="utf-8"))
    return [dict(entry, file=file, unity=str(source),
                 command=entry["command"].replace(str(source), file))
            for file in files]


def batches(waiting, every):
    """{file for clang-tidy: paths of waiting that it covers}. A unity file whose parts wait
    for the greater part takes a third of the time that its parts take."""
    parts = {}
    for path, entry in every.items():
        parts.setdefault(entry.get("unity"), []).append(path)
    found = {}
    for path in waiting:
        unity = every[path].get("unity")
        missing = [part for part in parts[unity] if part in waiting]
        if unity and 2 * len(missing) > len(parts[unity]):
            found[unity] = missing
        else:
            found[str(TOP / path)] = [path]
    return found


def for_clang_tidy(command):
    """The same command without what only builds need. Precompiled headers stay:
    they halve the time. check_needed_headers.py finds what they hide."""
    words = [word for word in shlex.split(command)
             if word != "-Winvalid-pch" and os.path.basename(word) != "ccache"]
    return shlex.join(words)


def dependencies(build):
    """The files that each object depends on, as ninja has recorded them."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"],
                            capture_output=True, text=True, check=False).stdout
    found, current = {}, None
    for line in listed.splitlines():
        match = re.match(r"(\S.*): #deps .*\((VALID|STALE)\)", line)
        if match:
            current = found.setdefault(match[1], []) \
                if match[2] == "VALID" else []
        elif line.startswith("    ") and current is not None:
            current.append(line.strip())
    return found


class Stamps:
    """Remembers with which inputs a file passed."""

    def __init__(self, args, tool):
        self.file = args.stamps
        self.common = hashlib.sha256()
        version = subprocess.run([tool, "--version"], capture_output=True,
                                 check=True).stdout
        self.common.update(version)
        self.dependencies = dependencies(args.build)
        self.build = args.build
        self.passed = {}  # the keys of each path
        for source in (self.file, PASSED):
            if not args.all and source.exists():
                with open(source, encoding="utf-8") as file:
                    fcntl.flock(file, fcntl.LOCK_SH)
                    for path, key in json.load(file).items():
                        self.passed.setdefault(path, set()).add(key)

    def key(self, path, entry):
        """A hash of all that the result depends on, wherever the checkout is;
        None if that is unknown."""
        output = entry.get("output")
        if output is None:
            match = re.search(r" -o (\S+)", entry["command"])
            output = match[1] if match else ""
        inputs = self.dependencies.get(output)
        if not inputs:
            return None
        key = self.common.copy()
        for word in shlex.split(for_clang_tidy(entry["command"])):
            key.update(word.replace(str(self.build), "build")
                       .replace(str(TOP), "").encode() + b"\0")
        files = set()
        for name in {path, *inputs}:
            file = (TOP / path) if name == path else (self.build / name)
            file = pathlib.Path(os.path.normpath(file))
            if not file.is_relative_to(TOP) or file.is_relative_to(self.build):
                continue
            if file.suffix in (".pch", ".o"):
                continue
            files.add(file)
            # Each folder may have a configuration, also for its headers.
            files.update(folder / ".clang-tidy" for folder in file.parents
                         if folder.is_relative_to(TOP))
        for file in sorted(files):
            key.update(str(file.relative_to(TOP)).encode() + b"\0")
            key.update(file.read_bytes() if file.exists() else b"")
        return key.hexdigest()[:32]

    def save(self, results):
        """Notes {path: key, or None if it failed}; others may do so too."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with open(self.file, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            text = file.read()
            passed = json.loads(text) if text else {}
            passed.update(results)
            file.truncate(0)
            json.dump({path: key for path, key in passed.items() if key},
                      file, indent=1, sort_keys=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="clang-tidy-19")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build")
    parser.add_argument("--stamps", type=pathlib.Path,
                        help="default: BUILD/tidy-passed.json")
    parser.add_argument("--all", action="store_true",
                        help="check also what has passed already")
    parser.add_argument("--note", action="store_true",
                        help="write the passes to %s" % PASSED.relative_to(TOP))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("places", nargs="*", metavar="PLACE",
                        help="a file or directory of the checkout")
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.stamps = args.stamps or args.build / "tidy-passed.json"

    every = commands(args.build)
    chosen = {
        path: entry for path, entry in every.items()
        if not args.places or any(
            path == place.rstrip("/") or path.startswith(place.rstrip("/") + "/")
            for place in args.places)
    }
    if not chosen:
        sys.exit("error: no file of ours is compiled in %s below: %s.\n"
                 "       Name files or directories below %s, such as runtime."
                 % (args.build, " ".join(args.places), TOP))

    stamps = Stamps(args, args.tool)
    keys = {path: stamps.key(path, entry) for path, entry in chosen.items()}
    waiting = [path for path in chosen
               if keys[path] is None
               or keys[path] not in stamps.passed.get(path, ())]

    tool = [args.tool, "--quiet"]
    plugin = args.build / "lib" / "OwnCodeOnly.so"
    if plugin.exists():
        tool.append("--load=%s" % plugin)
    failed, results = [], {}
    with tempfile.TemporaryDirectory() as database:
        entries = {}
        for entry in every.values():
            command = for_clang_tidy(entry["command"])
            for file in {entry["file"], entry.get("unity", entry["file"])}:
                entries[file] = {
                    "directory": entry["directory"], "file": file,
                    "command": command.replace(entry["file"], file)}
        with open(os.path.join(database, "compile_commands.json"), "w",
                  encoding="utf-8") as file:
            json.dump(list(entries.values()), file)

        def check(file):
            # What clang says of its own warnings goes to stderr; it counts
            # those that were dropped too.
            unity = ["--checks=-bugprone-suspicious-include",
                     "--header-filter=%s/.*" % re.escape(str(TOP))]
            options = unity if is_unity(file) else []
            return subprocess.run(
                [*tool, *options, "-p", database, file], cwd=TOP,
                capture_output=True, text=True, check=False)

        covered = batches(waiting, every)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for paths, run in zip(covered.values(), pool.map(check, covered)):
                sys.stdout.write(run.stdout)
                if run.returncode:
                    failed += paths
                    if not run.stdout:
                        sys.stdout.write(run.stderr)
                for path in paths:
                    results[path] = None if run.returncode else keys[path]
    stamps.save(results)
    if args.note:
        noted = json.loads(PASSED.read_text("utf-8")) if PASSED.exists() else {}
        noted.update({path: key for path, key in keys.items()
                      if key and results.get(path, key) == key})
        with open(PASSED, "w", encoding="utf-8") as file:
            json.dump({path: noted[path] for path in every if path in noted},
                      file, indent=0, sort_keys=True)
            file.write("\n")
    print("clang-tidy: %d files checked, %d unchanged since they passed, "
          "%d failed" % (len(waiting), len(chosen) - len(waiting), len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
