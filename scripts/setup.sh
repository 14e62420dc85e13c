#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/setup.sh [packages [SECTION...] | compiler-rt | npm]
#
# Makes a Debian 12 or 13 machine ready to build and test Pagetide:
#   packages     installs the packages of scripts/packages.txt (or of some of its
#                sections) that are missing, as root, by sudo otherwise; with
#                PAGETIDE_LLVM=22 in the environment also clang 22, for which the
#                pass is then built beside that for 19;
#   compiler-rt  fetches compiler-rt's source, of the LLVM version installed, to
#                .deps/compiler-rt, unless PAGETIDE_COMPILER_RT_SOURCE names one.
#   npm          fetches to .deps/npm what drives a browser in tests, in the version
#                of test/lib/npm/package-lock.json. If npm's registry cannot be
#                reached, the tests of pages in a browser are skipped.
# All if none is named. What has been done already is not done again. Apart from
# the packages, the script writes to .deps/ only: apt's configuration stays as it
# is.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/apt_private.sh
source "$(dirname "${BASH_SOURCE[0]}")/apt_private.sh"

# What is taken from the source tarball.
COMPILER_RT_PARTS=(lib/sanitizer_common lib/interception include/sanitizer)

# wanted_packages SECTION...: those of all sections if none is named. [llvm] has
# them for each further LLVM that the caller asks for.
wanted_packages() {
  local package section='' majors=${PAGETIDE_LLVM:-} major _
  while read -r package _; do
    [[ -z $package || $package == '#'* ]] && continue
    if [[ $package == '['*']' ]]; then
      section=${package:1:-1}
    elif [[ $section == llvm ]]; then
      for major in ${majors//[;,]/ }; do
        [[ $major == 19 ]] || printf '%s\n' "${package/-N/-$major}"
      done
    elif (($# == 0)) || [[ " $* " == *" $section "* ]]; then
      printf '%s\n' "$package"
    fi
  done <"$PAGETIDE_ROOT/scripts/packages.txt"
}

# Those of wanted_packages that are not installed.
missing_packages() {
  local package provided
  # NodeSource's nodejs contains npm, and conflicts with Debian's npm.
  provided=" $(dpkg-query -W -f '${Provides} ' | tr ',\n' '  ') "
  while read -r package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == \
      installed || $provided == *" $package "* ]] || printf '%s\n' "$package"
  done < <(wanted_packages "$@")
}

system_apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q \
    -o DPkg::Lock::Timeout=300 "$@"
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) && return
  become_root "Installing ${missing[*]}"
  local install=(system_apt_get install --yes --no-install-recommends
    "${missing[@]}")
  # Lists that know all of them may be enough; old ones may name files that the
  # server has no more.
  if ! apt-get --simulate --no-install-recommends install "${missing[@]}" \
    >/dev/null 2>&1 ||
    ! run_step "Installing ${#missing[@]} packages: ${missing[*]}" \
      apt-install "${install[@]}"; then
    run_step "Downloading the lists of packages" apt-update \
      system_apt_get update ||
      fail "apt-get update failed (above)." \
        "Check the network, and the sources in /etc/apt; then run this again."
    run_step "Installing ${#missing[@]} packages: ${missing[*]}" \
      apt-install "${install[@]}" ||
      fail "the packages could not be installed: ${missing[*]}" \
        "Pagetide needs Debian 12 or 13, or a system with these packages." \
        "The log is $LOGS/apt-install.log."
  fi
}

# The source version with the installed packages' upstream version: the very
# one, or else another revision of it.
choose_source_version() {
  local wanted=$1 versions
  versions=$(source_versions llvm-toolchain-19)
  if grep -qxF -- "$wanted" <<<"$versions"; then
    printf '%s\n' "$wanted"
  else
    grep -F -m 1 -- "${wanted%-*}-" <<<"$versions" || true
  fi
}

