#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/packages.sh
#
# Builds Debian packages for the Debian that runs here: libpagetide1, pagetide and
# libpagetide-dev, in build/packages. lintian looks at them if it is installed.
# DEBFULLNAME and DEBEMAIL are named as their maker, if they are set.
# scripts/test_packages.sh tries them.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$PAGETIDE_ROOT/scripts/setup.sh" packages build sources
"$PAGETIDE_ROOT/scripts/setup.sh" compiler-rt
options=()
[[ -z ${DEBFULLNAME:-} || -z ${DEBEMAIL:-} ]] ||
  options+=("-DPAGETIDE_PACKAGER=$DEBFULLNAME <$DEBEMAIL>")
# A build directory that has tests keeps them.
[[ -f $BUILD/build.ninja ]] || options+=(-DPAGETIDE_TESTS=OFF)
configure "${options[@]}"
build PagetidePass pagetide_runtime pagetide_checkpoint pagetide_cli \
  pagetide_wrapper pagetide_manual_pages
rm -f "$BUILD"/packages/*.deb
run_step "Making packages" packages \
  cpack -G DEB --config "$BUILD/CPackConfig.cmake" ||
  fail "the packages could not be made (above)."
if command -v lintian >/dev/null; then
  run_step "Looking at them by lintian" lintian \
    lintian --allow-root --fail-on error --tag-display-limit 0 "$BUILD"/packages/*.deb ||
    fail "lintian found errors (above)."
fi
ls "$BUILD"/packages/*.deb
