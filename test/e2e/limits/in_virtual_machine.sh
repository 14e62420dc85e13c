#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Conditions that need a kernel or a processor of their own, in a virtual machine:
# addresses of 57 bits, vm.overcommit_memory=2, and a wall clock that is set. For
# people; half a minute.
#
#   test/e2e/limits/in_virtual_machine.sh [BUILD]
#
# Needs the packages qemu-system-x86 and linux-image-cloud-amd64 (any kernel of
# Debian's will do: KERNEL=FILE names one).

set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$top/build}
clang=${CLANG:-clang-19}
kernel=${KERNEL:-}
if [ -z "$kernel" ]; then
  for kernel in /boot/vmlinuz-*; do :; done
fi
command -v qemu-system-x86_64 >/dev/null && [ -r "$kernel" ] || {
  echo "install qemu-system-x86 and linux-image-cloud-amd64, or set KERNEL" >&2
  exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

inputs=$top/test/e2e/Inputs
instrumented() {
  "$clang" -std=gnu99 -O1 -I"$top/include" -I"$top/test/lib" \
    -fpass-plugin="$build/lib/PagetidePass-19.so" "$@" \
    -Wl,--no-as-needed "$build/lib/libpagetide.so" \
    -Wl,-rpath,"$build/lib" -pthread
}
"$clang" -O1 -I"$top/test/lib" -c "$top/test/lib/reference_hash.c"
"$clang" -static -O1 "$inputs/machine_init.c" -o init
instrumented "$top/test/e2e/memory/mappings_over_the_shadow.c" -o over
instrumented "$inputs/works.c" reference_hash.o -o works
instrumented "$inputs/in_machine.c" -o in_machine
python3 "$inputs/make_initrd.py" initrd init over works in_machine

timeout -s KILL 300 qemu-system-x86_64 -accel tcg -cpu max,la57=on -m 3G \
  -nographic -no-reboot -kernel "$kernel" -initrd initrd \
  -append "console=ttyS0 quiet panic=1" </dev/null >log 2>&1
tr -d '\r' <log | grep -a -A1000 'machine: up' | tee said
expect() {
  grep -q -x -- "$1" said || { echo "missing: $1" >&2; exit 1; }
}
expect 'plain: the hint gives more than 47 bits'
expect 'over: status 0'
expect 'far: status 0'
grep -q 'WARNING: Pagetide: the program has mapped memory at 0x4000000000000' said
expect 'works: status 0'
expect 'the clock is set: status 0'
expect 'vm.overcommit_memory=2'
expect 'works, strictly: status 0'
expect 'left out, strictly: status 0'
echo passed
