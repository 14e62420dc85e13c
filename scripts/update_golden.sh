#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/update_golden.sh [NAME...]
#
# Accepts what the commands of test/cli/golden/cases.txt print now: of all cases,
# or of those that are named. Look at the change (git diff) before you commit it.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$PAGETIDE_ROOT"

ninja -C "$BUILD" pagetide_cli make_trace >/dev/null ||
  fail "pagetide cannot be built in $BUILD." "See: ninja -C $BUILD pagetide_cli"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 test/cli/golden/golden.py --update "$BUILD/bin/pagetide" \
  "$BUILD/test/helpers/make_trace" "$work" "$@"
git --no-pager diff --stat -- test/cli/golden/expected
