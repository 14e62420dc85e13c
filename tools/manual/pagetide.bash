# bash completion for pagetide
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Offers the lines of a command.
_pagetide_lines() {
  local line
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <("$@")
}

_pagetide() {
  local cur=${COMP_WORDS[COMP_CWORD]} kind word
  COMPREPLY=()
  # For bash "=" is a word.
  [[ $cur == '=' ]] && cur=
  while IFS=$'\t' read -r kind word _; do
    case $kind in
    word) [[ $word == "$cur"* ]] && COMPREPLY+=("${word%=}") ;;
    file) _pagetide_lines compgen -f -- "$cur" ;;
    process)
      for word in /proc/[0-9]*; do
        word=${word#/proc/}
        [[ -O /proc/$word && $word == "$cur"* ]] && COMPREPLY+=("$word")
      done
      ;;
    rest)
      if declare -F _command_offset >/dev/null; then
        _command_offset $((COMP_CWORD + 1 - word))
      else
        ((word == 1)) && _pagetide_lines compgen -c -- "$cur"
        _pagetide_lines compgen -f -- "$cur"
      fi
      ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" \
    "$cur" 2>/dev/null)
}

complete -F _pagetide pagetide
