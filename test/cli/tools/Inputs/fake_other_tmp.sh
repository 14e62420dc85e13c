#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the program `reachable` with an empty /tmp.

if [ "$1" != --inside ]; then
  exec unshare --mount sh "$0" --inside "$@"
fi
shift
# The program may be below /tmp itself.
exec 3<./reachable
mount -t tmpfs none /tmp
exec /proc/self/fd/3 "$@"
