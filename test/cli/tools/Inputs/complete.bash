# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: complete.bash COMPLETION WORD...
#
# Prints what bash's completion offers for the last word, one a line.

source "$1"
shift
# As bash divides the line: "=" is a word of its own.
COMP_WORDS=()
for word in "$@"; do
  if [[ $word == --*=* ]]; then
    COMP_WORDS+=("${word%%=*}" "=")
    [[ -n ${word#*=} ]] && COMP_WORDS+=("${word#*=}")
  else
    COMP_WORDS+=("$word")
  fi
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_pagetide
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
