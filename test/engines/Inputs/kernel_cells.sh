#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: kernel_cells.sh BIN MARKED PLAIN CHECKPOINTS
#
# Says of each way to record what this kernel makes of it, a line each: works,
# refused (and why), or FAILED. MARKED and PLAIN are kernel_cells.c, built with
# marks and without; CHECKPOINTS is regions.c of test/checkpoint, which tests
# itself; BIN has `pagetide`. Status 1 if something failed. A way works
# if the pages that it says were written are the program's, and no others.

set -u
PATH=$1:$PATH
marked=$2 plain=$3 checkpoints=$4 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

say() { printf '%-28s %s\n' "$1" "$2"; }

# is_exact FILE: whether all 700 even pages of the arena were written, and no odd.
is_exact() {
  pagetide export --format csv "$1" 2>/dev/null | awk -F, '
    $6 ~ /^0x2000005[0-9a-f]+|^0x200000[0-4]/ && $8 == 1 {
      if ($6 ~ /[13579bdf]000$/) odd++
      else if (!seen[$6]++) even++
    }
    END { exit !(even == 700 && odd == 0) }'
}

# cell NAME COMMAND...: the command writes the trace FILE.
cell() {
  local name=$1 status=0
  shift
  rm -f "$work"/*.ptrace
  "$@" >out 2>err || status=$?
  if ((status == 0)) && is_exact FILE.ptrace; then
    say "$name" works
  elif ((status != 0)) && grep -qE 'Linux|this kernel' err; then
    say "$name" "refused: $(grep -m 1 -E 'Linux|this kernel' err)"
  else
    say "$name" "FAILED with status $status: $(tail -n 2 err | tr '\n' ' ')"
    failed=1
  fi
}

uname -r
record=(pagetide record -p 200ms -o FILE.ptrace)
cell "marks" "${record[@]}" -- "$marked"
cell "marks, per thread" "${record[@]}" --per-thread -- "$marked"
cell "checksums, cut" "${record[@]}" --checksum written --unstable cut -- "$marked"
cell "checksums, stop" "${record[@]}" --checksum written --unstable stop -- "$marked"
cell "kernel writes" "${record[@]}" --checksum written --kernel-writes -- "$marked"
cell "engine fork" "${record[@]}" --engine fork -- "$plain"
cell "engine uffd" "${record[@]}" --engine uffd -- "$plain"
cell "audit" pagetide audit -p 200ms -o FILE.ptrace -- "$marked"
if "$checkpoints" "$work/folder" >out 2>&1; then
  say checkpoints works
else
  say checkpoints "FAILED: $(tail -n 2 out | tr '\n' ' ')"
  failed=1
fi
exit "$failed"
