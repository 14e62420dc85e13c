# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the files in programs/ may use; sourced by bash -euo pipefail before one
# of them. Each of those declares
#
#   package   the Debian source package; `packages` names further ones
#   needs     Debian packages that building or testing it takes (optional)
#   unprivileged  not empty: where root runs the suite, it runs as nobody
#   build     builds in the current directory, a copy of the fetched tree, with
#             $CC, $CXX, $FC, $CFLAGS, $JOBS; $SOURCES/NAME are further packages
#   check     runs the test suite, in the same directory
#   results   turns what `check` printed (standard input) into lines
#             `ok NAME`, `fail NAME` or `skip NAME`
#   audited   runs a command that does some seconds of its usual work, as
#             `$AUDIT COMMAND`, in the same directory
#
# and says in its head what the suite is and what of it is not run.

# step NAME COMMAND...: a test with an exit status as its only result.
step() {
  local name=$1
  shift
  printf '@run %s\n' "$name"
  # Nothing that would make `set -e` void in there, as `if` and `||` do.
  local status
  set +e
  (
    set -e
    "$@"
  ) </dev/null
  status=$?
  set -e
  if ((status == 0)); then
    printf '@ok %s\n' "$name"
  else
    printf '@fail %s\n' "$name"
  fi
}

# The results of steps.
step_results() { sed -n 's/^@\(ok\|fail\) /\1 /p'; }
