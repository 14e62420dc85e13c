#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/fetch_source.sh PACKAGE
#
# Fetches the source of a Debian source package, patched as Debian builds it, to
# .deps/src/PACKAGE. Prints that directory as its last line. Does nothing if it
# is there already.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/apt_private.sh
source "$(dirname "${BASH_SOURCE[0]}")/apt_private.sh"

package=${1:-}
[[ $package =~ ^[a-z0-9][a-z0-9+.-]+$ ]] ||
  fail "'$package' is no source package's name." \
    "usage: scripts/fetch_source.sh PACKAGE, for example bzip2"

directory=$DEPS/src/$package
# Unpacked elsewhere and moved: what is there is whole.
if [[ -d $directory ]]; then
  printf '%s\n' "$directory"
  exit
fi
command -v dpkg-source >/dev/null ||
  fail "dpkg-source is missing." "Run scripts/setup.sh first."

mkdir -p "$DEPS/src"
exec 9>"$DEPS/lock"
flock 9

download=$DEPS/download-$package
# Newest first. A mirror may list a version whose files it does not have (that of
# a security archive, say): then the one before it will do.
versions() {
  local version older=()
  while read -r version; do
    local at=0
    while ((at < ${#older[@]})) &&
      dpkg --compare-versions "${older[at]}" gt "$version"; do
      at=$((at + 1))
    done
    older=("${older[@]:0:at}" "$version" "${older[@]:at}")
  done < <(source_versions "$package")
  if ((${#older[@]} > 0)); then
    printf '%s\n' "${older[@]}"
  fi
}
# The newest version that can be fetched.
get() {
  local version
  for version in $(versions); do
    rm -rf "$download"
    if run_step "Downloading the source of $package $version" \
      "download-$package" download_source "$download" "$package=$version"; then
      return
    fi
  done
  return 1
}

if ! get; then
  update_source_lists
  [[ -n $(versions) ]] ||
    fail "there is no source package '$package' in apt's sources." \
      "A source package's name may differ from the program's; apt-cache showsrc" \
      "tells. What apt said is in $LOGS/apt-lists.log."
  get || fail "the source of $package could not be downloaded (above)." \
    "Check the network and run this again."
fi

unpack() {
  rm -rf "$download/unpacked"
  dpkg-source --no-check -x "$download"/*.dsc "$download/unpacked" &&
    mv "$download/unpacked" "$directory"
}
run_step "Unpacking $package" "unpack-$package" unpack ||
  fail "the source of $package could not be unpacked (above)." \
    "Is the disk full? Otherwise remove $download and run this again."
rm -rf "$download"
printf '%s\n' "$directory"
