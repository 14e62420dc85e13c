# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# perl: `make test_harness`, file by file: the core tests (t/), and those of the
# libraries and extensions in the tree. PERL_TESTS, patterns below t/, chooses
# some, for example 'op/*.t re/*.t'.

package=perl

build() {
  ./Configure -des -Dcc="$CC" -Doptimize="$CFLAGS" -Dusethreads -Duseshrplib \
    -Dprefix=/nonexistent -Dman1dir=none -Dman3dir=none
  make -j"$JOBS"
  make -j"$JOBS" test_prep
}

audited() {
  cd t
  LD_LIBRARY_PATH=${PWD%/t} $AUDIT ./perl -I.. -MTestInit op/pack.t >/dev/null
}

check() {
  cd t
  unset PERL5LIB
  LD_LIBRARY_PATH=${PWD%/t} TEST_JOBS=$JOBS LC_ALL=C PERL_TEST_HARNESS_ASAP=1 \
    ./perl harness ${PERL_TESTS:-} || true
}

# harness prints `path .. ok`, `path .. Failed 1/9 subtests`, `path .. skipped`
# (then why), and says in its summary which were wrong.
results() {
  tr '\r' '\n' | sed -n -E \
    -e 's/^([A-Za-z0-9_./+-]+[^. ]) \.+ ok.*/ok \1/p' \
    -e 's/^([A-Za-z0-9_./+-]+[^. ]) \.+ skipped.*/skip \1/p' \
    -e 's/^([A-Za-z0-9_./+-]+[^. ]) +\(Wstat: .*/fail \1/p' |
    sort -u
}
