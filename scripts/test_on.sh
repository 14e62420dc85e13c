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
((EUID == 0)) || fail "a root for $suite can be made and entered only by root." \
  "Run this script by sudo."
command -v mmdebstrap >/dev/null || fail "mmdebstrap was not found." \
  "Install it: apt-get install mmdebstrap."

# mirrors LABEL: where this machine's apt gets that archive from.
mirrors() {
  # shellcheck disable=SC2016 # apt's variables
  apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    sed -n "s/^$1|//p" | sort -u
}

make_root() {
  local main security sources=()
  main=$(mirrors Debian | head -n 1)
  security=$(mirrors Debian-Security | head -n 1)
  [[ -n $main ]] || fail "apt knows no mirror of Debian." \
    "Run apt-get update, and look at the sources in /etc/apt."
  sources=("deb $main $suite main")
  if [[ $suite != sid ]]; then
    sources+=("deb $main $suite-updates main")
    [[ -z $security ]] || sources+=("deb $security $suite-security main")
  fi
  rm -rf "$root" "$root.new"
  mkdir -p "$DEPS/roots"
  # Proxies and the like are this machine's.
  apt-config dump | grep '^Acquire::[^ ]*[Pp]roxy' >"$DEPS/roots/apt.conf" || true
  run_step "Making a root of $suite" "on-$suite-root" \
    mmdebstrap --variant=apt --include=ca-certificates,git \
    --aptopt="$DEPS/roots/apt.conf" "$suite" "$root.new" "${sources[@]}" ||
    fail "the root could not be made (above)." "Does the mirror have $suite?"
  mv "$root.new" "$root"
}

# Untracked and ignored files of an earlier copy stay: builds, and what was fetched.
copy_head() {
  if [[ ! -d $root$copy ]]; then
    git clone -q --no-hardlinks "$PAGETIDE_ROOT" "$root$copy"
  else
    git -C "$root$copy" fetch -q "$PAGETIDE_ROOT" HEAD
    git -C "$root$copy" checkout -q --force FETCH_HEAD
  fi
}

# enter COMMAND: there, with what a machine has mounted. All of it goes when the
# command ends.
enter() {
  # shellcheck disable=SC2016 # the inner shell expands these
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    root=$1
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount -t devtmpfs dev "$root/dev"
    mkdir -p "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 pts "$root/dev/pts"
    mount -t tmpfs shm "$root/dev/shm"
    for file in resolv.conf hosts; do
      cp -L "/etc/$file" "$root/etc/$file" 2>/dev/null || true
    done
    exec chroot "$root" /usr/bin/env -i HOME=/root USER=root LANG=C.UTF-8 \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      PAGETIDE_LLVM="${PAGETIDE_LLVM:-}" bash -c "cd \"\$1\" && eval \"\$2\"" - "$2" "$3"
  ' - "$root" "$copy" "$1" </dev/null
}

[[ -n $keep && -d $root ]] || make_root
copy_head
if (($# == 2)); then
  enter "$2"
  exit
fi

failed=0
for script in demo test; do
  log=$LOGS/on-$suite-$script.log
  start=$SECONDS status=0
  say "scripts/$script.sh on $suite (its output: $log)"
  enter "scripts/$script.sh" >"$log" 2>&1 || status=$?
  tail -n 1 "$log" | sed 's/^/    /'
  say "scripts/$script.sh on $suite: status $status after $(duration $((SECONDS - start)))"
  ((status == 0)) || failed=1
done
exit "$failed"
