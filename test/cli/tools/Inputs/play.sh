# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: play.sh [ROLE...] -- COMMAND...
#
# Runs COMMAND while `./fake ROLE...` runs. The word PLAYED in COMMAND becomes
# the number of that process. What that process prints goes to the file `played`.
# Exits as COMMAND.

roles=
while [ "$1" != -- ]; do
  roles="$roles $1"
  shift
done
shift
# Of an earlier process.
rm -f played
# shellcheck disable=SC2086
./fake $roles >played 2>&1 &
pid=$!
until grep -qs ready played; do
  kill -0 "$pid" || exit 99
  sleep 0.01
done
for word; do
  shift
  [ "$word" = PLAYED ] && word=$pid
  set -- "$@" "$word"
done
"$@"
status=$?
kill -KILL "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
exit $status
