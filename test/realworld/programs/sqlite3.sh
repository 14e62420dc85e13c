# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# sqlite3: `veryquick`, the suite that its developers run before a check-in, by
# its own testfixture (a Tcl interpreter with sqlite3 within); threadtest3, many
# threads on one database, as far as its tests are not endurance runs; mptest, many
# processes on one database. Left out: the longer suites (`full`, hours).

package=sqlite3
needs=tcl-dev
unprivileged=yes # its tests end at once where root runs them

build() {
  # A link to where the sources are, as for a build outside of them, would let
  # the tests write into the fetched tree: this one is a copy.
  ./configure CC="$CC" CFLAGS="$CFLAGS" --disable-shared --disable-readline \
    --with-tcl=/usr/lib/tcl8.6
  make -j"$JOBS" testfixture sqlite3 mptester threadtest3
}

audited() {
  cat >work.sql <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000)
  INSERT INTO t SELECT i, hex(i * 7919 % 200003), i * 0.5 FROM n;
CREATE INDEX t_b ON t(b);
SELECT count(*), sum(x.c) FROM t x JOIN t y ON x.b = y.b WHERE y.a % 3 = 0;
UPDATE t SET b = b || 'x' WHERE a % 5 = 0;
DELETE FROM t WHERE a % 7 = 0;
VACUUM;
SQL
  rm -f work.db
  $AUDIT ./sqlite3 work.db '.read work.sql'
}

check() {
  # It ends the suite, natively as well (the shell's .recover fails).
  rm test/recover.test
  ./testfixture test/veryquick.test </dev/null || true
  local test # some seconds each
  for test in walthread1 cgt_pager_1 dynamic_triggers lookaside1 vacuum1 \
    stress1 stress2 shared1; do
    step "threadtest3-$test" ./threadtest3 "$test"
  done
  step mptest-delete ./mptester mptest.db mptest/crash01.test --repeat 2 \
    --journalmode DELETE
  rm -f mptest.db*
  step mptest-wal ./mptester mptest.db mptest/multiwrite01.test --repeat 2 \
    --journalmode WAL
}

# Of veryquick: `NAME... Ok`, or `! NAME expected: ...`, and its last line.
results() {
  sed -n -E -e 's/^@(ok|fail) /\1 /p' \
    -e 's/^([A-Za-z][A-Za-z0-9_.,:()-]*)\.\.\. Ok$/ok \1/p' \
    -e 's/^! ([^ ]+) expected: .*/fail \1/p' \
    -e 's/^! ([^ ]+) (omitted).*/skip \1/p' \
    -e 's/^([0-9]+) errors out of ([0-9]+) tests.*/ok veryquick-to-its-end/p'
}
