# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Bare roots of Debian's suites, and commands in them; sourced by bash after
# common.sh. The packages come from the mirror that this machine's apt uses.

# shellcheck source=scripts/apt_private.sh
source "$(dirname "${BASH_SOURCE[0]}")/apt_private.sh"

need_roots() {
  ((EUID == 0)) || fail "a root of a Debian can be made and entered only by root." \
    "Run this script by sudo."
  command -v mmdebstrap >/dev/null || fail "mmdebstrap was not found." \
    "Install it: apt-get install mmdebstrap."
}

# make_root SUITE ROOT [PACKAGE...]: with apt, and these packages.
make_root() {
  local suite=$1 root=$2 main security include sources=()
  shift 2
  main=$(main_mirror)
  security=$(mirrors Debian-Security | head -n 1)
  sources=("deb $main $suite main")
  if [[ $suite != sid ]]; then
    sources+=("deb $main $suite-updates main")
    [[ -z $security ]] || sources+=("deb $security $suite-security main")
  fi
  rm -rf "$root" "$root.new"
  mkdir -p "$(dirname "$root")"
  # Proxies and the like are this machine's.
  apt-config dump | grep '^Acquire::[^ ]*[Pp]roxy' >"$root.apt" || true
  include=$(printf ',%s' ca-certificates "$@")
  run_step "Making a root of $suite" "root-$(basename "$root")" \
    mmdebstrap --variant=apt --include="${include#,}" \
    --aptopt="$root.apt" "$suite" "$root.new" "${sources[@]}" ||
    fail "the root could not be made (above)." "Does the mirror have $suite?"
  mv "$root.new" "$root"
}

# enter ROOT DIRECTORY COMMAND: there, with what a machine has mounted. All of it
# goes when the command ends.
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
  ' - "$@" </dev/null
}
