#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# emulate_same.sh PAGETIDE COMMAND...: runs the command by itself and under engine
# emulate. Fails unless both print and end alike. QEMU says a line of its own of a
# deadly signal.
pagetide=$1
shift
rm -f same.*
ulimit -c 0
("$@") >same.out 2>same.err
status=$?
("$pagetide" record --engine emulate -o same.trace -- "$@") >same.out2 2>same.err2
status2=$?
test $status = $status2 && cmp same.out same.out2 &&
  diff same.err <(grep -v '^pagetide: \|^qemu: uncaught target signal' same.err2) || {
  echo "$*: status $status, and $status2 under engine emulate"
  cat same.err2
  exit 1
}
