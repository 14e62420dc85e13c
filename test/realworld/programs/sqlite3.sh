# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# sqlite3: `veryquick`, the suite that its developers run before a check-in, by
# its own testfixture (a Tcl interpreter with sqlite3 within); threadtest3, many
# threads on one database; mptest, many processes on one database. Left out: the
# longer suites (`full`, hours) and fuzzcheck (the same statements, and more).

package=sqlite3
needs=tcl-dev

build() {
  # A link to where the sources are, as for a build outside of them, would let
  # the tests write into the fetched tree: this one is a copy.
  ./configure CC="$CC" CFLAGS="$CFLAGS" --disable-shared --disable-readline \
    --with-tcl=/usr/lib/tcl8.6
  make -j"$JOBS" testfixture sqlite3 mptester threadtest3
}

check() {
  ./testfixture test/veryquick.test </dev/null || true
  step threadtest3 ./threadtest3 -all
  step mptest-delete ./mptester mptest.db mptest/crash01.test --repeat 2 \
    --journalmode DELETE
  rm -f mptest.db*
  step mptest-wal ./mptester mptest.db mptest/multiwrite01.test --repeat 2 \
    --journalmode WAL
}

# Of veryquick: `NAME... Ok`; or the same line broken by what the test printed,
# and `! NAME expected: ...`. Numbers and the like at the ends of names (time,
# addresses) are no part of them.
results() {
  sed -n -E -e 's/^@(ok|fail) /\1 /p' \
    -e 's/^([A-Za-z][A-Za-z0-9_.,:()-]*)\.\.\. Ok$/ok \1/p' \
    -e 's/^! ([^ ]+) expected: .*/fail \1/p' \
    -e 's/^! ([^ ]+) (omitted).*/skip \1/p' \
    -e 's/^([0-9]+) errors out of ([0-9]+) tests.*/ok veryquick-to-its-end/p'
}
