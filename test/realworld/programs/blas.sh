# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The reference BLAS of Debian's lapack, in Fortran: its own tests of levels 1 to 3 in
# four precisions. Each call is compared with a slow, simple one, its arguments' guard
# elements are checked, and so are the errors that it reports. LAPACK itself (2,000
# files) is not built.

package=lapack
needs=flang-19

build() {
  mkdir objects
  (
    cd objects
    printf '%s\0' ../BLAS/SRC/*.f ../BLAS/SRC/*.f90 |
      xargs -0 -P "$JOBS" -I{} $FC $CFLAGS -c {}
    ar rc ../libblas.a ./*.o
  )
  local test
  for test in {s,d,c,z}blat{1,2,3}; do
    $FC $CFLAGS "BLAS/TESTING/$test.f" libblas.a -o "x$test"
  done
}

audited() { $AUDIT ./xdblat3 <BLAS/TESTING/dblat3.in; }

check() {
  local test
  for test in {s,d,c,z}blat{1,2,3}; do
    step "$test" passes "$test"
  done
}

# passes TEST: its program says that routines passed, and of none that it failed. Those
# of levels 2 and 3 have an input, which names the file to write that to.
passes() {
  if [[ $1 == *1 ]]; then
    "./x$1" >"$1.out"
  else
    "./x$1" <"BLAS/TESTING/$1.in"
  fi
  cat "$1.out"
  grep -q PASS "$1.out"
  if grep FAIL "$1.out"; then
    return 1
  fi
}

results() { step_results; }
