# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# re2 (C++): `make static-test shared-test`, all of it, against the static and
# the shared library, and of the "big" tests that of the automata (threads).
# Left out: the random and the exhaustive tests.

package=re2
needs=unicode-data # from which Debian's package makes tables

tests=(charclass compile filtered_re2 mimics_pcre parse possible_match re2_arg
  re2 regexp required_prefix search set simplify string_generator dfa)

build() {
  local targets=() test
  for test in "${tests[@]}"; do
    targets+=("obj/test/${test}_test" "obj/so/test/${test}_test")
  done
  make -j"$JOBS" REBUILD_TABLES=1 CXX="$CXX" CXXFLAGS="$CFLAGS" "${targets[@]}"
}

audited() { $AUDIT obj/test/search_test; }

check() {
  local test
  for test in "${tests[@]}"; do
    step "static/$test" "obj/test/${test}_test"
    step "shared/$test" env LD_LIBRARY_PATH=obj/so "obj/so/test/${test}_test"
  done
}

results() { step_results; }
