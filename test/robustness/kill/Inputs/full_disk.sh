# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: full_disk.sh PAGETIDE DIRECTORY, in a mount namespace of its own: records
# onto a disk with room for a few frames only.

pagetide=$1 directory=$2
mount -t tmpfs -o size=4k none "$directory/disk" || exit
"$pagetide" record -o "$directory/disk/trace" -p 1ms -- "$directory/steps" \
  "$directory/progress" 0x200000000000 r 30000
echo "status $?" >&2
# Cut short, and readable.
"$pagetide" info "$directory/disk/trace" >&2
echo "info's status: $?" >&2
if "$pagetide" export --format csv "$directory/disk/trace" 2>/dev/null |
  grep -q '^[0-9]'; then
  echo "rows: yes" >&2
fi
COLUMNS=300 "$pagetide" report "$directory/disk/trace" >&2
