# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Leaves options of a run as `pagetide record` does, with this shell in the place
# of record, and starts a program with an empty environment.
#
# usage: forge_options.sh right|wrong PROGRAM      (the start time in the name)

start=$(cut -d' ' -f22 /proc/$$/stat)
test "$1" = right || start=$((start + 1))
file=/tmp/pagetide-$(id -u)/$$.$start
exec 9>"$file"
flock 9 # otherwise another record takes it for a leftover
echo "period=0:trace_path='$PWD/forged'" >"$file"
env -i "$2"
rm "$file"
