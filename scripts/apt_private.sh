# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Source packages from the user's own package sources, and packages of other suites
# of Debian, without a change to the user's apt; sourced by bash after common.sh.
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

# mirrors LABEL: where the user's apt gets that archive from.
mirrors() {
  # shellcheck disable=SC2016 # apt's variables
  apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    sed -n "s/^$1|//p" | sort -u
}
main_mirror() {
  local main
  main=$(mirrors Debian | head -n 1)
  [[ -n $main ]] || fail "apt knows no mirror of Debian." \
    "Run apt-get update, and look at the sources in /etc/apt."
  printf '%s\n' "$main"
}

# download_kernel SUITE DIR: the package of the kernel that linux-image-amd64 of that
# suite stands for, verified, into DIR. Nothing is installed.
download_kernel() (
  APT_DIR=$DEPS/apt-$1
  _write_apt_conf
  printf 'Dir::State::status "%s/none/status";\n' "$APT_DIR" >>"$APT_DIR/apt.conf"
  touch "$APT_DIR/none/status"
  printf 'deb %s %s main\n' "$(main_mirror)" "$1" >"$APT_DIR/sources.d/suite.list"
  private_apt apt-get -q update &&
    package=$(private_apt apt-cache depends linux-image-amd64 |
      sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1) &&
    mkdir -p "$2" && cd "$2" && private_apt apt-get -q download "$package"
)
