#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/test_packages.sh
#
# Installs the packages of scripts/packages.sh, and nothing else, in a bare root of
# the Debian that runs here, and does there what docs/using/tutorial.md does. The
# root is .deps/roots/packages. Needs root, the package mmdebstrap, and sqlite3's
# source from scripts/fetch_source.sh.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/debian_roots.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_roots.sh"

need_roots
packages=("$BUILD"/packages/*.deb)
((${#packages[@]} == 3)) || fail "there are no three packages in $BUILD/packages." \
  "Make them: scripts/packages.sh."
root=$DEPS/roots/packages
work=/srv/tutorial
# The tutorial records Debian's python3 as a program without marks.
# shellcheck source=/dev/null
make_root "$(source /etc/os-release && echo "$VERSION_CODENAME")" "$root" python3
mkdir -p "$root$work/build/demo/sqlite3"
cp "${packages[@]}" "$root/srv"

# The tutorial begins with sqlite3's sources, as the demo leaves them.
sqlite3=$("$PAGETIDE_ROOT/scripts/fetch_source.sh" sqlite3 | tail -n 1)
# Their configure script wants paths without a blank.
links=$(mktemp -d)
ln -s "$sqlite3" "$links/source"
ln -s "$root$work/build/demo/sqlite3" "$links/build"
(cd "$links/build" && "$links/source/configure" CC=clang-19 --disable-tcl --disable-readline &&
  make sqlite3.c) >"$LOGS/packages-sqlite3.log" 2>&1 ||
  fail "sqlite3.c could not be made." "What it said is in $LOGS/packages-sqlite3.log."
rm -r "$links"
python3 "$PAGETIDE_ROOT/test/e2e/programs/Inputs/shell_blocks.py" \
  "$PAGETIDE_ROOT/docs/using/tutorial.md" >"$root$work/commands"

# What is wanted without clang: apt installs it, dpkg refuses.
run_step "Installing without dependencies, which has to fail" packages-alone \
  enter "$root" /srv '! dpkg -i ./*.deb >said 2>&1; cat said
    grep "libpagetide-dev depends on clang-" said && dpkg --purge libpagetide-dev pagetide libpagetide1'
run_step "Installing the packages" packages-install \
  enter "$root" /srv 'apt-get -qq update &&
    apt-get -q install --yes --no-install-recommends ./*.deb'
log=$LOGS/packages-tutorial.log
run_step "The tutorial's commands" packages-tutorial \
  enter "$root" "$work" 'type -p pagetide pagetide-clang && bash commands'
for wanted in /usr/bin/pagetide /usr/bin/pagetide-clang 'distinct pages' \
  'By pages: distinct pages that each place written' 'EQUAL\.$' 'period,accessed,written'; do
  grep -q -e "$wanted" "$log" || fail "the tutorial's output ($log) lacks '$wanted'."
done
! grep -E 'status [2-9]|error|Failed|command not found' "$log" ||
  fail "a command of the tutorial failed (above, from $log)."
say "The tutorial works with the packages alone."
