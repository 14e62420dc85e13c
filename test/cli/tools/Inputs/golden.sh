#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# golden.sh EXPECTED ACTUAL: fails with a diff and the command that accepts it.

expected=$(dirname "$0")/$1
actual=$2
if ! diff -u "$expected" "$actual"; then
  echo "The output above has changed. If that is meant:"
  echo "  cp '$actual' '$expected'"
  exit 1
fi
