#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: until_seen.sh COMMAND...
#
# Runs a command whose failure hangs on how its threads meet, until it fails, five
# times at most. Prints what the last run printed, and exits as it did.

for try in 1 2 3 4 5; do
  said=$("$@" 2>&1)
  status=$?
  [ $status = 0 ] || break
done
printf '%s\n' "$said"
exit $status
