# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: known_sets.sh ENGINE E2E COMMAND...
#
# Runs known_sets.py (COMMAND) with each row of known_sets.txt that names the engine.
# E2E is the folder of the programs.
set -eu
engine=$1 e2e=$2 rows=0
shift 2
while IFS='|' read -r engines options program; do
  case " ${engines%%#*} " in
  *" $engine "*)
    rows=$((rows + 1))
    echo "$program: $options"
    # shellcheck disable=SC2086 # options are words
    "$@" --engine "$engine" $options "$e2e/${program# }"
    ;;
  esac
done <"${0%.sh}.txt"
test "$rows" -gt 10
