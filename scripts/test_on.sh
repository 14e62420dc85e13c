#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/test_on.sh [--keep] SUITE [COMMAND]
#
# Runs both commands of the README, scripts/demo.sh and scripts/test.sh, in a fresh
# root of a Debian SUITE (bookworm, trixie, sid), on a copy of HEAD whose path has a
# blank in it. COMMAND is run by bash there instead. The packages come from the
# mirror that this machine's apt uses.
#   --keep  takes the root as an earlier run left it, and brings the copy to HEAD
# The root is .deps/roots/SUITE, of 10 GB after the tests. Needs root, and the
# package mmdebstrap.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/debian_roots.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_roots.sh"

keep=
if [[ ${1:-} == --keep ]]; then
  keep=1
  shift
fi
(($# == 1 || $# == 2)) || {
  sed -n '4,13s/^# \?//p' "${BASH_SOURCE[0]}"
  exit 2
}
suite=$1
root=$DEPS/roots/$suite
copy="/srv/pagetide at HEAD" # where it is in that root; tests of other users read it
need_roots

# Untracked and ignored files of an earlier copy stay: builds, and what was fetched.
copy_head() {
  if [[ ! -d $root$copy ]]; then
    git clone -q --no-hardlinks "$PAGETIDE_ROOT" "$root$copy"
  else
    git -C "$root$copy" fetch -q "$PAGETIDE_ROOT" HEAD
    git -C "$root$copy" checkout -q --force FETCH_HEAD
  fi
}

[[ -n $keep && -d $root ]] || make_root "$suite" "$root" git
copy_head
if (($# == 2)); then
  enter "$root" "$copy" "$2"
  exit
fi

failed=0
for script in demo test; do
  log=$LOGS/on-$suite-$script.log
  start=$SECONDS status=0
  say "scripts/$script.sh on $suite (its output: $log)"
  enter "$root" "$copy" "scripts/$script.sh" >"$log" 2>&1 || status=$?
  tail -n 1 "$log" | sed 's/^/    /'
  say "scripts/$script.sh on $suite: status $status after $(duration $((SECONDS - start)))"
  ((status == 0)) || failed=1
done
exit "$failed"
