# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: full_disk.sh PYTHON PAGETIDE DIRECTORY POLICY, in a mount namespace of
# its own: records onto a disk with room for a few frames only.

python=$1 pagetide=$2 directory=$3 policy=$4
mount -t tmpfs -o size=4k none "$directory/disk" || exit
trace=$directory/disk/trace progress=$directory/progress.$policy
head -c 4096 /dev/zero > "$progress"
"$pagetide" record -o "$trace" -p 1ms --on-failure "$policy" -- \
  "$directory/steps" "$progress" 0x200000000000 r 30000 \
  2> "$directory/record"
echo "status $?"
cat "$directory/record"
"$python" "$(dirname "$0")/one_truth.py" "$pagetide" "$trace" \
  "$directory/record" || exit
COLUMNS=300 "$pagetide" report "$trace"