extract_compiler_rt() {
  local tarball=$1 to=$2 top part members=()
  # The archive's first entry names its top directory.
  top=$(tar -tf "$tarball" 2>/dev/null | head -n 1) || true
  top=${top%%/*}
  for part in "${COMPILER_RT_PARTS[@]}"; do
    members+=("$top/compiler-rt/$part")
  done
  rm -rf "$to.new"
  mkdir -p "$to.new"
  # On all processors: the archive's other members are 1.7 GB.
  XZ_DEFAULTS=-T0 tar -xf "$tarball" -C "$to.new" --no-same-owner \
    --strip-components=2 "${members[@]}"
  rm -rf "$to"
  mv "$to.new" "$to"
}

fetch_compiler_rt() {
  local installed version directory=$DEPS/compiler-rt
  installed=$(dpkg-query -W -f '${source:Version}' llvm-19-dev)
  local stamp="$installed ${COMPILER_RT_PARTS[*]}"
  if stands compiler-rt "$stamp" && [[ -d $directory ]]; then
    return
  fi
  version=$(choose_source_version "$installed")
  if [[ -z $version ]]; then
    update_source_lists
    version=$(choose_source_version "$installed")
  fi
  [[ -n $version ]] ||
    fail "the source package llvm-toolchain-19 $installed is in none of apt's sources." \
      "Upgrade llvm-19-dev (apt-get upgrade), or give the directory of LLVM 19's" \
      "compiler-rt by PAGETIDE_COMPILER_RT_SOURCE=DIR." \
      "What apt said is in $LOGS/apt-lists.log."

  local download=$DEPS/download-compiler-rt tarball
  get_tarball() {
    run_step "Downloading LLVM's source (160 MB; 4 MB of it are needed)" \
      download-compiler-rt download_source "$download" \
      "llvm-toolchain-19=$version" --tar-only
  }
  if ! get_tarball; then
    # The archive may have moved on since the lists were made.
    update_source_lists
    version=$(choose_source_version "$installed")
    get_tarball || fail "LLVM's source could not be downloaded (above)." \
      "Check the network and run this again; or give the directory of LLVM 19's" \
      "compiler-rt by PAGETIDE_COMPILER_RT_SOURCE=DIR."
  fi
  tarball=$(find "$download" -name 'llvm-toolchain-19_*.orig.tar.*' \
    ! -name '*.asc' | head -n 1)
  run_step "Unpacking compiler-rt" unpack-compiler-rt \
    extract_compiler_rt "$tarball" "$directory" ||
    fail "compiler-rt could not be unpacked from $tarball (above)." \
      "Is the disk full? Otherwise remove that file and run this again."
  rm -rf "$download"
  mark_done compiler-rt "$stamp"
}

# npm checks each file against its integrity in the lock file.
fetch_npm_packages() {
  local directory=$DEPS/npm stamp
  stamp=$(sha256sum <"$PAGETIDE_ROOT/test/lib/npm/package-lock.json")
  if stands npm "$stamp" && [[ -d $directory/node_modules ]]; then
    return
  fi
  mkdir -p "$directory"
  cp "$PAGETIDE_ROOT/test/lib/npm/package.json" \
    "$PAGETIDE_ROOT/test/lib/npm/package-lock.json" "$directory"
  if run_step "Fetching playwright-core, which drives a browser in tests, by npm" npm \
    npm ci --prefix "$directory" --ignore-scripts --no-audit --no-fund; then
    mark_done npm "$stamp"
  else
    say "npm failed (above): tests of pages in a browser will be skipped." \
      "Check the network, and run scripts/setup.sh npm."
  fi
}

command -v apt-get >/dev/null ||
  fail "this is no Debian system (no apt-get)." \
    "Install what scripts/packages.txt lists by other means, and build with" \
    "cmake -DPAGETIDE_COMPILER_RT_SOURCE=DIR, LLVM 19's compiler-rt."

mkdir -p "$DEPS"
# Two at once would get into each other's way.
exec 9>"$DEPS/lock"
flock -n 9 || {
  say "Another set-up is running in this directory; waiting for it"
  flock 9
}

provide_compiler_rt() {
  if [[ -z ${PAGETIDE_COMPILER_RT_SOURCE:-} ]]; then
    fetch_compiler_rt
    return
  fi
  [[ -d $PAGETIDE_COMPILER_RT_SOURCE/lib/sanitizer_common ]] ||
    fail "PAGETIDE_COMPILER_RT_SOURCE=$PAGETIDE_COMPILER_RT_SOURCE has no lib/sanitizer_common." \
      "Name the directory compiler-rt of LLVM 19's source."
}

case ${1:-} in
'')
  install_packages
  provide_compiler_rt
  fetch_npm_packages
  ;;
packages)
  shift
  install_packages "$@"
  ;;
compiler-rt) provide_compiler_rt ;;
npm)
  install_packages tests
  fetch_npm_packages
  ;;
*) fail "'$1' is no step of the set-up." "Steps are: packages, compiler-rt, npm." ;;
esac
