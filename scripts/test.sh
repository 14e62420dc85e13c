#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/test.sh [LIT-ARGUMENT...]
#
# Sets the machine up (scripts/setup.sh), builds, and runs every test. The last
# line is `N passed, N failed, N skipped`. The exit status is 0 if the build
# succeeded and no test failed. Arguments go to lit, for example
# --filter=wrapper to run some tests only.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A build or a set-up that fails is a failed test: the last line is there, and
# says so.
give_up() {
  printf 'error: %s; no test was run\n' "$1" >&2
  printf '0 passed, 1 failed, 0 skipped\n'
  exit 1
}

"$PAGETIDE_ROOT/scripts/setup.sh" || give_up "setting up failed (above)"
# Programs that test/e2e and test/realworld build. They are fetched while the
# build runs, which does not need them.
fetch_programs() {
  local package
  for package in bzip2 sqlite3 lua5.4 xz-utils; do
    "$PAGETIDE_ROOT/scripts/fetch_source.sh" "$package" || return
  done
}
mkdir -p "$LOGS"
fetch_programs >"$LOGS/fetch-programs.log" 2>&1 </dev/null &
fetching=$!
{ configure -DPAGETIDE_TESTS=ON && build all; } || give_up "the build failed (above)"
say "Waiting for the sources of the programs that the tests build"
wait "$fetching" || {
  cat "$LOGS/fetch-programs.log" >&2
  give_up "fetching sources failed (above)"
}

say "Running the tests"
results=$BUILD/test-results.json
rm -f "$results"
# On a terminal a progress bar; in a log a line a test.
verbosity=-v
[[ -t 1 ]] && verbosity=-sv
status=0
mapfile -t suites <"$BUILD/suites.txt"
# One more than there are processors: a tenth of the tests' time is waiting.
"$BUILD/bin/pagetide-lit" $verbosity --workers $(($(nproc) + 1)) --output "$results" "$@" "${suites[@]}" \
  </dev/null || status=$?

exec python3 "$PAGETIDE_ROOT/scripts/test_summary.py" "$results" "$status"
