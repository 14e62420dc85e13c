#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/lint.sh [format] [prefixes] [includes] [scripts]
#                        [tidy [PLACE...]]
#
#   format     the layout of C and C++ files (clang-format; `scripts/lint.sh fix`
#              corrects it), and no line of more than 80 columns
#   prefixes   every FileCheck prefix in a test is one that a RUN line uses
#   includes   includes point to the same folder or further down, without cycles; no
#              file has more than 620 lines; only folders for processors name them
#   scripts    shell scripts parse (and pass shellcheck, where it is installed)
#   tidy       clang-tidy over all our files, or those that are or are below
#              PLACEs, unless they have passed already (scripts/tidy.py); needs a
#              configured build directory
#
# All of them if none is named. Exit status 1 if something is wrong.

# The functions lint_* are called by name.
# shellcheck disable=SC2317

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$PAGETIDE_ROOT"

# The clang tools of the version that we build with: layout differs between
# versions.
tool() {
  local candidate
  for candidate in "$1-19" "${PAGETIDE_LLVM_BIN:-}/$1"; do
    if command -v "$candidate" >/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  fail "$1-19 was not found." "Install it (scripts/setup.sh does)."
}

# Our C and C++ files. Test cases are left out: their RUN lines must stay whole.
code_files() {
  local directory directories=()
  for directory in include pass runtime checkpoint tools test/unit test/meta/lint \
    test/robustness/fuzz benchmarks examples; do
    [[ -d $directory ]] && directories+=("$directory")
  done
  find "${directories[@]}" -name Inputs -prune -o -type f \
    \( -name '*.h' -o -name '*.c' -o -name '*.cpp' -o -name '*.inc' \
    -o -name '*.def' \) -print | LC_ALL=C sort
}

lint_format() {
  local clang_format bad status=0
  clang_format=$(tool clang-format)
  # clang-format accepts a long line that it cannot break.
  code_files | xargs -d '\n' python3 scripts/check_columns.py || status=1
  # Every file that is laid out wrongly, once.
  bad=$(code_files | xargs -d '\n' "$clang_format" --dry-run --Werror 2>&1 |
    sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: .*/\1/p' | uniq)
  [[ -z $bad ]] && return "$status"
  sed 's/$/: error: not laid out by clang-format; scripts\/lint.sh fix does it/' \
    <<<"$bad"
  return 1
}

lint_fix() {
  local clang_format
  clang_format=$(tool clang-format)
  code_files | xargs -d '\n' "$clang_format" -i
}

lint_prefixes() { python3 scripts/check_prefixes.py test; }

lint_includes() {
  local status=0
  python3 scripts/check_includes.py || status=1
  python3 scripts/check_needed_headers.py || status=1
  python3 scripts/check_target.py || status=1
  return "$status"
}

lint_scripts() {
  local script status=0
  local scripts=(scripts/*.sh .ci/run test/realworld/*.sh
    test/realworld/programs/*.sh)
  for script in "${scripts[@]}"; do
    bash -n "$script" || status=1
  done
  if command -v shellcheck >/dev/null; then
    shellcheck -x "${scripts[@]}" || status=1
  fi
  return "$status"
}

lint_tidy() {
  local clang_tidy
  clang_tidy=$(tool clang-tidy)
  [[ -f $BUILD/compile_commands.json ]] ||
    fail "there is no $BUILD/compile_commands.json." \
      "Configure a build first: cmake -S . -B build -G Ninja"
  python3 scripts/tidy.py --tool "$clang_tidy" --build "$BUILD" \
    --jobs "${PAGETIDE_LINT_JOBS:-$(nproc)}" -- "$@"
}

checks=()
while (($#)); do
  case $1 in
  tidy)
    checks+=(tidy)
    shift
    tidy_places=("$@")
    break
    ;;
  format | prefixes | includes | scripts | fix) checks+=("$1") ;;
  *) fail "'$1' is no check." "There are: format, prefixes, includes, scripts, tidy, fix." ;;
  esac
  shift
done
((${#checks[@]})) || checks=(format prefixes includes scripts tidy)

status=0
for check in "${checks[@]}"; do
  if [[ $check == tidy ]]; then
    lint_tidy ${tidy_places[@]+"${tidy_places[@]}"} || status=1
  else
    "lint_$check" || status=1
  fi
done
exit "$status"
