# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Source packages from the user's own package sources, without a change to the
# user's apt; sourced by bash after common.sh.
#
# apt gets its own configuration in .deps/apt. It has the user's settings
# (proxies, keys), but our lists and caches. apt_sources.py makes the sources
# from the user's: it turns each binary source into a source-package source. apt
# verifies its downloads as usual: Release by key, the rest by hash.

APT_DIR=$DEPS/apt

# Private apt-get or apt-cache.
private_apt() { APT_CONFIG=$APT_DIR/apt.conf "$@"; }

_write_apt_conf() {
  mkdir -p "$APT_DIR"/{lists/partial,cache/archives/partial,sources.d,none}
  # The user's settings, but not what other programs run after an update: they
  # expect it to be the system's. A value with a quote in it cannot be written
  # down again.
  apt-config dump |
    grep -v -E '::(Pre|Post)-(Invoke|Install)|^Dir::(Etc::(main|parts|source)|State::lists|Cache)' |
    grep -E '^[^"]*"[^"]*";$' >"$APT_DIR/apt.conf.new"
  cat >>"$APT_DIR/apt.conf.new" <<CONF
Dir::Etc::main "none";
Dir::Etc::parts "$APT_DIR/none";
Dir::Etc::sourcelist "$APT_DIR/none/sources.list";
Dir::Etc::sourceparts "$APT_DIR/sources.d";
Dir::State::lists "$APT_DIR/lists";
Dir::Cache "$APT_DIR/cache";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
CONF
  mv "$APT_DIR/apt.conf.new" "$APT_DIR/apt.conf"
}

_write_sources() {
  local list='' parts=''
  eval "$(apt-config shell list Dir::Etc::sourcelist/f \
    parts Dir::Etc::sourceparts/d)"
  rm -f "$APT_DIR"/sources.d/*
  python3 "$PAGETIDE_ROOT/scripts/apt_sources.py" "$list" "$parts" \
    "$APT_DIR/sources.d" ||
    fail "no package source to download from was found in $list and $parts." \
      "Enable one there (the entry that packages are installed from is enough)."
}

# Downloads the lists of source packages. One source that does not answer is not
# a failure: whether the package is there decides.
update_source_lists() {
  _write_apt_conf
  _write_sources
  run_step "Downloading the lists of source packages" apt-lists \
    private_apt apt-get -q update || true
}

# All versions of a source package that the lists know, one per line.
source_versions() {
  [[ -f $APT_DIR/apt.conf ]] || return 0
  private_apt apt-cache showsrc --only-source "$1" 2>/dev/null |
    sed -n 's/^Version: //p'
}

# download_source DIR PACKAGE=VERSION [APT-GET OPTION...]: the package's files,
# verified, into DIR.
download_source() {
  local directory=$1 package=$2
  shift 2
  mkdir -p "$directory"
  (cd "$directory" && private_apt apt-get -q source --only-source \
    --download-only "$@" "$package")
}
