#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: test/robustness/faults/sweep.sh [BUILD [SWEEP OPTION...]]
#
# The full sweep over the runtime's system calls (Inputs/sweep.py says what is
# checked): every occurrence, every error, every policy: some eleven thousand runs,
# 13 minutes of processor time.

set -euo pipefail
source_root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
build=$(realpath "${1:-$source_root/build}")
shift || true
inputs=$source_root/test/robustness/faults/Inputs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

clang-19 -std=gnu99 -O1 -Wall -Wextra "$inputs/inject.c" -o "$work/inject"
clang-19 -std=gnu99 -O1 -Wall -Wextra -I "$source_root/include" \
  -fpass-plugin="$build/lib/PagetidePass-19.so" "$inputs/work.c" -o "$work/work" \
  -Wl,--no-as-needed "$build/lib/libpagetide.so" "-Wl,-rpath,$build/lib" -pthread
python3 "$inputs/sweep.py" --inject "$work/inject" --work "$work/work" \
  --pagetide "$build/bin/pagetide" --dir "$work/runs" "$@"
