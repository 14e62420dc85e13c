#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: until_seen.sh WORDS COMMAND...
#
# A command without a rule has to fail with the words, which shows that the rule
# is needed. That hangs on how threads meet, so there are five tries. A machine
# with much more work than processors may keep them from meeting: then it says so,
# and nothing is shown.

words=$1
shift
for try in 1 2 3 4 5; do
  if said=$("$@" 2>&1); then
    continue
  fi
  case $said in
  *"$words"*) exit 0 ;;
  *)
    printf 'it failed otherwise: %s\n' "$said"
    exit 1
    ;;
  esac
done
read -r load rest </proc/loadavg
printf 'not seen at load %s: %s; last: %s\n' "$load" "$words" "$said"
[ "${load%.*}" -ge $((3 * $(nproc))) ]
