#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/on_kernel.sh [-s SUITE | -k DEB] [-m MIB] [-t SECONDS] COMMAND
#
# Boots a stock kernel of Debian in QEMU, with this machine's files, and runs
# COMMAND there by bash, as root and in this directory. Prints what it prints, and
# ends with its status. What it writes is gone at the end; /tmp is empty there.
#   -s SUITE    the kernel of that suite (bullseye 5.10, bookworm 6.1, trixie 6.12);
#               without it, of the Debian that runs here
#   -k DEB      the kernel of that package (linux-image-...)
#   -m MIB      its memory, 4096 by default
#   -t SECONDS  how long it may take, 3600 by default
# The processor is emulated, which takes ten times as long: time nothing there,
# and give tests more time (pagetide-lit --param timeout=3000).
# Needs the packages qemu-system-x86, busybox-static, cpio and kmod.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/apt_private.sh
source "$(dirname "${BASH_SOURCE[0]}")/apt_private.sh"

suite='' package='' mib=4096 limit=3600
while getopts s:k:m:t: option; do
  case $option in
  s) suite=$OPTARG ;;
  k) package=$OPTARG ;;
  m) mib=$OPTARG ;;
  t) limit=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
(($# == 1)) || {
  sed -n '4,17s/^# \?//p' "${BASH_SOURCE[0]}"
  exit 2
}
for tool in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio \
  depmod:kmod; do
  PATH=$PATH:/usr/sbin:/sbin command -v "${tool%:*}" >/dev/null ||
    fail "${tool%:*} was not found." "Install it: apt-get install ${tool#*:}."
done

kernel_of_suite() {
  local store
  # shellcheck source=/dev/null
  [[ -n $suite ]] || suite=$(source /etc/os-release && echo "$VERSION_CODENAME")
  store=$DEPS/kernels/$suite
  package=$(find "$store" -name 'linux-image-*.deb' 2>/dev/null || true)
  [[ -z $package ]] || return 0
  run_step "Downloading the kernel of $suite" "kernel-$suite" \
    download_kernel "$suite" "$store" >&2 ||
    fail "the kernel of $suite could not be downloaded (above)." \
      "Does the mirror have $suite?"
  package=$(find "$store" -name 'linux-image-*.deb')
}
[[ -n $package ]] || kernel_of_suite

files=$DEPS/kernels/files/$(basename "$package" .deb)
if [[ ! -d $files ]]; then
  rm -rf "$files.new"
  mkdir -p "$files.new"
  dpkg-deb -x "$package" "$files.new"
  # In newer releases modules are in /usr/lib.
  [[ -d $files.new/lib ]] || ln -s usr/lib "$files.new/lib"
  /sbin/depmod -b "$files.new" "$(ls "$files.new/lib/modules")"
  mv "$files.new" "$files"
fi
version=$(ls "$files/lib/modules")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
initrd=$work/initrd
mkdir -p "$initrd"/{bin,dev,lower,modules,proc,root,sys,upper}
cp "$(command -v busybox)" "$initrd/bin/busybox"

# What the root file system needs, in the order in which it is loaded.
number=100
for module in virtio_pci 9pnet_virtio 9p overlay; do
  while read -r file _; do
    number=$((number + 1))
    to=$initrd/modules/$number-$(basename "${file%%.ko*}").ko
    case $file in
    *.xz) xz -dc "$file" >"$to" ;;
    *.zst) zstd -qdc "$file" >"$to" ;;
    *.ko) cp "$file" "$to" ;;
    esac
  done < <(/sbin/modprobe -d "$files" -S "$version" --show-depends "$module" |
    sed -n 's/^insmod //p')
done

{
  printf 'cd %q || exit\n' "$PWD"
  printf '%s\n' "$1"
} >"$initrd/command"
# The console is the kernel's. What the command prints goes to another port, as it
# is: without carriage returns.
cat >"$initrd/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /modules/*; do insmod "$module" 2>/dev/null; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro files /lower
mount -t tmpfs upper /upper
mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work root /root
cd /root
mount -t proc proc proc
mount -t sysfs sys sys
mount -t devtmpfs dev dev
mkdir -p dev/pts dev/shm
mount -t devpts -o ptmxmode=666 pts dev/pts
mount -t tmpfs shm dev/shm
mount -t tmpfs -o mode=1777 tmp tmp
ip link set lo up
echo core >/proc/sys/kernel/core_pattern
cp /command tmp/.command
stty -F /dev/ttyS1 raw -echo
HOME=/root LANG=C.UTF-8 \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  chroot . /bin/bash /tmp/.command </dev/null >/dev/ttyS1 2>&1
echo "the command's status: $?"
sync
poweroff -f
INIT
chmod +x "$initrd/init"
(cd "$initrd" && find . | cpio -o -H newc --quiet) >"$work/initrd.cpio"

# no_timer_check: on a busy machine the emulated timer seems not to tick, and the
# kernel would give up.
status=0
timeout "$limit" qemu-system-x86_64 -accel tcg,thread=multi -cpu max \
  -smp 2 -m "$mib" -display none -monitor none -no-reboot \
  -serial "file:$work/console" -serial stdio \
  -kernel "$files/boot/vmlinuz-$version" -initrd "$work/initrd.cpio" \
  -append "console=ttyS0 quiet panic=1 no_timer_check" \
  -fsdev local,id=files,path=/,security_model=none,readonly=on,multidevs=remap \
  -device virtio-9p-pci,fsdev=files,mount_tag=files </dev/null 2>"$work/errors" ||
  status=$?
ended=$(tr -d '\r' <"$work/console" |
  sed -n "s/^the command's status: \([0-9]*\)$/\1/p")
[[ -n $ended ]] || {
  tail -n 20 "$work/console" "$work/errors" >&2
  fail "Linux $version did not come to the command's end (QEMU's status $status)." \
    "Above is what it said. It had $limit s: give more by -t."
}
exit "$ended"
