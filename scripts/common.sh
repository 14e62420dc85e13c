# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the scripts here share; sourced by bash. It sets PAGETIDE_ROOT (the
# checkout), DEPS (.deps, where all that is fetched goes) and BUILD.

# No script ends without a word.
set -o errtrace
trap 'printf "error: %s line %s: %s\n" "${BASH_SOURCE[0]}" "$LINENO" \
  "a command failed unexpectedly: $BASH_COMMAND" >&2' ERR

PAGETIDE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
DEPS=$PAGETIDE_ROOT/.deps
LOGS=$DEPS/logs
# shellcheck disable=SC2034 # used by the scripts that source this file
BUILD=${PAGETIDE_BUILD:-$PAGETIDE_ROOT/build}

say() { printf '==> %s\n' "$*"; }

# fail WHAT [WHAT TO DO]: ends the script.
fail() {
  printf 'error: %s\n' "$1" >&2
  shift
  local advice
  for advice in "$@"; do
    printf '       %s\n' "$advice" >&2
  done
  exit 1
}

# Printable seconds: 75 -> 1 min 15 s
duration() {
  if (($1 < 60)); then
    printf '%d s' "$1"
  else
    printf '%d min %d s' $(($1 / 60)) $(($1 % 60))
  fi
}

# The last line of a log, without what terminals would make of it.
_last_line() {
  # A log may be empty still.
  tail -c 2000 "$1" 2>/dev/null | tr '\r' '\n' |
    { grep -v '^[[:space:]]*$' || true; } | tail -n 1 | tr -cd '[:print:]'
}

# run_step TITLE LOG COMMAND...: runs a command that may take long. Its output
# goes to .deps/logs/LOG.log. While it runs, the time and the log's last line
# are shown: in place on a terminal, otherwise from time to time. Returns the
# command's status. If that is not 0, the end of the log has been shown.
run_step() {
  local title=$1 log=$LOGS/$2.log
  shift 2
  mkdir -p "$LOGS"
  say "$title"
  local start=$SECONDS shown=$SECONDS pid status=0 columns=80 line
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  # An interrupt ends the command too.
  trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    if [[ -t 1 ]]; then
      columns=$(tput cols 2>/dev/null || echo 80)
      line="    $(duration $((SECONDS - start)))  $(_last_line "$log")"
      printf '\r%s\033[K' "${line:0:columns-1}"
    elif ((SECONDS - shown >= 20)); then
      shown=$SECONDS
      line=$(_last_line "$log")
      printf '    %s  %s\n' "$(duration $((SECONDS - start)))" "${line:0:100}"
    fi
    sleep 0.2
  done
  wait "$pid" || status=$?
  trap - INT TERM
  [[ -t 1 ]] && printf '\r\033[K'
  if ((status == 0)); then
    if ((SECONDS - start >= 2)); then
      printf '    done in %s\n' "$(duration $((SECONDS - start)))"
    fi
  else
    printf '    failed with status %d after %s; the end of %s:\n' "$status" \
      "$(duration $((SECONDS - start)))" "$log" >&2
    tail -n 30 "$log" | sed 's/^/    | /' >&2
  fi
  return "$status"
}

# Stamps say that a step's result stands: `stands NAME VALUE` is true after
# `mark_done NAME VALUE`, until the value differs.
_stamp() { printf '%s/stamps/%s' "$DEPS" "$1"; }
stands() { [[ -f $(_stamp "$1") && $(<"$(_stamp "$1")") == "$2" ]]; }
mark_done() {
  mkdir -p "$DEPS/stamps"
  printf '%s\n' "$2" >"$(_stamp "$1")"
}

# as_root COMMAND...: runs it as root, by sudo where needed. `become_root WHY`
# must have succeeded before.
as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    sudo -n -- "$@"
  fi
}
become_root() {
  ((EUID == 0)) && return
  command -v sudo >/dev/null ||
    fail "$1 needs root, and there is no sudo here." \
      "Run this script as root once, or install the packages that" \
      "scripts/packages.txt lists."
  sudo -n true 2>/dev/null && return
  [[ -t 0 ]] || fail "$1 needs root, and sudo asks for a password, which it" \
    "cannot do without a terminal. Run scripts/setup.sh from one."
  say "$1 needs root; sudo may ask for your password."
  sudo -v || fail "$1 needs root, and sudo refused."
}

# configure CMAKE-ARGUMENT...: makes or changes $BUILD. The caller's settings for
# compilers are not ours: the build finds its own.
configure() {
  local python cmake_args=("$@")
  # The system's Python is the one that python3-psutil was installed for.
  python=$(command -p -v python3) && cmake_args+=("-DPython3_EXECUTABLE=$python")
  if [[ -n ${PAGETIDE_COMPILER_RT_SOURCE:-} ]]; then
    cmake_args+=("-DPAGETIDE_COMPILER_RT_SOURCE=$PAGETIDE_COMPILER_RT_SOURCE")
  fi
  run_step "Configuring ${BUILD#"$PAGETIDE_ROOT"/}" configure \
    env -u CC -u CXX -u CFLAGS -u CXXFLAGS -u LDFLAGS \
    cmake -S "$PAGETIDE_ROOT" -B "$BUILD" -G Ninja "${cmake_args[@]}"
}

# build TARGET...: brings these up to date.
build() {
  run_step "Building $* in ${BUILD#"$PAGETIDE_ROOT"/}" build \
    ninja -C "$BUILD" "$@"
}
