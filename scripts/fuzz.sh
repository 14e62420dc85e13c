#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/fuzz.sh [MINUTES [FUZZER...]]
#
# Searches with new seeds: the fuzzers named, or all of them, for MINUTES in all
# (default: 60), two at a time. The suite itself runs each fuzzer from a fixed
# seed. Needs a build with tests (scripts/test.sh); one that was configured with
# -DPAGETIDE_FUZZ_LEVEL=1 has 1.7 times the runs. An input that fails stays in
# the fuzzer's work directory, which is printed, and the exit status is 1.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

minutes=${1:-60}
[[ $minutes =~ ^[1-9][0-9]*$ ]] ||
  fail "'$minutes' is not a number of minutes." \
    "usage: scripts/fuzz.sh [MINUTES [FUZZER...]]"
shift || true

tests=$BUILD/test/robustness/fuzz
[[ -x $tests/make_seeds && -x $BUILD/bin/pagetide-lit ]] ||
  fail "no fuzzers are built in '$BUILD'." \
    "Run scripts/test.sh first, or set PAGETIDE_BUILD to a build with tests."

known=()
for file in "$PAGETIDE_ROOT"/test/robustness/fuzz/*.test; do
  known+=("$(basename "$file" .test)")
done
[[ $# -gt 0 ]] || set -- "${known[@]}"
for name in "$@"; do
  [[ " ${known[*]} " == *" $name "* ]] ||
    fail "there is no fuzzer '$name'." "There are: ${known[*]}"
done

rounds=$((($# + 1) / 2))
seconds=$((minutes * 60 / rounds))
filter=$(IFS='|' && printf 'robustness/fuzz/(%s)\.test' "$*")
say "$# fuzzers, $(duration "$seconds") each, two at a time"
status=0
"$BUILD/bin/pagetide-lit" -j2 -a --param fuzz_seconds="$seconds" \
  --filter "$filter" "$BUILD/test" </dev/null || status=$?
((status == 0)) && exit 0
say "Inputs that failed (each can be given to its fuzzer as an argument):"
find "$BUILD/test" "${TMPDIR:-/tmp}"/pagetide-tests-* -path '*robustness/fuzz*' \
  \( -name 'crash-*' -o -name 'timeout-*' -o -name 'oom-*' -o -name 'leak-*' \) \
  2>/dev/null || true
exit 1
