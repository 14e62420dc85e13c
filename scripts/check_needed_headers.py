#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds files that use a library's header without including it.

usage: check_needed_headers.py [ROOT]

Precompiled headers hide a header that is lacking, until they change. A file needs
the headers of the names that it uses. It has them if it includes them, or if one
of our headers does which it includes. Below ROOT (default: the checkout that this
script belongs to) this prints each file and header that is lacking, and exits with
status 1 if there is one.
"""

import functools
import pathlib
import re
import sys

# Names, and the header that a file with one of them needs. Only headers that are
# precompiled somewhere are worth a line.
NEEDED = [
    (r"std::(ranges::)?(sort|any_of|all_of|none_of|find_if|count_if|min_element|"
     r"max_element|lower_bound|upper_bound|copy_if|transform|replace|reverse|"
     r"unique|equal_range|binary_search)\b\(", "algorithm"),
    (r"std::(map|multimap)\s*<", "map"),
    (r"std::set\s*<", "set"),
    (r"std::unordered_map\s*<", "unordered_map"),
    (r"std::(unique_ptr|shared_ptr|make_unique|make_shared)\b", "memory"),
    (r"std::(optional|nullopt)\b", "optional"),
    (r"std::(string|to_string|stoi|stoul)\b", "string"),
    (r"std::string_view\b", "string_view"),
    (r"std::vector\s*<", "vector"),
    (r"std::array\s*<", "array"),
    (r"std::span\b", "span"),
    (r"std::function\s*<", "functional"),
    (r"std::variant\s*<", "variant"),
    (r"std::filesystem\b", "filesystem"),
    (r"std::(thread|this_thread)\b", "thread"),
    (r"std::(mutex|lock_guard|unique_lock)\b", "mutex"),
    (r"std::chrono\b", "chrono"),
    (r"std::(istringstream|ostringstream|stringstream)\b", "sstream"),
    (r"std::(ifstream|ofstream)\b", "fstream"),
    (r"\bCLI::", "CLI/"),  # any header of that folder
    (r"\bfmt::", "fmt/"),
    (r"\bnlohmann::", "nlohmann/"),
]
NEEDED = [(re.compile(pattern), header) for pattern, header in NEEDED]
FOLDERS = ("pass", "checkpoint", "tools", "test/unit", "test/robustness/fuzz")
# Where #include "..." looks, beside the file's own folder.
ROOTS = ("include", "checkpoint", "tools", "test/unit", "test/robustness/fuzz", "pass", "runtime")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:<([^>]+)>|"([^"]+)")', re.M)
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).resolve().parent.parent)

    def resolve(name, source):
        for place in (source.parent, *(root / r for r in ROOTS)):
            if (place / name).exists():
                return (place / name).resolve()
        return None

    @functools.cache
    def included(path):
        """Headers of libraries that a file includes, by way of ours too."""
        found = set()
        for library, own in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if library:
                found.add(library)
            elif (header := resolve(own, path)) and header != path:
                found |= included(header)
        return frozenset(found)

    lacking = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp") or "Inputs" in path.parts:
                continue
            text = NO_CODE.sub("", path.read_text(encoding="utf-8"))
            has = included(path.resolve())
            for pattern, header in NEEDED:
                if not (used := pattern.search(text)):
                    continue
                if re.search(rf"\bnamespace {header.rstrip('/')}\b", text):
                    continue  # the file declares what it uses
                if not any(h == header or (header.endswith("/") and
                                           h.startswith(header)) for h in has):
                    lacking += 1
                    shown = header + ("..." if header.endswith("/") else "")
                    print(f"{path.relative_to(root)}: uses {used[0].rstrip('(< ')} "
                          f"without #include <{shown}>")
    sys.exit(1 if lacking else 0)


if __name__ == "__main__":
    main()
