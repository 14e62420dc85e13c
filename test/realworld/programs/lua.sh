# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lua 5.4: Debian's package holds no tests. What runs always: LPeg's test.lua
# (Debian's lua-lpeg, a library in C that the interpreter loads, built here
# too). The official suite runs where LUA_TESTS names its directory (the archive
# lua-5.4.4-tests that Lua's authors offer, or `testes` of their repository at
# v5.4.4): all of it, with the C libraries that it loads, except heavy.lua.

package=lua5.4
packages=lua-lpeg
needs=libreadline-dev # as Debian's lua has it; main.lua expects it

build() {
  echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >lua5.4-deb-multiarch.h
  local sources
  sources=$(find src -name '*.c' ! -name luac.c ! -name lua.c)
  $CC $CFLAGS -DLUA_USE_LINUX -DLUA_USE_READLINE -DLUA_COMPAT_5_3 -I. -Wl,-E \
    src/lua.c $sources -o lua -lm -ldl -lreadline
  cp -r "$SOURCES/lua-lpeg" lpeg
  $CC $CFLAGS -Isrc -I. -fPIC -shared lpeg/*.c -o lpeg/lpeg.so
  if [[ -n ${LUA_TESTS:-} ]]; then
    rm -rf tests
    cp -r "$LUA_TESTS" tests
    mkdir -p tests/libs/P1
    cd tests/libs
    local pair # of source and library
    for pair in lib1:lib1 lib11:lib11 lib2:lib2 lib21:lib21 lib22:lib2-v2; do
      $CC $CFLAGS -I../../src -I../.. -fPIC -shared "${pair%%:*}.c" \
        -o "${pair##*:}.so"
    done
  fi
}

audited() { $AUDIT ./lua "$PAGETIDE_ROOT/benchmarks/scripts/mixed.lua" 8; }

check() {
  step lpeg lpeg_test
  local script
  if [[ -d tests ]]; then
    # all.lua runs nearly all of them in one process; then each by itself.
    step all official all.lua
    for script in tests/*.lua; do
      script=$(basename "$script")
      case $script in
      # What all.lua alone can run, and what fills all memory.
      all.lua | big.lua | heavy.lua) continue ;;
      esac
      step "${script%.lua}" official "$script"
    done
  fi
}

lpeg_test() { (cd lpeg && LUA_CPATH='./?.so' LUA_PATH='./?.lua' ../lua test.lua); }
# A test expects a standard input that cannot seek.
official() { (cd tests && sleep 0 | ../lua -W "$1"); }

results() { step_results; }
